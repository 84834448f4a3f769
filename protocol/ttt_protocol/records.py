"""Games as plain HTTP gives them: to replay, and analysed."""

from typing import Literal

from ttt_protocol.base import FromServer
from ttt_protocol.events import Event
from ttt_protocol.state import (
    BySeat,
    Mark,
    Player,
    RoomName,
    Rules,
)


class GameRecord(FromServer):
    """A game of a room, to replay it. `events`: those of the game, in the order of `seq`."""

    room: RoomName
    game: int
    """Its number in the room."""
    rules: Rules
    seats: BySeat[Player | None]
    """The players at its start."""
    events: tuple[Event, ...]


class WeighedMove(FromServer):
    """A move that was not taken back, and its evaluation, for the side that made it."""

    ply: int
    """The number of moves made before it."""
    seat: Mark
    cell: int
    values: dict[str, Literal[-1, 0, 1] | None]
    """The value of each legal cell: loss, draw or win; null where unknown. May be empty."""
    worth: Literal[-1, 0, 1] | None
    """The move's own value."""
    mistake: bool
    """Whether a better move is known."""


class AnalysedGame(GameRecord):
    """A finished game with the evaluation of its moves, as far as the search got."""

    analysis: tuple[WeighedMove, ...]
    """In order of `ply`, without the moves that were taken back."""
    thrown_away_at: int | None
    """The ply of the last mistake of a side that did not win."""
