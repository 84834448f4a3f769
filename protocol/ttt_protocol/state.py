"""The nouns that commands, messages and events share."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from operator import not_
from typing import Annotated, Generic, Literal, NewType, Self, TypeVar

from pydantic import AfterValidator, Field, model_validator

from ttt_protocol.base import FromClient, Maybe, Omissible, Plain, absent
from ttt_protocol.codes import Choice, Opening, Reason, Word
from ttt_protocol.text import clean

SUBPROTOCOL = "ttt.v1"
MAX_FRAME = 4096
"""Bytes of one frame from a client. The server's default limit."""

RoomName = NewType("RoomName", str)
SessionId = NewType("SessionId", str)
"""A player's public id."""
PersonId = NewType("PersonId", str)
"""The public id of a person, who keeps a name on the server."""
Token = NewType("Token", str)
"""The secret that owns a seat."""

T = TypeVar("T")

_ROOM_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,31}")


class InvalidRoomName(ValueError):
    """The text is not 1 to 32 of a-z, 0-9 and `-`, beginning with a letter or digit."""


def parse_room_name(text: str) -> RoomName:
    """Fold ASCII upper case to lower case, and check the name.

    Raises:
        InvalidRoomName: if the text does not name a room.
    """
    if not _ROOM_NAME.fullmatch(text):
        raise InvalidRoomName("a room's name is 1 to 32 of a-z, 0-9 and -, not beginning with -")
    return RoomName(text.lower())


class ChatMode(Word):
    """Who may chat in a room."""

    ALL = "all"
    PLAYERS = "players"
    OFF = "off"


MAX_DELAY_S = 3600


def is_plain(opening: Opening) -> bool:
    """Return whether an opening is the default, which is left out."""
    return opening is Opening.NONE


def _is_for_all(mode: ChatMode) -> bool:
    """Return whether a chat mode is the default, which is left out."""
    return mode is ChatMode.ALL


class Mark(Word):
    """A side, and the mark that it places. X moves first."""

    X = "X"
    O = "O"  # noqa: E741 - its name on the board

    @property
    def other(self) -> "Mark":
        return _O if self is _X else _X


_X, _O = Mark
"""An attribute of an enumeration takes 0.1 us in Python 3.11, a global 0.01 us."""


VariantName = Annotated[str, Field(min_length=1, max_length=32)]


class Rules(FromClient):
    """A board, and the length of a line that wins on it."""

    columns: int = Field(default=3, ge=3, le=19)
    rows: int = Field(default=3, ge=3, le=19)
    in_a_row: int = Field(default=3, ge=3, le=19)
    gravity: bool = False
    """Marks fall to the lowest empty cell of their column."""
    exact: bool = Field(default=False, exclude_if=not_)
    """Whether only a row of exactly `in_a_row` marks wins. Absent if a longer one does."""
    variant: Annotated[Omissible[VariantName], Field(exclude_if=absent)] = None
    """Another game of the family; the server fills in the rest of its board. Absent for the plain
    game."""

    @model_validator(mode="after")
    def _line_fits(self) -> Self:
        if self.variant is None and self.in_a_row > max(self.columns, self.rows):
            raise ValueError("in_a_row is longer than the board")
        return self


class AiSetting(FromClient):
    """An AI for a seat. Without `level` the strategy takes its own default, if it has levels."""

    strategy: str = Field(min_length=1, max_length=64)
    level: int | None = Field(default=None, ge=0, le=9)


SeatSetting = Literal["human"] | AiSetting


class SeatSettings(FromClient):
    """Who plays in each seat: a human, or an AI."""

    X: SeatSetting = "human"
    O: SeatSetting = "human"  # noqa: E741 - its name on the wire

    def __getitem__(self, mark: Mark) -> SeatSetting:
        return self.X if mark is Mark.X else self.O

    @property
    def all_ai(self) -> bool:
        return "human" not in (self.X, self.O)

    @property
    def all_human(self) -> bool:
        return self.X == self.O == "human"


