"""What a client says to a server: one closed union, told apart by `type`."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from ttt_protocol.state import Given, GivenSettings, Mark, OfferKind, Omissible, Role
from ttt_protocol.text import clean, is_blank, is_clean

CommandId = Annotated[str, Field(min_length=1, max_length=64)]


def _clean_name(name: str) -> str:
    if not is_clean(name) or is_blank(name):
        raise ValueError("must be printable, with no control or invisible characters")
    return name


def _cleaned_text(text: str) -> str:
    if is_blank(kept := clean(text).strip()):
        raise ValueError("has nothing to show")
    return kept


Name = Annotated[str, Field(min_length=1, max_length=24), AfterValidator(_clean_name)]
ChatText = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_cleaned_text)]


class BaseCommand(Given):
    id: Omissible[CommandId] = None
    """Comes back in a refusal of this command."""


class Join(BaseCommand):
    """The first command on a connection."""

    type: Literal["join"] = "join"
    name: Name = "guest"
    role: Role = Role.PLAYER
    seat: Omissible[Mark] = None
    token: Omissible[Annotated[str, Field(max_length=256)]] = Field(default=None, repr=False)
    settings: Omissible[GivenSettings] = None
    password: Omissible[Annotated[str, Field(max_length=128)]] = Field(default=None, repr=False)


class Play(BaseCommand):
    """A move: `ply` is the number of moves made before it."""

    type: Literal["play"] = "play"
    game: int
    ply: int
    cell: int


class Resign(BaseCommand):
    """The running game is the other player's."""

    type: Literal["resign"] = "resign"
    game: int


class Offer(BaseCommand):
    """A question to the other player; an offer of the same kind from each is an acceptance."""

    type: Literal["offer"] = "offer"
    kind: OfferKind


class Accept(BaseCommand):
    """Yes to the other player's offer."""

    type: Literal["accept"] = "accept"
    kind: OfferKind


class Decline(BaseCommand):
    """No to the other player's offer."""

    type: Literal["decline"] = "decline"
    kind: OfferKind


class Claim(BaseCommand):
    """The game, from an opponent who has been gone for too long."""

    type: Literal["claim"] = "claim"
    game: int


class Fill(BaseCommand):
    """An AI for a seat that is empty, or whose human has been gone for too long."""

    type: Literal["fill"] = "fill"
    seat: Mark
    strategy: str = Field(min_length=1, max_length=64)
    level: Omissible[Annotated[int, Field(ge=0, le=9)]] = None


class AskHint(BaseCommand):
    """What is best here? For the player to move, where the room allows it."""

    type: Literal["hint"] = "hint"


class Say(BaseCommand):
    """Chat, to everyone in the room; it is cleaned before it is told."""

    type: Literal["say"] = "say"
    text: ChatText


class Leave(BaseCommand):
    """Gives the seat up for good, and ends the connection."""

    type: Literal["leave"] = "leave"


Command = Annotated[
    Join | Play | Resign | Offer | Accept | Decline | Claim | Fill | AskHint | Say | Leave,
    Field(discriminator="type"),
]
