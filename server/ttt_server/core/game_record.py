"""Take one game out of the log of its room, to be replayed. Pure."""

from collections.abc import Iterable

from ttt_protocol.records import GameRecord
from ttt_protocol.state import BySeat
from ttt_server.core.events import (
    Declined,
    Ended,
    Event,
    Offered,
    Played,
    Started,
    TakenBack,
    to_model,
)
from ttt_server.core.evolve import evolve
from ttt_server.core.room import Room

_OF_A_GAME = (Started, Played, Offered, Declined, TakenBack, Ended)


def record_of(room: Room, log: Iterable[Event], number: int) -> GameRecord | None:
    """Return game `number`, from its start to its end or to now; `None` if there is none.

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
        seats=BySeat(X=seats.X, O=seats.O),
        events=tuple(map(to_model, events)),
    )
