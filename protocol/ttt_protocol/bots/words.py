"""The language `json`, version `ttt-bot/1`: one JSON object a line.

    > {"type":"hello","protocol":"ttt-bot/1","rules":{"columns":3,…},"seat":"X","game":1}
    > {"type":"turn","board":".........","moves":[],"legal":[0,1,…],"time_ms":1000}
    < {"cell":4,"reason":"centre","values":{"4":1}}
    > {"type":"over","winner":"X","reason":"line"}

`hello` comes before the first turn of each game, and of each new process. Standard input ends when
the program is to end.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ttt_protocol.base import FromClient, Omissible, absent
from ttt_protocol.bots.failures import not_understood
from ttt_protocol.bots.language import Heard
from ttt_protocol.bots.turn import Answer, GameEnd, Turn
from ttt_protocol.codes import Reason
from ttt_protocol.state import Mark, Rules

PROTOCOL = "ttt-bot/1"

_Value = Annotated[int | float, Field(allow_inf_nan=False)]


class _ToBot(BaseModel):
    model_config = ConfigDict(frozen=True)


class Hello(_ToBot):
    """A game begins."""

    type: Literal["hello"] = "hello"
    protocol: str = PROTOCOL
    rules: Rules
    seat: Mark
    game: int


class AskTurn(_ToBot):
    """The program is to move."""

    type: Literal["turn"] = "turn"
    board: str
    moves: tuple[int, ...]
    legal: tuple[int, ...]
    time_ms: int
    left_ms: int | None = Field(default=None, exclude_if=absent)


class Over(_ToBot):
    """A game is over."""

    type: Literal["over"] = "over"
    winner: Mark | None
    reason: Reason


class Move(FromClient):
    """The answer of a program."""

    cell: int
    reason: Omissible[Annotated[str, Field(max_length=1000)]] = None
    values: Omissible[dict[str, _Value]] = None
    """Its own score of cells, by the cell."""


class JsonLines:
    """The talk with one process."""

    def __init__(self) -> None:
        self._game: int | None = None

    def ask(self, turn: Turn) -> bytes:
        """Return the lines that ask for a move."""
        hello = b""
        if turn.game != self._game:
            self._game = turn.game
            hello = _line(Hello(rules=turn.rules, seat=turn.seat, game=turn.game))
        asked = AskTurn.model_construct(
            type="turn",
            board=turn.board,
            moves=turn.moves,
            legal=turn.legal,
            time_ms=turn.time_ms,
            left_ms=turn.left_ms,
        )
        return hello + _line(asked)

    def hear(self, line: str) -> Heard:
        """Return the answer that a line holds; nothing for an empty line.

        Raises:
            BotFailed: `not understood`.
        """
        if not line.strip():
            return Heard()
        try:
            move = Move.model_validate_json(line)
        except ValidationError as error:
            raise not_understood(line, _why(error)) from None
        return Heard(Answer(move.cell, move.reason, move.values))

    def tell_end(self, end: GameEnd) -> bytes:
        """Return the line that tells how a game ended."""
        return _line(Over(winner=end.winner, reason=end.reason))

    def say_goodbye(self) -> bytes:
        """Return nothing: the end of the input says it."""
        return b""


def _line(model: BaseModel) -> bytes:
    return model.__pydantic_serializer__.to_json(model) + b"\n"


def _why(error: ValidationError) -> str:
    detail = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if detail["type"] == "json_invalid":
        return "which is not JSON"
    where = ".".join(str(part) for part in detail["loc"] if str(part) in Move.model_fields)
    return f"{where}: {detail['msg'].lower()}" if where else 'must be like {"cell":4}'
