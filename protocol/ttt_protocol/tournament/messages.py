"""The messages from the socket of an event: its state, and each player's own game."""

from operator import not_
from typing import Annotated, Literal

from pydantic import Field

from ttt_protocol.base import FromServer, absent
from ttt_protocol.messages import Goodbye, Refused
from ttt_protocol.state import Game, Mark, RoomName, Rules, SessionId, Token
from ttt_protocol.tournament.settings import (
    EarlyEnd,
    Form,
    Result,
    TournamentName,
    TournamentSettings,
)


class Standing(FromServer):
    """A player's row in the standings. Points are real ones: 1 for a win, 0.5 for a draw."""

    rank: int
    id: SessionId
    name: str
    kind: Literal["human", "ai", "bot"]
    status: Literal["active", "withdrawn"]
    points: float
    wins: int
    draws: int
    losses: int
    byes: int
    buchholz: float
    sonneborn_berger: float
    streak: int
    present: bool
    elo: float | None = Field(default=None, exclude_if=absent)
    """The rating within the event, once it is over and only over HTTP; the average is 0."""
    elo_error: float | None = Field(default=None, exclude_if=absent)
    """Half the width of its 95 % interval."""
    left_out: bool = Field(default=False, exclude_if=not_)
    """Whether the player's results do not count, after leaving a round-robin early."""


class TournamentGame(FromServer):
    """A game of the event."""

    number: int
    round: int
    room: RoomName
    X: str
    """The player's name."""
    O: str  # noqa: E741 - its name on the wire
    ids: tuple[SessionId, SessionId]
    result: Result | None
    reason: str
    corrected: bool
    armageddon: bool
    again: bool = Field(default=False, exclude_if=not_)
    """Whether the two had just met, as no other player was free. Absent if not."""


class BracketTie(FromServer):
    """A tie of a knockout: names, or null for an empty or undecided place."""

    first: str | None
    second: str | None
    winner: str | None


class TournamentState(FromServer):
    """The public state of an event. Lists are cut on the socket and complete over HTTP."""

    name: TournamentName
    title: str
    seq: int
    form: Form
    settings: TournamentSettings
    status: Literal["created", "running", "paused", "finished"]
    doors_open: bool
    round: int
    rounds: int | None
    """The total, if it is known."""
    started_at: int | None
    """Unix ms."""
    ends_at: int | None
    """When an arena ends, in Unix ms; null for other forms."""
    now: int
    """The server's clock, in Unix ms."""
    players: int
    standings: tuple[Standing, ...]
    games: tuple[TournamentGame, ...]
    """The games under way, then the ended ones, latest first."""
    waiting_for: tuple[str, ...]
    """The absent players whom the round waits for."""
    bracket: tuple[tuple[BracketTie, ...], ...] | None
    announcements: tuple[str, ...]
    awaits: Literal["next"] | None = Field(default=None, exclude_if=absent)
    """`next` while an event with `manual` waits for the organiser to begin a round."""
    ended_early: EarlyEnd | None = Field(default=None, exclude_if=absent)
    """Why the event ended before everything was played. Absent if it did not."""


class EventSummary(FromServer):
    """An event in the list for all."""

    event: TournamentName
    title: str
    form: Form
    rules: Rules
    status: Literal["created", "running", "paused"]
    players: int
    round: int


class EventList(FromServer):
    """The public events that are open or under way, newest first."""

    events: tuple[EventSummary, ...]


class OwnGame(FromServer):
    """A player's game: its room, and the token of the seat."""

    number: int
    room: RoomName
    seat: Mark
    token: Token = Field(repr=False)
    opponent: str
    again: bool = Field(default=False, exclude_if=not_)
    """As in the games of the event."""


class TournamentYou(FromServer):
    """The role of the connection in the event."""

    role: Literal["player", "organiser", "watcher"]
    id: SessionId | None = None
    name: str | None = None
    token: Token | None = Field(default=None, repr=False)


class TournamentWelcome(FromServer):
    """The answer to the first command."""

    type: Literal["welcome"] = "welcome"
    protocol: str
    server: str
    you: TournamentYou
    event: TournamentState


class TournamentUpdate(FromServer):
    """The current state of the event; at most once a second."""

    type: Literal["event"] = "event"
    event: TournamentState


class WallBoard(FromServer):
    """A game and its board, as spectators see it."""

    number: int
    """The game's in the event."""
    room: RoomName
    X: str
    """The player's name."""
    O: str  # noqa: E741 - its name on the wire
    game: Game
    """The game without its clock."""


class Boards(FromServer):
    """The liveliest boards, at most 15, for those who asked for them; at most once a second.

    A board keeps its place in the list if it can, and stays for some seconds after its game has
    ended.
    """

    type: Literal["boards"] = "boards"
    boards: tuple[WallBoard, ...]


class YourGames(FromServer):
    """The player's current games."""

    type: Literal["games"] = "games"
    games: tuple[OwnGame, ...]


class Invitation(FromServer):
    """The answer to `invite`: the token of a second organiser."""

    type: Literal["invitation"] = "invitation"
    token: Token = Field(repr=False)


class RemovedPlayer(FromServer):
    """A player whom an organiser removed."""

    id: SessionId
    name: str
    may_return: bool
    """Whether the player may enter again. `remove` with `may_return` changes it."""


class RemovedPlayers(FromServer):
    """The removed players who are not back; only for organisers."""

    type: Literal["removed"] = "removed"
    players: tuple[RemovedPlayer, ...]


_Own = TournamentWelcome | TournamentUpdate | Boards | YourGames | Invitation | RemovedPlayers
TournamentMessage = Annotated[_Own | Refused | Goodbye, Field(discriminator="type")]
