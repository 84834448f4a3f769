"""What the server and its worker processes tell each other: positions, and answers. Pure.

An answer is a JSON object on one line. Lines of JSON may follow it on the same line, with control
characters, which JSON never contains, for their line breaks. The server passes these on unparsed:
as a JSON string, 500 kB of them held up its event loop for 1.6 ms.
"""

import json
import pickle
from base64 import b64decode, b64encode
from typing import Any, Final

from ttt_engine import Position, Rules

Answer = dict[str, Any]

_BEFORE_LINES: Final = "\x1f"
_LINE_BREAK: Final = "\x1e"


def encode_answer(answer: Answer) -> str:
    """Return an answer as a line, without its line break.

    `lines` is a string of JSON lines, which go behind the rest.
    """
    lines: str | None = answer.get("lines")
    if lines is None:
        return json.dumps(answer)
    head = json.dumps({key: value for key, value in answer.items() if key != "lines"})
    return head + _BEFORE_LINES + lines.replace("\n", _LINE_BREAK)


def decode_answer(line: bytes) -> Answer:
    """Return the answer in a line, with its `lines` as UTF-8.

    Raises:
        ValueError: the line has no JSON object.
    """
    head, has_lines, lines = line.partition(_BEFORE_LINES.encode())
    answer = json.loads(head)
    if not isinstance(answer, dict):
        raise ValueError("an answer is an object")  # noqa: TRY004 - it is JSON, and not an argument
    if has_lines:
        answer["lines"] = lines.replace(_LINE_BREAK.encode(), b"\n")
    return answer


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
