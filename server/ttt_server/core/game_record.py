"""One game out of the log of its room, to be replayed. Pure."""

from ttt_protocol.events import (
    Declined,
    Ended,
    Event,
    Offered,
    Played,
    Started,
    TakenBack,
)
from ttt_protocol.records import GameRecord
from ttt_protocol.state import BySeat
from ttt_server.core.room import Room, evolve

_OF_A_GAME = (Started, Played, Offered, Declined, TakenBack, Ended)


def record_of(room: Room, log: tuple[Event, ...], number: int) -> GameRecord | None:
    """Game `number`, from its start to its end or to now; null if there is none.

    Args:
        room: as it was before `log`: without events.
        log: all that happened, from the first event on.
        number: of the game, from 1.
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
        events=tuple(events),
    )
