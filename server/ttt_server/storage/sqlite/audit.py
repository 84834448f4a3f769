"""Check logs: read each as the server does, but more strictly."""

from collections.abc import Iterable
from dataclasses import dataclass

from ttt_engine import EngineError
from ttt_protocol.codec import InvalidWire, decode_event
from ttt_protocol.events import Ended
from ttt_protocol.state import InvalidRoomName, RoomName, parse_room_name
from ttt_server.core.archive.contradiction import contradiction, must_end
from ttt_server.core.archive.saved_room import restore
from ttt_server.core.errors import InvalidLog
from ttt_server.core.evolve import evolve
from ttt_server.core.room import Room
from ttt_server.storage.sqlite.tables import EventTables, Numbered


@dataclass(frozen=True, slots=True)
class RoomAudit:
    """The contents of a room's log."""

    room: RoomName
    events: int
    """The number of valid events."""
    games: int
    """The number of games that have ended."""
    fault: str | None
    """The first fault, with the number of the event; `None` if the log is intact."""


def damage(tables: EventTables) -> str | None:
    """Return what SQLite finds wrong with the file, if anything."""
    (verdict,) = tables.database.execute("PRAGMA integrity_check(1)").fetchone()
    return None if verdict == "ok" else str(verdict)


def audit_room(tables: EventTables, room: RoomName) -> RoomAudit:
    """Check one room."""
    snaps = tables.snapshots(room)
    start = snaps.pop(0).saved if snaps and snaps[0].is_start else None
    between = [(snap.seq, snap.saved) for snap in snaps]
    return audit_log(room, tables.numbered(room), start=start, snapshots=between)


def audit_log(
    name: RoomName,
    log: Iterable[Numbered],
    *,
    start: bytes | None = None,
    snapshots: Iterable[Numbered] = (),
) -> RoomAudit:
    """Check one log: each event by the rules of the room, and that its snapshots agree.

    Args:
        name: the room.
        log: the events, as the database numbers them.
        start: the saved room before them, if they do not begin with event 1.
        snapshots: saved rooms with the numbers of the events before them, in order.
    """
    room, games, events = Room(name), 0, 0
    due = iter(snapshots)
    next_ = next(due, None)

    def found(fault: str | None) -> RoomAudit:
        return RoomAudit(name, events, games, fault)

    try:
        if parse_room_name(name) != name:
            raise InvalidRoomName("upper case")
    except InvalidRoomName as error:
        return found(f"the name: {error}")
    try:
        room = room if start is None else restore(name, start)
    except InvalidLog as error:
        return found(f"the start of the log: {error}")
    for number, line in log:
        expected = room.seq + 1
        if number != expected:
            return found(f"event {expected}: the next in the database is {number}")
        try:
            event = decode_event(line)
            if event.seq != number:
                return found(f"event {number}: it says that it is {event.seq}")
            if (words := contradiction(room, event)) is not None:
                return found(f"event {number} {words}")
            room = evolve(room, event)
        except (InvalidWire, InvalidLog, EngineError) as error:
            return found(f"event {number}: {error}")
        events += 1
        games += isinstance(event, Ended)
        while next_ is not None and next_[0] <= number:
            if next_[0] == number and not _is_of(next_[1], room):
                return found(f"event {number}: the snapshot after it differs")
            next_ = next(due, None)
    if next_ is not None:
        return found(f"event {next_[0]}: a snapshot, and no such event")
    if must_end(room):
        return found(f"event {room.seq} ends the game, and no end follows")
    return found(None)


def _is_of(saved: bytes, room: Room) -> bool:
    """Return whether a saved room is this room; any that this version cannot read counts as one."""
    try:
        return restore(room.name, saved) == room
    except InvalidLog:
        return True
