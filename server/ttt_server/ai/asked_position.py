"""A position as a question to a worker process has it."""

import pickle
from base64 import b64decode, b64encode
from typing import Any

from ttt_engine import Position, Rules


def as_question(position: Position) -> dict[str, Any]:
    """Return the fields of a question that tell a position.

    Of a variant the board may not tell all, such as the order of the marks: there is `whole`, too.
    """
    asked = {"rules": str(position.rules), "board": position.board}
    if position.rules.variant is not None:
        asked["whole"] = b64encode(pickle.dumps(position)).decode()
    return asked


def position_of(question: dict[str, Any]) -> Position:
    """Return the position in a question.

    Questions come from the server alone. What a client sent is never in `whole`.
    """
    if "whole" not in question:
        return Position.parse(question["board"], Rules.parse(question["rules"]))
    position: Position = pickle.loads(b64decode(question["whole"]))  # noqa: S301 - of the server
    return position