_MOST_CELLS = 19 * 19
_Cell = Annotated[int, Field(ge=0, le=_MOST_CELLS - 1)]
Cells = Annotated[tuple[_Cell, ...], Field(max_length=_MOST_CELLS)]
"""Cells in the order of the moves."""

DAY_S = 86_400
Seconds = Annotated[int | float, Field(ge=0, le=DAY_S, allow_inf_nan=False)]
Delay = Annotated[int | float, Field(ge=0, le=MAX_DELAY_S, allow_inf_nan=False)]
Days = Omissible[Annotated[int, Field(ge=1, le=14)]]
"""Days of real time for each move."""
ONE_CLOCK = "a game has a clock or days a move, not both"


def _cleaned_lines(text: str) -> str:
    """Return the lines cleaned, without empty ones at the end. A second time changes nothing."""
    return "\n".join(clean(line) for line in text.splitlines()).rstrip("\n")


LogText = Annotated[str, Field(max_length=1024), AfterValidator(_cleaned_lines)]
Milliseconds = Annotated[int | float, Field(ge=0, le=DAY_S * 1000, allow_inf_nan=False)]
MoveValues = dict[str, Annotated[int | float, Field(allow_inf_nan=False)]]


class MoveLog(FromClient):
    """What a program thought about its move. Every field may be absent."""

    reason: Omissible[LogText] = Field(default=None, exclude_if=absent)
    values: Omissible[MoveValues] = Field(default=None, exclude_if=absent)
    """Its score of each cell: `{"4": 0.5}`."""
    time_ms: Omissible[Milliseconds] = Field(default=None, exclude_if=absent)
    """How long it thought, measured at its pipe."""
    round_trip_ms: Omissible[Milliseconds] = Field(default=None, exclude_if=absent)
    """The last round trip of a ping on its connection."""
    stderr: Omissible[LogText] = Field(default=None, exclude_if=absent)
    """What it wrote to standard error meanwhile."""


class ClockSetting(FromClient):
    """A Fischer clock: a time for all moves, and an increment for each move."""

    initial_s: Annotated[int | float, Field(gt=0, le=7 * DAY_S, allow_inf_nan=False)]
    increment_s: Seconds = 0


class Settings(FromClient):
    """The settings of a room, fixed when it is created. The password is never sent back."""

    rules: Rules = Rules()
    seats: SeatSettings = SeatSettings()
    clock: ClockSetting | None = None
    grace_s: Seconds = 60
    public: bool = True
    spectators: bool = True
    hints: bool = False
    games: int = Field(default=1, ge=1, le=1000)
    pace_s: Seconds = 0
    bots: bool = Field(default=True, exclude_if=bool)
    """Whether programs may take a seat. Absent if they may."""
    chat: ChatMode = Field(default=ChatMode.ALL, exclude_if=_is_for_all)
    """Who may chat at first. Absent if all may."""
    start: Cells = Field(default=(), exclude_if=not_)
    """The moves before the start of every game. Absent for the empty board."""
    opening: Opening = Field(default=Opening.NONE, exclude_if=is_plain)
    """How the players make the beginning of each game fair. Absent if they do not."""
    delay_s: Delay = Field(default=0, exclude_if=not_)
    """How late spectators see the games. Absent without a delay."""
    days: Days = Field(default=None, exclude_if=absent)
    """How many days the side to act has for each move. Absent without such a limit."""
    rated: bool = Field(default=False, exclude_if=not_)
    """Whether the games count for the ratings of the players, who are persons. Absent if not."""

    @model_validator(mode="after")
    def _one_clock(self) -> Self:
        if self.days is not None and self.clock is not None:
            raise ValueError(ONE_CLOCK)
        return self


DEFAULT_SETTINGS = Settings()
"""The settings of a room made without any."""


