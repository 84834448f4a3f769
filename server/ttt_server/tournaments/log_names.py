"""The names of the logs of tournaments, in the store that they share with the rooms.

A server that has no tournament imports no other module of this folder: they take a tenth of its
start.
"""

from ttt_protocol.state import RoomName
from ttt_protocol.tournament.settings import TournamentName
from ttt_server.storage.base import EventStore

_PREFIX = "event/"
"""No room has a name with a slash, so that no log has two owners."""


def log_name(name: TournamentName) -> RoomName:
    """Return the name under which the store keeps the log of a tournament."""
    return RoomName(f"{_PREFIX}{name}")


def tournament_name(name: RoomName) -> TournamentName:
    """Return the tournament of a log, by the name that the store has for it."""
    return TournamentName(name.removeprefix(_PREFIX))


def is_tournament(name: RoomName) -> bool:
    """Return whether a log of the store is that of a tournament."""
    return name.startswith(_PREFIX)


async def has_tournaments(store: EventStore) -> bool:
    """Return whether a store has the log of a tournament.

    Raises:
        StorageFailed: if it cannot be read.
    """
    # They are in order: the first after the bare prefix is one, if there is any.
    return any(is_tournament(last.room) for last in await store.browse(_PREFIX, 1))
