"""The commands of a client: one closed union, with `type` as its discriminator."""

from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from ttt_protocol import state
from ttt_protocol.base import FromClient, Omissible
from ttt_protocol.codes import Choice, Opening
from ttt_protocol.text import clean, is_blank, is_clean

UNNAMED: Final = "guest"
"""The name of a member who gives none."""

CommandId = Annotated[str, Field(min_length=1, max_length=64)]


def _clean_name(name: str) -> str:
    if not is_clean(name) or is_blank(name):
        raise ValueError("must be printable, without control or invisible characters")
    return name


def _cleaned_text(text: str) -> str:
    if is_blank(kept := clean(text).strip()):
        raise ValueError("has nothing to show")
    return kept


Name = Annotated[str, Field(min_length=1, max_length=24), AfterValidator(_clean_name)]
GivenToken = Annotated[str, Field(max_length=256)]
ClaimKey = Annotated[str, Field(min_length=16, max_length=64)]
MemberId = Annotated[state.SessionId, Field(min_length=1, max_length=64)]
ForfeitDetail = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_cleaned_text)]
ChatText = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_cleaned_text)]


class BaseCommand(FromClient):
    id: Omissible[CommandId] = None
    """Repeated in a refusal of this command."""


class Join(BaseCommand):
    """The first command on a connection."""

    type: Literal["join"] = "join"
    name: Name = UNNAMED
    role: state.Role = state.Role.PLAYER
    seat: Omissible[state.Mark] = None
    bot: bool = False
    """Whether a program plays, which everyone in the room is told."""
    token: Omissible[GivenToken] = Field(default=None, repr=False)
    settings: Omissible[state.GivenSettings] = None
    password: Omissible[Annotated[str, Field(max_length=128)]] = Field(default=None, repr=False)
    watch: Omissible[GivenToken] = Field(default=None, repr=False)
    """A spectator's `you.watch` of an earlier welcome, in place of the password."""
    claim_key: Omissible[ClaimKey] = Field(default=None, repr=False)
    """A secret that the client makes. Sent again, it finds the seat of a lost welcome."""
    person: Omissible[GivenToken] = Field(default=None, repr=False)
    """The token of the person who joins, under the name that they keep on this server."""


class Play(BaseCommand):
    """A move: `ply` is the number of moves made before it."""

    type: Literal["play"] = "play"
    game: int
    ply: int
    cell: int
    log: Omissible[state.MoveLog] = None
    """What a program thought about its move. Only for a seat with `bot`."""


class Choose(BaseCommand):
    """A choice in the opening of a game: `ply` is the number of moves made before it."""

    type: Literal["choose"] = "choose"
    game: int
    ply: int
    choice: Choice


class Resign(BaseCommand):
    """Give up the running game. The other player wins it."""

    type: Literal["resign"] = "resign"
    game: int
    detail: Omissible[ForfeitDetail] = None
    """Why a program cannot go on; the game ends by `forfeit`. Only for a seat with `bot`."""


class Offer(BaseCommand):
    """Offer the other player something. If both offer the same, they agree."""

    type: Literal["offer"] = "offer"
    kind: state.OfferKind


class Accept(BaseCommand):
    """Accept the other player's offer."""

    type: Literal["accept"] = "accept"
    kind: state.OfferKind


class Decline(BaseCommand):
    """Decline the other player's offer."""

    type: Literal["decline"] = "decline"
    kind: state.OfferKind


class Claim(BaseCommand):
    """Win the game against an opponent who is to act and has been gone for too long."""

    type: Literal["claim"] = "claim"
    game: int


class Fill(BaseCommand):
    """Seat an AI where nobody sits, or a human has been gone for too long."""

    type: Literal["fill"] = "fill"
    seat: state.Mark
    strategy: str = Field(min_length=1, max_length=64)
    level: Omissible[Annotated[int, Field(ge=0, le=9)]] = None


class AskHint(BaseCommand):
    """Ask for the best moves. Only for the player to move, in a room with hints."""

    type: Literal["hint"] = "hint"


class Say(BaseCommand):
    """Chat with everyone in the room. The server cleans the text."""

    type: Literal["say"] = "say"
    text: ChatText


class Leave(BaseCommand):
    """Give up the seat for good, and end the connection."""

    type: Literal["leave"] = "leave"


class Rename(BaseCommand):
    """Take another name, in the seat or as a spectator."""

    type: Literal["rename"] = "rename"
    name: Name


class Moderate(BaseCommand):
    """Moderate the chat and the members. Only for the host.

    `chat` comes with the action `chat`, and `from` with `mute`, `unmute` and `remove`.
    """

    type: Literal["moderate"] = "moderate"
    action: state.ModerationAction
    chat: Omissible[state.ChatMode] = None
    from_: Omissible[MemberId] = Field(default=None, alias="from")
    """The public id of a member, as in `said`."""

    @model_validator(mode="after")
    def _has_what_the_action_needs(self) -> Self:
        needs_chat = self.action is state.ModerationAction.CHAT
        needs_from = not needs_chat and self.action is not state.ModerationAction.CLEAR
        fields = ("chat", self.chat, needs_chat), ("from", self.from_, needs_from)
        for name, value, is_needed in fields:
            if (value is not None) is not is_needed:
                needs = "needs" if is_needed else "has no"
                raise ValueError(f"the action {self.action.value} {needs} {name}")
        return self


class Seek(BaseCommand):
    """Wait on `/ws/play` for a player who wants the same. Replaces an earlier `seek`."""

    type: Literal["seek"] = "seek"
    rules: state.Rules = state.Rules()
    clock: state.ClockSetting | None = None
    opening: Opening = Field(default=Opening.NONE, exclude_if=state.is_plain)
    """As in the settings of a room."""
    ai: bool = False
    """Play an AI at once instead."""


_OfGame = Play | Choose | Resign | Offer | Accept | Decline | Claim
_OfRoom = Fill | AskHint | Say | Leave | Rename | Moderate
Command = Annotated[Join | _OfGame | _OfRoom | Seek, Field(discriminator="type")]
