"""Typed lines as words of the client; `intents` says what they mean now."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from ttt_client.model.options import parse_ai
from ttt_protocol.codes import Choice
from ttt_protocol.commands import Command, Leave, Moderate, Rename, Say
from ttt_protocol.state import ChatMode, ModerationAction, OfferKind, Rules
from ttt_protocol.text import clean

HELP = """\
5 or b2          plays: the number of a free cell, or its column and row
d or 4           plays where pieces fall: a column's letter or number
resign           gives the game up
stay, swap, more chooses in a fair opening: keep the seat, change it, or place two more
draw, takeback   offers a draw, or asks to take your last move back
rematch          offers another game when this one is over
accept, decline  answers the offer of the other player
claim            takes the game when the other player has been gone too long
fill fair        seats an AI opposite, if that seat is empty or long deserted
hint             asks what is best, in a room with hints
say hello        talks to everyone in the room
hide, show       hides the chat from you, shows it again
rename eve       changes your name
board            prints the board again
retry            reconnects now while the connection is lost
leave            gives your seat up for good
mute bob         for the host: silences bob, until unmute bob
remove bob       for the host: removes bob from the room
clear            for the host: clears the chat for all
chat players     for the host: lets all, players or none (off) chat
quit             ends this program; the same command takes your seat back"""

T = TypeVar("T")

_MOST_REPEATED = 40
"""The most characters quoted from a line that was not understood."""


@dataclass(frozen=True, slots=True)
class TypedMove:
    """A wanted cell: its number from 1, or its column and row from 0, or only its column."""

    typed: str
    number: int | None = None
    column_row: tuple[int, int] | None = None
    column: int | None = None
    layer: int | None = None
    """From 0, in a cube."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A player's word without arguments."""

    word: Literal["resign", "claim", "hint"]


@dataclass(frozen=True, slots=True)
class Own:
    """A word for the client itself; the server does not hear of it."""

    word: Literal["help", "quit", "board", "retry", "hide", "show"]


@dataclass(frozen=True, slots=True)
class TypedChoice:
    """A choice in the opening of a game."""

    choice: Choice


@dataclass(frozen=True, slots=True)
class Offering:
    kind: OfferKind


@dataclass(frozen=True, slots=True)
class TypedAnswer:
    """The answer to an offer of the other player; without a kind, to the only open one."""

    word: Literal["accept", "decline"]
    kind: OfferKind | None = None


@dataclass(frozen=True, slots=True)
class Filling:
    """An AI for the seat opposite, as it was typed: a name, perhaps a level, or a strength."""

    typed: str


@dataclass(frozen=True, slots=True)
class Ready:
    """A complete command; `raw`, if given, is sent exactly as it was typed."""

    command: Command
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class Naming:
    """An act of the host on a member, who is called by a name, or by `#` and an id."""

    action: ModerationAction
    member: str


ForServer = TypedMove | Wish | TypedChoice | Offering | TypedAnswer | Filling | Naming | Ready
Word = ForServer | Own


class NotUnderstood(ValueError):
    """A line that is no word of the client; the message is for people."""


def parse_line(line: str) -> Word | None:
    """Return the word in a line; None if the line is empty.

    Raises:
        NotUnderstood: with a message that repeats the line, cleaned and cut.
    """
    word, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    match word.lower():
        case "":
            return None
        case "say":
            wrong = "say takes 1 to 200 characters that can be shown"
            return Ready(_valid(lambda: Say(text=rest), wrong))
        case "fill":
            wrong = "fill takes a strength or a strategy: fill fair, fill rules"
            _valid(lambda: parse_ai(rest, Rules()), wrong)
            return Filling(rest)
        case "rename":
            wrong = "rename takes 1 to 24 characters that can be shown"
            return Ready(_valid(lambda: Rename(name=rest), wrong))
        case "mute" | "unmute" | "remove" as action:
            return Naming(ModerationAction(action), rest)
        case "clear" if not rest:
            return Ready(Moderate(action=ModerationAction.CLEAR))
        case "chat":
            mode = _valid(
                lambda: ChatMode(rest.lower()), "chat is for all, players or off: chat players"
            )
            return Ready(Moderate(action=ModerationAction.CHAT, chat=mode))
        case "accept" | "decline" as answer:
            wrong = "an offer is one of draw, takeback, rematch"
            return TypedAnswer(
                answer, _valid(lambda: OfferKind(rest.lower()), wrong) if rest else None
            )
        case "draw" | "takeback" | "rematch" as kind if not rest:
            return Offering(OfferKind(kind))
        case "resign" | "claim" | "hint" as wish if not rest:
            return Wish(wish)
        case "stay" | "swap" | "more" as choice if not rest:
            return TypedChoice(Choice(choice))
        case "leave" if not rest:
            return Ready(Leave())
        case "help" | "quit" | "board" | "retry" | "hide" | "show" as own if not rest:
            return Own(own)
        case "?" if not rest:
            return Own("help")
        case cell if not rest and (move := move_of(cell)) is not None:
            return move
        case _:
            raise NotUnderstood(unknown(line))


def unknown(line: str) -> str:
    """Return the answer to a line that was not understood, which it repeats."""
    line = " ".join(clean(line).split())
    cut = line if len(line) <= _MOST_REPEATED else f"{line[:_MOST_REPEATED]}..."
    return f'"{cut}" was not understood; help lists what can be typed'


def move_of(cell: str) -> TypedMove | None:
    """Return the move that a typed cell or column names; `None` if it is neither."""
    if re.fullmatch(r"[0-9]{1,4}", cell):
        return TypedMove(cell, number=int(cell))
    if found := re.fullmatch(r"([1-9]?)([a-z])([0-9]{0,2})", cell):
        layer, column, row = found[1], ord(found[2]) - ord("a"), found[3]
        if row:
            at = int(layer) - 1 if layer else None
            return TypedMove(cell, column_row=(column, int(row) - 1), layer=at)
        return None if layer else TypedMove(cell, column=column)
    return None


def _valid(make: Callable[[], T], otherwise: str) -> T:
    """Return what `make` makes; raise `NotUnderstood` where the text is not valid for it."""
    try:
        return make()
    except ValueError:
        raise NotUnderstood(otherwise) from None
