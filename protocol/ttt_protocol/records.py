"""Games as they are read over HTTP and exported."""

from operator import not_
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ttt_protocol import state
from ttt_protocol.base import FromServer
from ttt_protocol.events import Declined, Ended, Event, Offered, OfGame, Played, Started

GameEvent = Annotated[OfGame, Field(discriminator="type")]
_LAST_MS = 253_402_300_799_999
"""The end of the year 9999, in Unix ms."""


class GameRecord(FromServer):
    """A game of a room, to replay it. `events` are those of the game, in order of `seq`."""

    room: state.RoomName
    game: int
    """Its number in the room."""
    rules: state.Rules
    start: state.Cells = Field(default=(), exclude_if=not_)
    """The moves before its start. Absent for the empty board."""
    seats: state.BySeat[state.Player | None]
    """The players at its start."""
    boards: tuple[str, ...] = Field(default=(), exclude_if=not_)
    """In a variant, the board after each move that was not taken back, those of the start included.
    Absent in the plain game."""
    events: tuple[Event, ...]

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return isinstance(self.events[-1], Ended)


class WeighedMove(FromServer):
    """A move that was not taken back, and its evaluation, for the side that made it."""

    ply: int
    """The number of moves made before it."""
    seat: state.Mark
    cell: int
    values: dict[str, Literal[-1, 0, 1] | None]
    """The value of each legal cell: loss, draw or win; null where unknown. May be empty."""
    worth: Literal[-1, 0, 1] | None
    """The move's own value."""
    mistake: bool
    """Whether a better move is known."""


class AnalysedGame(GameRecord):
    """A finished game with an evaluation of its moves, as far as the search got."""

    analysis: tuple[WeighedMove, ...]
    """In order of `ply`, without the moves that were taken back."""
    thrown_away_at: int | None
    """The ply of the last mistake of a side that did not win."""


class ExportedGame(GameRecord):
    """A game with all that a room needs to take it back: a line of an export.

    Events are numbered within the game: the first has `seq` 1, and is `started`.
    """

    version: Literal[1] = 1
    """The version of this format."""
    settings: state.Settings
    """The settings of the room. Their `rules` are those of the game."""
    locked: bool
    """Whether the room has a password, which is never exported."""
    events: tuple[GameEvent, ...]

    @property
    def began_at(self) -> int:
        """The time of the game's start, in Unix ms."""
        return self.events[0].at

    @model_validator(mode="after")
    def _is_a_game(self) -> Self:
        if not self.events or not isinstance(self.events[0], Started):
            raise ValueError("the first event is not the start of a game")
        if not 0 <= self.began_at <= _LAST_MS:
            raise ValueError("the game begins at an impossible time")
        if state.parse_room_name(self.room) != self.room:
            raise ValueError("the room's name has capitals")
        if self.settings.rules != self.rules:
            raise ValueError("the settings are for another board")
        if self.settings.start != self.start:
            raise ValueError("the settings are for another start")
        cells = self.rules.columns * self.rules.rows
        for number, event in enumerate(self.events, 1):
            if event.seq != number:
                raise ValueError(f"event {number} says that it is {event.seq}")
            if isinstance(event, Started) is not (number == 1):
                raise ValueError(f"event {number} starts another game")
            if not isinstance(event, Offered | Declined) and event.game != self.game:
                raise ValueError(f"event {number} is of another game")
            if isinstance(event, Played) and not 0 <= event.cell < cells:
                raise ValueError(f"event {number} is off the board")
            if isinstance(event, Ended) and number < len(self.events):
                raise ValueError(f"event {number} ends the game before its last event")
        return self
