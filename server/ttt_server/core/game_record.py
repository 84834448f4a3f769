"""Games read from the log of their room: one to replay, all to export. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ttt_protocol.events import (
    Chosen,
    Declined,
    Ended,
    Event,
    Offered,
    Played,
    Started,
    TakenBack,
)
from ttt_protocol.records import ExportedGame, GameRecord
from ttt_protocol.state import BySeat
from ttt_server.core.evolve import evolve
from ttt_server.core.room import Room, Seats, game_of

_OF_A_GAME = (Started, Played, Chosen, Offered, Declined, TakenBack, Ended)


def record_of(room: Room, log: Iterable[Event], number: int) -> GameRecord | None:
    """Return a game up to its end or to now; `None` if there is none.

    Args:
        room: the room before `log`, without events.
        log: all events of the room, in order.
        number: the number of the game, from 1.
    """
    events: list[Event] = []
    seats = room.seats
    for event in log:
        room = evolve(room, event)
        if isinstance(event, Started) and event.game == number:
            seats = room.seats
            events = [event]
        elif events and isinstance(event, _OF_A_GAME):
            events.append(event)
        if isinstance(event, Ended) and event.game == number:
            break
    if not events:
        return None
    return GameRecord(
        room=room.name,
        game=number,
        rules=room.settings.rules,
        start=room.settings.start,
        seats=BySeat(X=seats.X, O=seats.O),
        events=tuple(events),
    )


def exported_games(room: Room, log: Iterable[Event]) -> Iterator[ExportedGame]:
    """Yield all games in order; the last may still be going on.

    Args:
        room: the room before `log`.
        log: all events of the room, in order.

    Raises:
        InvalidLog: if the events contradict each other.
    """
    game: list[Event] = []
    seats = room.seats
    for event in log:
        room = evolve(room, event)
        if isinstance(event, Started):
            game, seats = [event], room.seats
        elif game and isinstance(event, _OF_A_GAME):
            game.append(event)
        if game and isinstance(event, Ended):
            yield _exported(room, seats, game)
            game = []
    if game:
        yield _exported(room, seats, game)


def _exported(room: Room, seats: Seats, events: list[Event]) -> ExportedGame:
    number = game_of(room).number
    numbered: Any = [replace(event, seq=seq) for seq, event in enumerate(events, 1)]
    return ExportedGame(
        room=room.name,
        game=number,
        rules=room.settings.rules,
        start=room.settings.start,
        seats=BySeat(X=seats.X, O=seats.O),
        events=tuple(numbered),
        settings=room.settings,
        locked=room.password_hash is not None,
    )
