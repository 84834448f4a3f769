"""The events of a room in lines for people, with the names that the players had then. Pure."""

from collections.abc import Sequence
from typing import assert_never

from ttt_client.model import words
from ttt_client.model.view import View, is_choice, who
from ttt_client.text import render
from ttt_protocol.codes import Choice
from ttt_protocol.events import (
    Chosen,
    Created,
    Declined,
    Ended,
    Event,
    Left,
    Moderated,
    Offered,
    Played,
    Renamed,
    Seated,
    Slept,
    Started,
    TakenBack,
)
from ttt_protocol.state import ChatMode, Human, Mark, OfferKind, Rules
from ttt_protocol.text import clean

OFFERED = {
    OfferKind.DRAW: "offered a draw",
    OfferKind.TAKEBACK: "asked to take a move back",
    OfferKind.REMATCH: "offered a rematch",
}
_DECLINED = {
    OfferKind.DRAW: "declined a draw",
    OfferKind.TAKEBACK: "declined to take a move back",
    OfferKind.REMATCH: "declined a rematch",
}


_CHOSE = {
    Choice.STAY: "chose to stay",
    Choice.SWAP: "chose to swap: the players change seats",
    Choice.MORE: "chose to place two more stones",
}

CHAT = {
    ChatMode.ALL: "all may chat",
    ChatMode.PLAYERS: "only the players may chat",
    ChatMode.OFF: "the chat is off",
}


def narrate_events(events: Sequence[Event], before: View, after: View) -> list[str]:
    """Return the lines for the events between two views, with the names of their time."""
    changes = [number for number, event in enumerate(events) if _changes_seats(event)]
    lines: list[str] = []
    for number, event in enumerate(events):
        # The events before a change of the seats belong to the old ones.
        names = before if changes and number < changes[-1] else after
        lines += narrate_event(event, before, names, after)
    return lines


def _changes_seats(event: Event) -> bool:
    """Return whether the players may have other seats after an event than before."""
    return isinstance(event, Started) or is_choice(event, Choice.SWAP)


def narrate_event(event: Event, before: View, names: View, after: View) -> list[str]:
    """Return the lines for an event.

    Args:
        event: the event.
        before: the view before it, and before those that came with it.
        names: the view whose players made it.
        after: the view after all of them.
    """
    match event:
        case Seated(seat=seat, player=player):
            kind = "" if isinstance(player, Human) else ", an AI,"
            yours = after.seat is seat and not after.is_shared
            name = "you" if yours else clean(player.name)
            return [f"{name}{kind} took seat {seat}"]
        case Left(seat=seat):
            return [f"{who(before, seat)} gave the seat up"]
        case Started(game=game):
            x, o = who(after, Mark.X), who(after, Mark.O)
            return [f"game {game}: {x} against {o}"]
        case Played():
            return [_played(event, names)]
        case Chosen(seat=seat, choice=choice):
            return [f"{who(before, seat)} {_CHOSE[choice]}"]
        case Offered(kind=kind, seat=seat):
            return [_offered(kind, seat, names, after)]
        case Declined(kind=kind, seat=seat):
            return [f"{who(names, seat)} {_DECLINED[kind]}"]
        case TakenBack(ply=ply):
            return [f"taken back: the game is at ply {ply} again"]
        case Ended(detail=str(detail)):
            return [clean(detail)]
        case Renamed(seat=seat, name=name):
            yours = after.seat is seat and not after.is_shared
            called = "you are" if yours else f"{who(before, seat)} is"
            return [f"{called} called {clean(name)} now"]
        case Moderated(chat=mode):
            return [f"{CHAT[mode]} now"]
        case Slept(given_back_ms=ms, seat=seat):
            return [f"the server slept: {ms / 1000:.0f} s are given back to {who(names, seat)}"]
        case Created() | Ended():
            # The welcome tells of the creation, and the picture of an end.
            return []
        case _:  # pragma: no cover - the union is closed
            assert_never(event)


def _played(event: Played, view: View) -> str:
    cell = render.label(event.cell, rules_of(view))
    why = f": {words.thought(event.reason)}" if event.reason else ""
    return f"{who(view, event.seat)} played {cell}{why}"


def _offered(kind: OfferKind, seat: Mark, names: View, after: View) -> str:
    # An offer may be answered in the same message: then there is nothing to ask.
    asked = ": accept or decline" if kind in after.offered else ""
    return f"{who(names, seat)} {OFFERED[kind]}{asked}"


def rules_of(view: View) -> Rules:
    """Return the rules of the room; those of 3x3 before a welcome."""
    return Rules() if view.room is None else view.room.settings.rules
