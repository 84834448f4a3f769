"""The commands on the socket of an event: one closed union, with `type` as its discriminator.

The first command on a connection is `create`, `enter`, `watch` or `organise`.
"""

from typing import Annotated, Literal

from pydantic import Field

from ttt_protocol.base import Omissible
from ttt_protocol.commands import BaseCommand, ChatText, Name
from ttt_protocol.state import AiSetting, Mark, SessionId
from ttt_protocol.tournament.settings import Result, TournamentSettings

GivenToken = Annotated[str, Field(max_length=256)]
GivenId = Annotated[SessionId, Field(max_length=64)]


class Create(BaseCommand):
    """Make the event. The connection is its organiser's."""

    type: Literal["create"] = "create"
    title: Omissible[Name] = None
    settings: TournamentSettings


class Enter(BaseCommand):
    """Take part; with a token, as before. Without a name the server makes one."""

    type: Literal["enter"] = "enter"
    name: Omissible[Name] = None
    token: Omissible[GivenToken] = Field(default=None, repr=False)
    bot: bool = False


class Watch(BaseCommand):
    """Watch; with `boards`, as the wall does, and be told of the liveliest boards, too."""

    type: Literal["watch"] = "watch"
    boards: bool = False


class Organise(BaseCommand):
    """Come back as an organiser."""

    type: Literal["organise"] = "organise"
    token: GivenToken = Field(repr=False)


class Withdraw(BaseCommand):
    """A player: be paired no more."""

    type: Literal["withdraw"] = "withdraw"


class Return(BaseCommand):
    """A player who withdrew: be paired again."""

    type: Literal["return"] = "return"


class Rename(BaseCommand):
    """A player: have another name. The organiser: give `player` another name."""

    type: Literal["rename"] = "rename"
    name: Name
    player: Omissible[GivenId] = None


class Start(BaseCommand):
    """Organiser: begin."""

    type: Literal["start"] = "start"


class Pause(BaseCommand):
    """Organiser: pair no players until `resume`. An arena's time and all clocks stand still."""

    type: Literal["pause"] = "pause"


class Resume(BaseCommand):
    """Organiser: go on."""

    type: Literal["resume"] = "resume"


class Finish(BaseCommand):
    """Organiser: end early. Open games count no more."""

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
    """Organiser: let players enter, or no more."""

    type: Literal["doors"] = "doors"
    open: bool


class Announce(BaseCommand):
    """Organiser: a line of words on the wall. Without words all lines are taken down."""

    type: Literal["announce"] = "announce"
    text: Omissible[ChatText] = None


class SetResult(BaseCommand):
    """Organiser: give a game a result, marked as corrected."""

    type: Literal["result"] = "result"
    game: int
    result: Result


class Forfeit(BaseCommand):
    """Organiser: the player in this seat loses the open game."""

    type: Literal["forfeit"] = "forfeit"
    game: int
    seat: Mark


class Recreate(BaseCommand):
    """Organiser: play an open game anew, in another room."""

    type: Literal["recreate"] = "recreate"
    game: int


class Pair(BaseCommand):
    """Organiser: let others play an open game."""

    type: Literal["pair"] = "pair"
    game: int
    X: GivenId
    O: GivenId  # noqa: E741 - its name on the board


class Invite(BaseCommand):
    """Organiser: a token for a second organiser."""

    type: Literal["invite"] = "invite"


class AddAi(BaseCommand):
    """Organiser: an AI takes part."""

    type: Literal["add_ai"] = "add_ai"
    ai: AiSetting


PlayerCommand = Withdraw | Return | Rename
OrganiserCommand = (
    Start
    | Pause
    | Resume
    | Finish
    | Remove
    | Excuse
    | Doors
    | Announce
    | SetResult
    | Forfeit
    | Recreate
    | Pair
    | Invite
    | AddAi
)
FirstCommand = Create | Enter | Watch | Organise
TournamentCommand = Annotated[
    FirstCommand | PlayerCommand | OrganiserCommand, Field(discriminator="type")
]