class GivenSettings(Settings):
    """Settings as a `join` gives them. Fields that are left out are not compared."""

    # `model_fields_set` holds the fields that were given.

    pace_s: Omissible[Seconds] = None  # type: ignore[assignment]  # the default depends on the seats
    chat: ChatMode = ChatMode.ALL
    password: Omissible[Annotated[str, Field(min_length=1, max_length=128)]] = Field(
        default=None, repr=False
    )


@dataclass(slots=True, kw_only=True, unsafe_hash=True)  # `BySeat[bool]()` cannot be frozen in 3.11
class BySeat(Plain, Generic[T]):
    """A value for each seat."""

    X: T
    O: T  # noqa: E741 - its name on the wire

    def __getitem__(self, mark: Mark) -> T:
        return self.X if mark is _X else self.O


@dataclass(frozen=True, slots=True, kw_only=True)
class Human(Plain):
    """A human player, as in an event."""

    kind: Literal["human"] = field(default="human", init=False)
    id: SessionId
    name: str
    bot: Annotated[bool, Field(exclude_if=not_)] = False
    """Whether a program plays, as its client said at `join`. Absent for a human."""
    person: Maybe[PersonId] = None
    """Who plays, if the name is kept on the server. Absent for a guest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ai(Plain):
    """An AI, as in an event. `level` is null where the strategy has no levels."""

    kind: Literal["ai"] = field(default="ai", init=False)
    id: None = None
    name: str
    strategy: str
    level: int | None


Player = Annotated[Human | Ai, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanSeat(Human):
    """A human in a seat. `connected`: whether the player has a connection."""

    connected: bool
    away_since: Maybe[int] = None
    """Since when the player is not connected, in Unix milliseconds. Absent while connected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AiSeat(Ai):
    """An AI in a seat. It is always connected."""

    connected: bool = True


Seat = Annotated[HumanSeat | AiSeat, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Plain):
    """How a game ended. `line`: all cells of the winning lines, ascending."""

    winner: Mark | None
    reason: Reason
    line: tuple[int, ...] | None = None

    def to_json(self) -> bytes:
        return _outcome_json(self)


@lru_cache(maxsize=1024)  # the games of a small board end in few ways
def _outcome_json(outcome: Outcome) -> bytes:
    return Plain.to_json(outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLeft(Plain):
    """The milliseconds that each side has left."""

    X: int
    O: int  # noqa: E741 - its name on the wire

    def __getitem__(self, mark: Mark) -> int:
        return self.X if mark is _X else self.O

    def with_(self, mark: Mark, left: int) -> "TimeLeft":
        return TimeLeft(X=left, O=self.O) if mark is _X else TimeLeft(X=self.X, O=left)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock(TimeLeft):
    """Milliseconds left at the time of sending, and the side whose clock runs."""

    running: Mark | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Plain):
    """A game as it stands."""

    number: int
    board: str
    """`.`, `X` or `O` for each cell, row by row."""
    turn: Mark
    """The seat that is to place the next mark, or to choose."""
    choosing: Maybe[Mark] = None
    """The seat that is to `choose`: that of `turn`. Absent while a mark is to be placed."""
    choices: Annotated[tuple[Choice, ...], Field(exclude_if=not_)] = ()
    """The choices of that seat. Absent with `choosing`."""
    to_place: Annotated[int, Field(exclude_if=not_)] = 0
    """How many marks that seat places in an opening before the other chooses. Absent if none."""
    legal: Maybe[tuple[int, ...]] = None
    """In a variant, the cells that may be played, where they are not every empty cell, or with
    gravity the lowest. Absent elsewhere, as are the next three."""
    boards: Maybe[str] = None
    """Ultimate: `.` open, `X` or `O` won, `=` full, for each small board."""
    leaving: "Maybe[BySeat[int | None]]" = None
    """Vanishing: the cell whose mark goes with the next mark of that side, or null."""
    marks: Maybe[int] = None
    """Connect6: how many marks the side to act still places in this turn."""
    ply: int
    """The number of moves made."""
    moves: tuple[int, ...]
    """The cells of the moves, in order."""
    outcome: Outcome | None
    unrated: Maybe[str] = None
    """As in the event `ended`."""
    clock: Clock | None


