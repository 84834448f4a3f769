"""The logs of tournaments, in the same store as those of the rooms."""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from json import dumps, loads

from ttt_protocol.codec import EncodedEvents
from ttt_protocol.state import PersonId, RoomName, SessionId
from ttt_protocol.tournament.settings import TournamentName
from ttt_server.concurrency.tasks import CallbackFuture
from ttt_server.core.errors import InvalidLog
from ttt_server.storage.base import Entry, EventStore, StorageFailed
from ttt_server.tournaments.rules.contradiction import contradiction
from ttt_server.tournaments.rules.events import Decision, decode, encode
from ttt_server.tournaments.rules.evolve import evolve, evolve_all
from ttt_server.tournaments.rules.values import Tournament

_PREFIX = "event/"
"""Room names have no slash, so a log never has two owners."""


def log_name(name: TournamentName) -> RoomName:
    """Return the name of a tournament's log in the store."""
    return RoomName(f"{_PREFIX}{name}")


def tournament_name(name: RoomName) -> TournamentName:
    """Return the tournament whose log has this name."""
    return TournamentName(name.removeprefix(_PREFIX))


def is_tournament(name: RoomName) -> bool:
    """Return whether a log is a tournament's."""
    return name.startswith(_PREFIX)


def read(name: TournamentName, lines: EncodedEvents) -> Tournament:
    """Return the tournament after the events of its log.

    Raises:
        InvalidLog: if they are inconsistent.
    """
    return evolve_all(Tournament(name), map(decode, lines))


def audit(name: TournamentName, lines: Iterable[bytes]) -> tuple[Tournament, str | None]:
    """Check each event of a log by the rules.

    Returns:
        The tournament up to the first fault, and the fault, if there is one.
    """
    it = Tournament(name)
    for line in lines:
        try:
            event = decode(line)
            after = evolve(it, event)
        except InvalidLog as error:
            return it, f"{error}"
        if (words := contradiction(it, event)) is not None:
            return it, f"event {event.seq} {words}"
        it = after
    return it, None


def is_silent(line: bytes, before: int) -> bool:
    """Return whether the last event of a log is older; false for an unreadable one."""
    try:
        return decode(line).at < before
    except InvalidLog:
        return False


def silent_logs(
    rooms: Iterable[RoomName], lines_of: Callable[[RoomName], EncodedEvents], before: int
) -> Iterator[RoomName]:
    """Yield the logs of tournaments without an event since `before`, and of their games' rooms.

    Running tournaments are kept: they go on when their server starts.

    Args:
        rooms: the names of all logs.
        lines_of: reads one; returns no lines if there is none.
        before: Unix ms.
    """
    for room in filter(is_tournament, rooms):
        lines = lines_of(room)
        if not lines or not is_silent(lines[-1], before):
            continue
        it = read(tournament_name(room), lines)
        if it.status in ("created", "finished"):
            yield room
            yield from (game.room for game in it.games)


class TournamentLog:
    """Reads and writes the logs of tournaments."""

    def __init__(self, store: EventStore) -> None:
        self._store = store

    async def load(self, name: TournamentName) -> Tournament:
        """Return the tournament in the log, with `seq` 0 if there is none.

        Raises:
            StorageFailed: if the log cannot be read or is inconsistent.
        """
        lines = (await self._store.load(log_name(name), 0)).lines
        try:
            return read(name, lines)
        except InvalidLog as error:
            raise StorageFailed(str(error)) from None

    async def forget(self, name: TournamentName, person: PersonId, instead: str) -> bool:
        """Replace a person's names in a log; return whether there were any.

        Raises:
            StorageFailed: if some may still be there. Trying again helps.
        """
        mark = dumps(person).encode()
        lines = (await self._store.load(log_name(name), 0)).lines
        players = frozenset(loads(line).get("player") for line in lines if mark in line)
        if players:
            await self._store.rewrite(log_name(name), partial(_renamed, players, instead))
        return bool(players)

    async def append(self, it: Tournament, decision: Decision) -> Tournament:
        """Append a decision, and return the tournament after it.

        Raises:
            Conflict: if another server wrote to the log.
            StorageFailed: if the events were not stored, or may not have been.
        """
        lines = tuple(map(encode, decision))
        outcome = CallbackFuture()
        entry = Entry(log_name(it.name), it.seq + 1, lines, None, outcome.settle)
        self._store.append((entry,))
        await outcome.future
        return evolve_all(it, decision)


def _renamed(players: Collection[SessionId], instead: str, line: bytes) -> bytes:
    """Return an event with another name for players, and with no person."""
    event = loads(line)
    if event.get("type") not in {"entered", "renamed"} or event.get("player") not in players:
        return line
    event.pop("person", None)
    return dumps(event | {"name": instead}, ensure_ascii=False, separators=(",", ":")).encode()
