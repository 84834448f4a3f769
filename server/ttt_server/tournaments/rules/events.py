"""The events of a tournament's log: a closed union of strict models, discriminated by `type`.

Each has a number, `seq`, counting from 1 without gaps, and a time, `at`, in Unix ms. `numbered`
gives them to the events of a decision.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ttt_protocol.base import absent
from ttt_protocol.faults import first_fault
from ttt_protocol.state import AiSetting, PersonId, RoomName, SessionId
from ttt_protocol.tournament.settings import EarlyEnd, Result, TournamentSettings
from ttt_server.core.errors import InvalidLog


class BaseTournamentEvent(BaseModel):
    """An event of a tournament."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", defer_build=True)

    seq: int = 0
    at: int = 0


class Opened(BaseTournamentEvent):
    """The tournament is created; `organiser` has the rights over it."""

    type: Literal["opened"] = "opened"
    title: str
    settings: TournamentSettings
    organiser: SessionId


class Invited(BaseTournamentEvent):
    """A second organiser."""

    type: Literal["invited"] = "invited"
    organiser: SessionId


class Entered(BaseTournamentEvent):
    """A player enters, perhaps as a person. `bonus`: half points for missed rounds."""

    type: Literal["entered"] = "entered"
    player: SessionId
    name: str
    ai: AiSetting | None = None
    bot: bool = False
    stand_in: bool = False
    bonus: int = 0
    person: PersonId | None = Field(default=None, exclude_if=absent)


class Renamed(BaseTournamentEvent):
    """A player takes another name."""

    type: Literal["renamed"] = "renamed"
    player: SessionId
    name: str


class Withdrew(BaseTournamentEvent):
    """A player is no longer paired, until they return."""

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
    """Entry is opened or closed."""

    type: Literal["doors_set"] = "doors_set"
    open: bool


class Begun(BaseTournamentEvent):
    """The tournament starts; an arena ends at `ends_at`."""

    type: Literal["begun"] = "begun"
    ends_at: int | None = None


class Called(BaseTournamentEvent):
    """The organiser begins the next round, without the absent players.

    `None` takes that back, because no round is possible without them.
    """

    type: Literal["called"] = "called"
    absent: tuple[SessionId, ...] | None


class RoundBegun(BaseTournamentEvent):
    """A round begins; its pairings follow."""

    type: Literal["round_begun"] = "round_begun"
    round: int


class Paired(BaseTournamentEvent):
    """Two players get a game in a room."""

    type: Literal["paired"] = "paired"
    game: int
    round: int
    X: SessionId
    O: SessionId  # noqa: E741 - its name on the board
    room: RoomName
    armageddon: bool = False
    again: bool = False


class Byed(BaseTournamentEvent):
    """A player sits out a round. `bonus`: the half points for it."""

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
    """The organiser changed the result of a game."""

    type: Literal["corrected"] = "corrected"
    game: int
    result: Result


class Announced(BaseTournamentEvent):
    """A line for everyone; an empty text removes all lines."""

    type: Literal["announced"] = "announced"
    text: str


class Paused(BaseTournamentEvent):
    """No players are paired until the tournament resumes."""

    type: Literal["paused"] = "paused"


class Resumed(BaseTournamentEvent):
    """The tournament resumes; an arena then ends at `ends_at`."""

    type: Literal["resumed"] = "resumed"
    ends_at: int | None = None


class Finished(BaseTournamentEvent):
    """The tournament is over. Open games no longer count."""

    type: Literal["finished"] = "finished"
    early: EarlyEnd | None = None
    """Why it ended before everything was played; `None` in older logs, too."""


_OfPeople = Opened | Invited | Entered | Renamed | Withdrew | Returned | Removed
_OfRounds = DoorsSet | Begun | Called | RoundBegun | Paired | Byed | Ended | Corrected
_OfTheWhole = Announced | Paused | Resumed | Finished

TournamentEvent = Annotated[_OfPeople | _OfRounds | _OfTheWhole, Field(discriminator="type")]

Decision = tuple[TournamentEvent, ...]


def numbered(after: int, at: int, *made: TournamentEvent) -> Decision:
    """Return events with this time, numbered from the one after `after`."""
    return tuple(
        event.model_copy(update={"seq": seq, "at": at}) for seq, event in enumerate(made, after + 1)
    )


_LATER = ConfigDict(defer_build=True)
_EVENT: TypeAdapter[TournamentEvent] = TypeAdapter(TournamentEvent, config=_LATER)


def encode(event: TournamentEvent) -> bytes:
    """Encode an event as one stored line of JSON, without nulls."""
    return _EVENT.dump_json(event, exclude_defaults=False, exclude_none=True)


def decode(line: bytes) -> TournamentEvent:
    """Read one stored event.

    Raises:
        InvalidLog: if the line is not an event of a tournament.
    """
    try:
        event = _EVENT.validate_json(line)
    except ValidationError as error:
        raise InvalidLog(f"not an event of a tournament: {first_fault(error).what}") from None
    if not {"seq", "at"} <= event.model_fields_set:
        raise InvalidLog("not an event of a tournament: it has no number or no time")
    return event
