"""A typed line as one of the words that the client knows. `intents` says what it means now."""

import re
from dataclasses import dataclass
from typing import Literal

from pydantic import ValidationError

from ttt_client.model.options import InvalidOption, parse_ai
from ttt_protocol.commands import Command, Say
from ttt_protocol.state import AiSetting, OfferKind

HELP = """\
5 or b2          plays: the number of a free cell, or its column and row
resign           gives the game up
draw, takeback   offers a draw, or asks to take your last move back
rematch          asks for another game when this one is over
accept, decline  answers the offer of the other player
claim            takes the game when the other player has been gone too long
fill minimax:5   seats an AI opposite, when that seat is empty or long deserted
hint             asks what is best, in a room with hints
say hello        talks to everyone in the room
leave            gives your seat up for good
quit             ends this program; the same command takes your seat back"""

UNKNOWN = "that was not understood; help lists what can be typed"


@dataclass(frozen=True, slots=True)
class Move:
    """A wanted cell, by its number from 1 or by its column and row from 0."""

    typed: str
    number: int | None = None
    column_row: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """A word that stands alone."""

    word: Literal["resign", "claim", "hint", "leave", "help", "quit"]


@dataclass(frozen=True, slots=True)
class Offering:
    kind: OfferKind


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to an offer of the other player; without a kind, to the only open one."""

    word: Literal["accept", "decline"]
    kind: OfferKind | None = None


@dataclass(frozen=True, slots=True)
class Filling:
    ai: AiSetting


@dataclass(frozen=True, slots=True)
class Ready:
    """A complete command; `raw`, if given, is sent exactly as it was typed."""

    command: Command
    raw: str | None = None


Word = Move | Wish | Offering | Answer | Filling | Ready


class NotUnderstood(ValueError):
    """A line that is no word of the client; the message is for people."""


def parse_line(line: str) -> Word | None:
    """Return the word in a line; None if the line is empty.

    Raises:
        NotUnderstood: with a message that never repeats the line.
    """
    word, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    match word.lower():
        case "":
            return None
        case "say":
            return _say(rest)
        case "fill":
            return _fill(rest)
        case "accept" | "decline" as answer:
            return Answer(answer, _kind(rest))
        case "draw" | "takeback" | "rematch" as kind if not rest:
            return Offering(OfferKind(kind))
        case "resign" | "claim" | "hint" | "leave" | "help" | "quit" as wish if not rest:
            return Wish(wish)
        case "?" if not rest:
            return Wish("help")
        case cell if not rest:
            return _move(cell)
        case _:
            raise NotUnderstood(UNKNOWN)


def _move(cell: str) -> Move:
    if re.fullmatch(r"[0-9]{1,4}", cell):
        return Move(cell, number=int(cell))
    if re.fullmatch(r"[a-z][0-9]{1,2}", cell):
        return Move(cell, column_row=(ord(cell[0]) - ord("a"), int(cell[1:]) - 1))
    raise NotUnderstood(UNKNOWN)


def _say(text: str) -> Ready:
    try:
        return Ready(Say(text=text))
    except ValidationError:
        raise NotUnderstood("say takes 1 to 200 characters that can be shown") from None


def _fill(text: str) -> Filling:
    try:
        return Filling(parse_ai(text))
    except InvalidOption:
        raise NotUnderstood("fill takes a strategy and perhaps a level: fill minimax:5") from None


def _kind(text: str) -> OfferKind | None:
    if not text:
        return None
    try:
        return OfferKind(text.lower())
    except ValueError:
        raise NotUnderstood("an offer is one of draw, takeback, rematch") from None
