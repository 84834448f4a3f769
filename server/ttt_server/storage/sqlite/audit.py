"""A check of all logs: each is read as the server reads it, and what is wrong is named."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ttt_engine import EngineError
from ttt_protocol.codec import InvalidWire
from ttt_protocol.state import InvalidRoomName, RoomName, parse_room_name
from ttt_server.core.errors import InvalidLog
from ttt_server.core.events import Ended, decode
from ttt_server.core.evolve import evolve
from ttt_server.core.room import Room
from ttt_server.storage.sqlite.reading import Logs, Numbered


@dataclass(frozen=True, slots=True)
class RoomAudit:
    """What a room's log holds."""

    room: RoomName
    events: int
    """How many there are that make sense."""
    games: int
    """How many games have ended."""
    fault: str | None
    """The first fault, with the event's number; `None` for a log that is whole."""


def audit(logs: Logs) -> Iterator[RoomAudit]:
    """Check the logs one after the other."""
    for room in logs.rooms():
        yield audit_log(room, logs.log(room))


def audit_log(name: RoomName, log: Iterable[Numbered]) -> RoomAudit:
    """Check one log, whose events the database numbers."""
    room, games = Room(name), 0

    def found(fault: str | None) -> RoomAudit:
        return RoomAudit(name, room.seq, games, fault)

    try:
        if parse_room_name(name) != name:
            raise InvalidRoomName("upper case")
    except InvalidRoomName as error:
        return found(f"the name: {error}")
    for number, line in log:
        due = room.seq + 1
        if number != due:
            return found(f"event {due}: the next in the database is {number}")
        try:
            event = decode(line)
            if event.seq != number:
                return found(f"event {number}: it says that it is {event.seq}")
            room = evolve(room, event)
        except (InvalidWire, InvalidLog, EngineError) as error:
            return found(f"event {number}: {error}")
        games += isinstance(event, Ended)
    return found(None)
