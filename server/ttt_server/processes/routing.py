"""Which process gets a connection: the one that has the room of its first request. Pure."""

import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import Final
from urllib.parse import unquote
from zlib import crc32

from ttt_server.endpoints import asking
from ttt_server.lobby.matchmaker import QUICK_MATCH
from ttt_server.tournaments.log import log_name
from ttt_server.transport.responses import HttpError

_TARGET: Final = re.compile(rb"[A-Z]+ (?:https?://[^/? ]*)?(/[!->@-~]*)(?=[? ])")
"""The path of a request, up to its query."""

_ROOM: Final = re.compile(r"/(?:ws|api)/rooms/([^/]*)")
_EVENT: Final = re.compile(r"/(?:ws|api)/events/([^/]*)")
_LOG: Final = re.compile(r"/cluster/rooms/(.+)")


def log_of(head: bytes) -> str | None:
    """Return the room, or the log of the event, that a request is about; `None` for no such one."""
    target = _TARGET.match(head)
    if target is None:
        return None
    path = target[1].decode()
    with suppress(HttpError):  # no room has this name
        if found := _ROOM.match(path):
            return asking.room_name(found[1])
        if found := _EVENT.match(path):
            return log_name(asking.tournament_name(found[1]))
    if path == "/ws/play":
        return QUICK_MATCH
    asked = _LOG.fullmatch(path)
    return unquote(asked[1]) if asked else None


class Routes:
    """Which process has which room."""

    def __init__(self, count: int) -> None:
        """`count`: of all processes, which are numbered from 0."""
        self._count = count
        self._owners: dict[str, int] = {}
        self._turn = 0

    def gain(self, process: int, names: Iterable[str]) -> None:
        """Note that a process has these rooms now."""
        self._owners |= dict.fromkeys(names, process)

    def lose(self, process: int, names: Iterable[str] | None = None) -> None:
        """Note that a process has lost these rooms, or all."""
        if names is None:
            names = [name for name, owner in self._owners.items() if owner == process]
        for name in names:
            if self._owners.get(name) == process:
                del self._owners[name]

    def order(self, log: str | None, able: Collection[int]) -> Sequence[int]:
        """Return the processes that may have a connection, the best first.

        Args:
            log: what it is about; `None` for anybody.
            able: the processes that take connections.
        """
        if log is None:
            first, self._turn = self._turn, (self._turn + 1) % self._count
        else:
            first = crc32(log.encode()) % self._count
            first = self._owners.get(log, first)
        turns = (number % self._count for number in range(first, first + self._count))
        return [number for number in turns if number in able]
