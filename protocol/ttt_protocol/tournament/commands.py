"""The commands on the socket of an event: a closed union, discriminated by `type`.

The first command on a connection is `create`, `enter`, `watch` or `organise`.
"""

from typing import Annotated, Literal

from pydantic import Field

from ttt_protocol.base import Omissible
from ttt_protocol.commands import BaseCommand, ChatText, GivenToken, Name
from ttt_protocol.state import AiSetting, Mark, SessionId
from ttt_protocol.tournament.settings import Result, TournamentSettings

GivenId = Annotated[SessionId, Field(max_length=64)]


class Create(BaseCommand):
    """Create the event. The connection becomes its organiser's."""

    type: Literal["create"] = "create"
    title: Omissible[Name] = None
    settings: TournamentSettings


class Enter(BaseCommand):
    """Take part; with a token, as the same player. Without a name the server makes one up."""

    type: Literal["enter"] = "enter"
    name: Omissible[Name] = None
    token: Omissible[GivenToken] = Field(default=None, repr=False)
    bot: bool = False
    person: Omissible[GivenToken] = Field(default=None, repr=False)
    """As in a room's `join`."""


class Watch(BaseCommand):
    """Watch; with `boards`, as the wall does, also receive the liveliest boards."""

    type: Literal["watch"] = "watch"
    boards: bool = False


class Organise(BaseCommand):
    """Come back as an organiser."""

    type: Literal["organise"] = "organise"
    token: GivenToken = Field(repr=False)


class Withdraw(BaseCommand):
    """A player: stop being paired."""

    type: Literal["withdraw"] = "withdraw"


class Return(BaseCommand):
    """A player who withdrew: be paired again."""

    type: Literal["return"] = "return"


class RenamePlayer(BaseCommand):
    """A player: take another name. The organiser: give `player` another name."""

    type: Literal["rename"] = "rename"
    name: Name
    player: Omissible[GivenId] = None


class Start(BaseCommand):
    """Organiser: begin."""

    type: Literal["start"] = "start"


class Pause(BaseCommand):
    """Organiser: pair no players until `resume`. An arena's time and all clocks stop."""

    type: Literal["pause"] = "pause"


class Resume(BaseCommand):
    """Organiser: go on."""

    type: Literal["resume"] = "resume"


class Next(BaseCommand):
    """Organiser: begin the next round of an event with `manual`."""

    type: Literal["next"] = "next"


class Finish(BaseCommand):
    """Organiser: end early. Open games no longer count."""

    type: Literal["finish"] = "finish"


class Remove(BaseCommand):
    """Organiser: remove a player. An open game is lost."""

    type: Literal["remove"] = "remove"
    player: GivenId
    may_return: bool = True


class Excuse(BaseCommand):
    """Organiser: withdraw a player who has left."""

    type: Literal["excuse"] = "excuse"
    player: GivenId


class Doors(BaseCommand):
    """Organiser: open or close entry."""

    type: Literal["doors"] = "doors"
    open: bool


class Announce(BaseCommand):
    """Organiser: show a line to everyone. Without text, remove all lines."""

    type: Literal["announce"] = "announce"
    text: Omissible[ChatText] = None


class SetResult(BaseCommand):
    """Organiser: set the result of a game, marked as corrected."""

    type: Literal["result"] = "result"
    game: int
    result: Result


class Forfeit(BaseCommand):
    """Organiser: the player in this seat loses the open game."""

    type: Literal["forfeit"] = "forfeit"
    game: int
    seat: Mark


class Recreate(BaseCommand):
    """Organiser: replay an open game in another room."""

    type: Literal["recreate"] = "recreate"
    game: int


class Pair(BaseCommand):
    """Organiser: give an open game to other players."""

    type: Literal["pair"] = "pair"
    game: int
    X: GivenId
    O: GivenId  # noqa: E741 - its name on the board


class Invite(BaseCommand):
    """Organiser: get a token for a second organiser."""

    type: Literal["invite"] = "invite"


class AddAi(BaseCommand):
    """Organiser: add an AI as a player."""

    type: Literal["add_ai"] = "add_ai"
    ai: AiSetting


PlayerCommand = Withdraw | Return | RenamePlayer
_Course = Start | Pause | Resume | Next | Finish
_Players = Remove | Excuse | Doors | Announce
_Games = SetResult | Forfeit | Recreate | Pair
OrganiserCommand = _Course | _Players | _Games | Invite | AddAi
FirstCommand = Create | Enter | Watch | Organise
TournamentCommand = Annotated[
    FirstCommand | PlayerCommand | OrganiserCommand, Field(discriminator="type")
]

Rename = RenamePlayer
"""Deprecated: the name before 0.2."""
