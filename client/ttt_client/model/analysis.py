"""What the moves of a finished game were worth, as the server found. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ttt_protocol.codec import BadMessage
from ttt_protocol.state import Mark


@dataclass(frozen=True, slots=True)
class AnalysedMove:
    """A move and what it was worth: 1, 0 or -1 for the side that made it; `None` if not known."""

    ply: int
    """The number of moves before it."""
    seat: Mark
    cell: int
    worth: int | None
    values: Mapping[int, int | None]
    """The same for every legal cell; empty if none is known."""
    is_mistake: bool
    """Whether a better move is known."""

    @property
    def unknown(self) -> tuple[int, ...]:
        """The legal cells whose worth is not known."""
        return tuple(cell for cell in sorted(self.values) if self.values[cell] is None)


@dataclass(frozen=True, slots=True)
class Analysis:
    """The moves of a finished game, in order, without those that were taken back."""

    moves: tuple[AnalysedMove, ...]
    thrown_away_at: int | None
    """The ply of the last known mistake of a side that did not win."""
    winner: Mark | None

    @property
    def doubt(self) -> AnalysedMove | None:
        """The last move of a side that did not win which may have been a mistake.

        It is worth less than a win, and cells that may have been better are not known.
        """
        for move in reversed(self.moves):
            if move.seat is not self.winner and move.worth in {0, -1} and move.unknown:
                return move
        return None


def read_analysis(body: bytes) -> Analysis:
    """Return the analysis in the server's answer.

    Raises:
        BadMessage: if the body is something else.
    """
    try:
        told = json.loads(body)
        return Analysis(
            tuple(map(_weighed, told["analysis"])), told["thrown_away_at"], _winner(told)
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadMessage("no analysis") from None


def _weighed(told: Mapping[str, Any]) -> AnalysedMove:
    values = {int(cell): value for cell, value in told["values"].items()}
    seat, cell, mistake = Mark(told["seat"]), int(told["cell"]), bool(told["mistake"])
    return AnalysedMove(int(told["ply"]), seat, cell, told["worth"], values, mistake)


def _winner(told: Mapping[str, Any]) -> Mark | None:
    for event in told["events"]:
        if event["type"] == "ended" and event["outcome"]["winner"] is not None:
            return Mark(event["outcome"]["winner"])
    return None