class OfferKind(Word):
    """The kinds of offers between the players."""

    DRAW = "draw"
    TAKEBACK = "takeback"
    REMATCH = "rematch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers(Plain):
    """For each kind, the seat whose offer is open."""

    draw: Mark | None = None
    takeback: Mark | None = None
    rematch: Mark | None = None

    def __getitem__(self, kind: OfferKind) -> Mark | None:
        offerer: Mark | None = getattr(self, kind)  # a field for each kind
        return offerer

    def to_json(self) -> bytes:
        seats = _mark_json(self.draw), _mark_json(self.takeback), _mark_json(self.rematch)
        return b'{"draw":%b,"takeback":%b,"rematch":%b}' % seats


def _mark_json(mark: Mark | None) -> bytes:
    return b"null" if mark is None else b'"%b"' % mark.encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Score(Plain):
    """Games won, by the winner's present seat, and games drawn."""

    X: int = 0
    O: int = 0  # noqa: E741 - its name on the wire
    draws: int = 0

    def to_json(self) -> bytes:
        return b'{"X":%d,"O":%d,"draws":%d}' % (self.X, self.O, self.draws)


class ModerationAction(Word):
    """The actions of the host of a room."""

    CHAT = "chat"
    """Set who may chat."""
    MUTE = "mute"
    UNMUTE = "unmute"
    REMOVE = "remove"
    CLEAR = "clear"
    """Clear the chat for all."""


class Status(Word):
    """The present state of a room."""

    WAITING = "waiting"
    """A seat is empty."""
    PLAYING = "playing"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomState(Plain):
    """The whole room: all that a client needs to draw it."""

    name: RoomName
    seq: int
    """The number of events of the room so far."""
    status: Status
    locked: bool
    settings: Settings
    seats: BySeat[Seat | None]
    """An empty seat is null."""
    game: Game | None
    offers: Offers
    score: Score
    spectators: int
    chat: Annotated[ChatMode, Field(exclude_if=_is_for_all)] = ChatMode.ALL
    """Who may chat now. Absent if all may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(Plain):
    """A room in the lobby."""

    name: RoomName
    status: Status
    rules: Rules
    seats: BySeat[str | None]
    ply: int
    spectators: int
    locked: bool
    changed_at: Maybe[int] = None
    """The time of the room's last event, in Unix milliseconds."""
    deserted: Maybe[Literal[True]] = None
    """Whether no player is connected. Absent while one is, and for two AIs."""
    ais: Maybe[Literal[True]] = None
    """Whether AIs have both seats. Absent where they do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought(Plain):
    """The board, clock and opening that a player seeks in a quick match."""

    rules: Rules
    clock: Maybe[ClockSetting] = None
    """Absent without a clock."""
    opening: Annotated[Opening, Field(exclude_if=is_plain)] = Opening.NONE
    """As in the settings of a room."""


class Role(Word):
    """The role of a member of a room."""

    PLAYER = "player"
    SPECTATOR = "spectator"


@dataclass(frozen=True, slots=True, kw_only=True)
class You(Plain):
    """The member on this connection. `id`, `seat` and `token` are null for a spectator."""

    id: SessionId | None
    role: Role
    seat: Mark | None
    name: str
    token: Token | None = field(repr=False)
    from_: Annotated[Maybe[SessionId], Field(alias="from")] = None
    """The public id in what this member says: a player's `id`, or one for a spectator."""
    host: Maybe[Literal[True]] = None
    """Whether this member is the host and may `moderate`. Absent if not."""
    watch: Maybe[Token] = field(default=None, repr=False)
    """The secret with which a spectator comes back without the password. Absent for a player."""
