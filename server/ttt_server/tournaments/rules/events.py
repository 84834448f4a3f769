"""The events of a tournament's log: a closed union of strict models, told apart by `type`.

Each has a number, `seq`, without gaps from 1, and a time `at` in Unix ms.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ttt_protocol.faults import first_fault
from ttt_protocol.state import AiSetting, RoomName, SessionId
from ttt_protocol.tournament.settings import EarlyEnd, Result, TournamentSettings
from ttt_server.core.errors import InvalidLog


class BaseTournamentEvent(BaseModel):
    """An event of a tournament."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", defer_build=True)

    seq: int
    at: int


class Opened(BaseTournamentEvent):
    """The tournament begins its life; `organiser` has its rights."""

    type: Literal["opened"] = "opened"
    title: str
    settings: TournamentSettings
    organiser: SessionId


class Invited(BaseTournamentEvent):
    """A second organiser."""

    type: Literal["invited"] = "invited"
    organiser: SessionId


class Entered(BaseTournamentEvent):
    """A player enters. `bonus`: half points for rounds that were missed."""

    type: Literal["entered"] = "entered"
    player: SessionId
    name: str
    ai: AiSetting | None = None
    bot: bool = False
    stand_in: bool = False
    bonus: int = 0


class Renamed(BaseTournamentEvent):
    """A player has another name."""

    type: Literal["renamed"] = "renamed"
    player: SessionId
    name: str


class Withdrew(BaseTournamentEvent):
    """A player is not paired any more, until they return."""

    type: Literal["withdrew"] = "withdrew"
    player: SessionId


class Returned(BaseTournamentEvent):
    """A player who withdrew is paired again."""

    type: Literal["returned"] = "returned"
    player: SessionId


class Removed(BaseTournamentEvent):
    """The organiser removed a player."""

    type: Literal["removed"] = "removed"
    player: SessionId
    may_return: bool


class DoorsSet(BaseTournamentEvent):
    """Players may enter, or may not any more."""

    type: Literal["doors_set"] = "doors_set"
    open: bool


class Begun(BaseTournamentEvent):
    """The tournament starts; an arena ends at `ends_at`."""

    type: Literal["begun"] = "begun"
    ends_at: int | None = None


class RoundBegun(BaseTournamentEvent):
    """A round begins: its pairings follow."""

    type: Literal["round_begun"] = "round_begun"
    round: int


class Paired(BaseTournamentEvent):
    """Two players are to play a game in a room."""

    type: Literal["paired"] = "paired"
    game: int
    round: int
    X: SessionId
    O: SessionId  # noqa: E741 - its name on the board
    room: RoomName
    armageddon: bool = False
    again: bool = False


class Byed(BaseTournamentEvent):
    """A player is left over in a round. `bonus`: the half points for it."""

    type: Literal["byed"] = "byed"
    round: int
    player: SessionId
    bonus: int


class Ended(BaseTournamentEvent):
    """A game has its result."""

    type: Literal["ended"] = "ended"
    game: int
    result: Result
    reason: str


class Corrected(BaseTournamentEvent):
    """The organiser gave a game another result."""

    type: Literal["corrected"] = "corrected"
    game: int
    result: Result


class Announced(BaseTournamentEvent):
    """A line of words for everyone; an empty one takes them all down."""

    type: Literal["announced"] = "announced"
    text: str


class Paused(BaseTournamentEvent):
    """Nothing is paired until the tournament goes on."""

    type: Literal["paused"] = "paused"


class Resumed(BaseTournamentEvent):
    """The tournament goes on; an arena then ends at `ends_at`."""

    type: Literal["resumed"] = "resumed"
    ends_at: int | None = None


class Finished(BaseTournamentEvent):
    """The tournament is over. Open games no longer count."""

    type: Literal["finished"] = "finished"
    early: EarlyEnd | None = None
    """Why it ended before all was played; `None` in logs of older versions, too."""


TournamentEvent = Annotated[
    Opened
    | Invited
    | Entered
    | Renamed
    | Withdrew
    | Returned
    | Removed
    | DoorsSet
    | Begun
    | RoundBegun
    | Paired
    | Byed
    | Ended
    | Corrected
    | Announced
    | Paused
    | Resumed
    | Finished,
    Field(discriminator="type"),
]

Decision = tuple[TournamentEvent, ...]

_EVENT: TypeAdapter[TournamentEvent] = TypeAdapter(
    TournamentEvent, config=ConfigDict(defer_build=True)
)


def encode(event: TournamentEvent) -> bytes:
    """Encode an event as it is stored: one line of JSON without defaults."""
    return _EVENT.dump_json(event, exclude_defaults=False, exclude_none=True)


def decode(line: bytes) -> TournamentEvent:
    """Read one stored event.

    Raises:
        InvalidLog: if the line is not an event of a tournament.
    """
    try:
        return _EVENT.validate_json(line)
    except ValidationError as error:
        raise InvalidLog(f"not an event of a tournament: {first_fault(error).what}") from None
