"""What is read over plain HTTP and is no message: a game to replay."""

from typing import Literal

from ttt_protocol.events import Event
from ttt_protocol.state import BySeat, Mark, Player, RoomName, Rules, Told


class GameRecord(Told):
    """One game of a room, to replay it. `events`: those of the game, in the order of `seq`."""

    room: RoomName
    game: int
    """Its number in the room."""
    rules: Rules
    seats: BySeat[Player | None]
    """Who sat there when it began."""
    events: tuple[Event, ...]


class WeighedMove(Told):
    """A move that stood, and what could be found out about it; all for the side that made it."""

    ply: int
    """The number of moves made before it."""
    seat: Mark
    cell: int
    values: dict[str, Literal[-1, 0, 1] | None]
    """By legal cell: loss, draw or win; null where unknown. Empty where nothing is known."""
    worth: Literal[-1, 0, 1] | None
    """The move's own value."""
    mistake: bool
    """Whether a better move is known."""


class AnalysedGame(GameRecord):
    """A finished game with what its moves were worth, as far as that could be worked out."""

    analysis: tuple[WeighedMove, ...]
    """In order of `ply`, without the moves that were taken back."""
    thrown_away_at: int | None
    """The ply of the mistake after which a side that did not win had nothing better any more."""
