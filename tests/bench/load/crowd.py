"""Everyone who is connected to one server."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

from tests.bench.load.duel import Duel
from tests.bench.load.member import Member, connect
from tests.bench.load.table import ScriptedTable, Table
from tests.bench.load.tally import Tally

_AT_ONCE: Final = 64
"""So many connect at the same time."""


class Crowd:
    """Does what it is told, and tells what it has seen."""

    def __init__(self, port: int, rooms: str) -> None:
        """`rooms`: with what their names begin."""
        self._port = port
        self._prefix = rooms
        self._tally = Tally()
        self._tables: list[ScriptedTable | Duel] = []
        self._idle: list[Member] = []
        self._waiting: list[ScriptedTable | Duel] = []
        self._think_s = 0.0
        self._rooms = 0

    def told(self) -> dict[str, Any]:
        return self._tally.told()

    async def open(self, connections: int) -> None:
        """So many connect, and say nothing."""

        async def one(_: int) -> None:
            member = Member("/ws/rooms/idle", lambda *_: None, self._tally.fault)
            await connect(member, self._port)
            self._idle.append(member)

        await _each(one, connections)

    async def seat(
        self,
        rooms: int,
        players: int = 2,
        spectators: int = 0,
        think_s: float = 0,
        strategy: str | None = None,
        spectators_port: int | None = None,
    ) -> None:
        """Rooms are made, and people join; a move comes `think_s` after the last.

        Whoever sat somewhere before has left. Spectators may come through another server.
        """
        for table in self._tables:
            table.leave()
        self._think_s = think_s
        self._tables = [self._table(number, strategy) for number in range(rooms)]

        async def one(number: int) -> None:
            for _ in range(players):
                await self._tables[number].seat()

        await _each(one, rooms)
        for table in self._tables:
            for _ in range(spectators):
                await table.seat("spectator", spectators_port)

    async def wait(self, rooms: int) -> None:
        """Rooms are made in which a player waits, until the end."""
        await self.seat(rooms, players=1)
        self._waiting += self._tables
        self._tables = []

    async def fill(self) -> None:
        """One more player in every room."""
        await _each(lambda number: self._tables[number].seat(), len(self._tables))

    async def play(self, begin: float, end: float) -> None:
        """Everyone plays until the end; what is after the beginning counts."""
        self._tally.start(begin, end, len(self._tables))
        loop = asyncio.get_running_loop()
        for number, table in enumerate(self._tables):
            # Who thinks begins at any time; who does not, as soon as the loop gets to it.
            loop.call_later(self._think_s * number / len(self._tables), table.go_on)
        await asyncio.sleep(end - time.monotonic())
        await self._tally.all_rest()

    async def visit(self, begin: float, end: float, at_once: int) -> None:
        """Rooms are made, filled and left, one after the other, so many at once."""
        self._tally.start(begin, end, 0)
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(self._come_and_go())

    async def _come_and_go(self) -> None:
        tally = self._tally
        while not tally.is_over(began := time.monotonic()):
            table = Table(self._new_room(), self._port, tally, {})
            for _ in range(2):
                await table.seat()
            now = time.monotonic()
            table.leave()
            if tally.counts(now):
                tally.rooms += 1
                tally.took("seated", now - began)

    def _table(self, number: int, strategy: str | None) -> ScriptedTable | Duel:
        room = self._new_room()
        if strategy is None:
            return ScriptedTable(number, room, self._port, self._tally, self._think_s)
        return Duel(number, room, self._port, self._tally, strategy, self._think_s)

    def _new_room(self) -> str:
        self._rooms += 1
        return f"{self._prefix}{self._rooms}"


async def _each(do: Callable[[int], Awaitable[None]], count: int) -> None:
    limit = asyncio.Semaphore(_AT_ONCE)

    async def one(number: int) -> None:
        async with limit:
            await do(number)

    async with asyncio.TaskGroup() as group:
        for number in range(count):
            group.create_task(one(number))
