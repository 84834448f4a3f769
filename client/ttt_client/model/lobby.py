"""The public rooms as the lobby tells them: their order, and the liveliest of them."""

from collections.abc import Collection

from ttt_protocol.messages import RoomsChanged
from ttt_protocol.state import RoomName, Status, Summary


def with_changes(rooms: Collection[Summary], news: RoomsChanged) -> tuple[Summary, ...]:
    """Return the rooms after a message of the lobby, by name, as the server lists them."""
    by_name = {room.name: room for room in (*rooms, *news.rooms)}
    for name in news.gone:
        by_name.pop(name, None)
    return tuple(by_name[name] for name in sorted(by_name))


def in_order(rooms: Collection[Summary]) -> tuple[Summary, ...]:
    """Return the rooms where a player waits first, then running games, and deserted rooms last.

    Within each of these they stand as the server lists them: a list to choose from must not move
    with every spectator.
    """
    return tuple(sorted(rooms, key=_rank))


def _rank(room: Summary) -> int:
    is_empty = room.seats.X is None and room.seats.O is None
    if room.deserted or is_empty:
        return 3
    if room.status is Status.WAITING and not room.locked:
        return 0
    return 1 if room.status is Status.PLAYING else 2


def liveliest(rooms: Collection[Summary], refused: Collection[RoomName]) -> RoomName | None:
    """Return the room with a running game in which something happened last; None without any.

    Locked, deserted and refused rooms do not count. Where the server does not tell the time, the
    number of spectators decides.
    """
    seen = (room for room in rooms if not (room.locked or room.deserted or room.name in refused))
    playing = (room for room in seen if room.status is Status.PLAYING)
    best = max(playing, key=_activity, default=None)
    return None if best is None else best.name


def _activity(room: Summary) -> tuple[int, int, int]:
    return room.changed_at or 0, room.spectators, room.ply
