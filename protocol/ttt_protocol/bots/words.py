"""The language `json`, version `ttt-bot/1`: one JSON object a line.

    > {"type":"hello","protocol":"ttt-bot/1","rules":{"columns":3,…},"seat":"X","game":1}
    < {"variants":["ultimate","cube"]}
    > {"type":"turn","board":".........","moves":[],"legal":[0,1,…],"time_ms":1000}
    < {"cell":4,"reason":"centre","values":{"4":1}}
    > {"type":"choose","board":"X........","moves":[0],"choices":["stay","swap"],"time_ms":1000}
    < {"choice":"swap"}
    > {"type":"over","winner":"X","reason":"line"}

`hello` comes before the first question of each game, and of each new process, and again where the
players have changed seats. A program that plays games of the family names them in answer to it, or
says `"*"` for all, those of plug-ins too; others need not answer. `choose` comes in games with an
opening: a move is no answer to it, and counts as `stay`. Standard input ends when the program is to
end.
"""

from contextlib import suppress
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError
from pydantic_core import to_json

from ttt_protocol.base import FromClient, Omissible
from ttt_protocol.bots.failures import BotFailed, not_understood
from ttt_protocol.bots.language import Answer, BotTurn, GameEnd, HeardLine, Language
from ttt_protocol.codes import Choice, Opening
from ttt_protocol.faults import first_fault
from ttt_protocol.state import Mark

T = TypeVar("T", bound=FromClient)

PROTOCOL = "ttt-bot/1"

_Value = Annotated[int | float, Field(allow_inf_nan=False)]


class MoveAnswer(FromClient):
    """The answer of a program."""

    cell: int
    reason: Omissible[str] = None
    values: Omissible[dict[str, _Value]] = None
    """Its own score of cells, by the cell."""


class ChoiceAnswer(FromClient):
    """The answer of a program that knows openings."""

    choice: Choice


class HelloAnswer(FromClient):
    """The answer of a program that plays variants."""

    variants: (
        Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=100)] | Literal["*"]
    )


class JsonLines(Language):
    """The talk with one process."""

    def __init__(self) -> None:
        self._greeted: tuple[int, Mark] | None = None
        """The game and the seat of the last `hello`."""
        self._is_choosing = False

    def is_aside(self, line: str) -> bool:
        """Return whether the line is empty: all others are answers."""
        return not line.strip()

    def ask(self, turn: BotTurn) -> bytes:
        """Return the lines that ask for a move or a choice."""
        self._is_choosing = bool(turn.choices)
        kind = "choose" if turn.choices else "turn"
        asked: dict[str, Any] = {"type": kind, "board": turn.board, "moves": turn.moves}
        asked |= {"choices": turn.choices} if turn.choices else {"legal": turn.legal}
        left = {} if turn.left_ms is None else {"left_ms": turn.left_ms}
        return self._hello(turn) + _line(**asked, time_ms=turn.time_ms, **left)

    def hear(self, line: str) -> HeardLine:
        """Return the answer that a line holds; nothing where it answers `hello`.

        Raises:
            BotFailed: `not understood`.
        """
        if '"variants"' in line:
            hello = _read(HelloAnswer, line, '{"variants":["ultimate"]}')
            self.variants = frozenset(hello.variants)
            return HeardLine()
        if self._is_choosing:
            return HeardLine(_choice(line))
        move = _read(MoveAnswer, line, '{"cell":4}')
        return HeardLine(Answer(move.cell, move.reason, move.values))

    def tell_end(self, end: GameEnd) -> bytes:
        """Return the line that tells how a game ended."""
        return _line(type="over", winner=end.winner, reason=end.reason)

    def _hello(self, turn: BotTurn) -> bytes:
        game, seat = turn.game, turn.seat
        if self._greeted == (game, seat):
            return b""
        self._greeted = game, seat
        told: dict[str, Any] = {"rules": turn.rules, "seat": seat, "game": game}
        if turn.opening is not Opening.NONE:
            told["opening"] = turn.opening
        return _line(type="hello", protocol=PROTOCOL, **told)


def _read(kind: type[T], line: str, example: str) -> T:
    """Return the answer that a line holds.

    Raises:
        BotFailed: `not understood`.
    """
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        raise not_understood(line, _why(error, kind, example)) from None


def _choice(line: str) -> Choice:
    """Return the choice that a line holds: `stay`, if the program answers with a move.

    Raises:
        BotFailed: `not understood`.
    """
    try:
        return _read(ChoiceAnswer, line, '{"choice":"stay"}').choice
    except BotFailed:
        with suppress(ValidationError):
            MoveAnswer.model_validate_json(line)
            return Choice.STAY
        raise


def _line(**fields: Any) -> bytes:
    return to_json(fields) + b"\n"


def _why(error: ValidationError, model: type[BaseModel], example: str) -> str:
    if error.errors(include_url=False, include_input=False)[0]["type"] == "json_invalid":
        return "which is not JSON"
    where, what = first_fault(error)
    field = where.partition(".")[0]
    return f"{field}: {what}" if field in model.model_fields else f"must be like {example}"
