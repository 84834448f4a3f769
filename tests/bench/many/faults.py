"""What players see when a server of several is killed, or stops in order."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from tests.bench.figures import percentile
from tests.bench.many.costs import Finding
from tests.bench.many.installation import Installation
from tests.bench.server import Server, running

_SETTLED_S: Final = 1.3
"""A session must be a second old to judge that another server is dead."""
_PACE_S: Final = 0.02
_ROOMS: Final = 8
"""On each server."""
_PATIENCE_S: Final = 20.0


class Match:
    """Two players in a room who play on whatever happens, at any server that lets them in."""

    def __init__(self, room: str, ports: Sequence[int]) -> None:
        """`ports`: the servers, the first to begin with."""
        self.times: list[tuple[float, float]] = []
        """When each move was sent, and how long it took until both had it, in seconds."""
        self.away_s = 0.0
        """The longest time without a connection."""
        self.refused = 0
        self._path = f"/ws/rooms/{room}"
        self._ports = list(ports)
        self._joins: list[dict[str, str]] = [{}, {}]
        self._sockets: list[ClientConnection] = []
        self._ids = ["", ""]
        """The players', who change sides with each game."""
        self._room: dict[str, Any] = {}

    async def come(self) -> None:
        """Join, or come back to the seats."""
        began = time.monotonic()
        async with asyncio.timeout(_PATIENCE_S):
            while not await self._have_come():
                self._ports.append(self._ports.pop(0))
                await asyncio.sleep(0.005)
        if self.times:
            self.away_s = max(self.away_s, time.monotonic() - began)

    async def play(self, until: float) -> None:
        """Play until then, by `time.monotonic`."""
        while time.monotonic() < until:
            try:
                async with asyncio.timeout(_PATIENCE_S):
                    await self._step()
            except TimeoutError:  # which is an `OSError`
                raise
            except (ConnectionClosed, OSError):
                await self.come()
            await asyncio.sleep(_PACE_S)

    async def leave(self) -> None:
        """Close both connections."""
        for socket in self._sockets:
            await socket.close()

    async def _have_come(self) -> bool:
        await self.leave()
        self._sockets = []
        with suppress(OSError, WebSocketException, TimeoutError):
            for number in range(2):
                address = f"ws://127.0.0.1:{self._ports[0]}{self._path}"
                subprotocols: Any = ["ttt.v1"]
                socket = await connect(
                    address, subprotocols=subprotocols, open_timeout=2, compression=None
                )
                self._sockets.append(socket)
                await socket.send(json.dumps({"type": "join", **self._joins[number]}))
                async with asyncio.timeout(3):
                    message = await self._until(number, {"welcome", "refused"})
                if message["type"] == "refused":
                    return False
                self._room = message["room"]
                you = message["you"]
                self._joins[number], self._ids[number] = {"token": you["token"]}, you["id"]
            return True
        return False

    async def _step(self) -> None:
        """One move, or the next game."""
        game = self._room["game"]
        if self._room["status"] == "finished":
            for number in range(2):
                await self._send(number, "offer", kind="rematch")
            await self._both_have(game["number"] + 1, 0)
            return
        mover = self._ids.index(self._room["seats"][game["turn"]]["id"])
        cell = game["board"].index(".")
        began = time.monotonic()
        await self._send(mover, "play", game=game["number"], ply=game["ply"], cell=cell)
        await self._both_have(game["number"], game["ply"] + 1)
        self.times.append((began, time.monotonic() - began))

    async def _both_have(self, number: int, ply: int) -> None:
        for player in range(2):
            while True:
                message = await self._until(player, {"update", "refused"})
                if message["type"] == "refused":
                    self.refused += 1
                    continue
                self._room = message["room"]
                game = self._room["game"]
                if (game["number"], game["ply"]) >= (number, ply):
                    break

    async def _send(self, number: int, type_: str, **fields: Any) -> None:
        await self._sockets[number].send(json.dumps({"type": type_, **fields}))

    async def _until(self, number: int, types: set[str]) -> dict[str, Any]:
        while True:
            message: dict[str, Any] = json.loads(await self._sockets[number].recv())
            if message["type"] in types:
                return message


def failover(inst: Installation, kills: int) -> Iterator[Finding]:
    """How long a room does not answer after `kill -9` of its server, with another one there."""
    with ExitStack() as stack:
        owner = stack.enter_context(inst.server())
        for number in range(kills):
            heir = stack.enter_context(inst.server())
            time.sleep(_SETTLED_S)
            away_s = asyncio.run(_killed(f"kill{number}", owner, heir))
            yield "until a room answers after kill -9, ms", away_s * 1000
            owner = heir


async def _killed(room: str, owner: Server, heir: Server) -> float:
    match = Match(room, [owner.port, heir.port])
    await match.come()
    await match.play(time.monotonic() + 5 * _PACE_S)
    os.kill(owner.pid, signal.SIGKILL)
    await match.play(time.monotonic() + 5 * _PACE_S)
    while not match.away_s:
        await match.play(time.monotonic() + _PACE_S)
    await match.leave()
    return match.away_s


def drain(inst: Installation) -> Iterator[Finding]:
    """Moves at two servers while a third is stopped in order, and at one on SQLite beside them."""
    for round_ in range(inst.plan.rounds):
        with ExitStack() as stack:
            servers = [stack.enter_context(inst.server()) for _ in range(3)]
            sqlite = stack.enter_context(running(inst.plan.server, inst.plan.folder))
            yield from asyncio.run(_drained(servers, sqlite, inst.plan.seconds, round_))


async def _drained(
    servers: Sequence[Server], sqlite: Server, seconds: float, round_: int
) -> list[Finding]:
    ports = [server.port for server in servers]
    groups: dict[int, list[Match]] = {
        number: [
            Match(f"drain{round_}x{number}x{room}", ports[number:] + ports[:number])
            for room in range(_ROOMS)
        ]
        for number in range(3)
    }
    groups[3] = [Match(f"beside{room}", [sqlite.port]) for room in range(_ROOMS)]
    matches = [match for group in groups.values() for match in group]
    await asyncio.gather(*(match.come() for match in matches))
    stopped = time.monotonic() + seconds
    over = stopped + seconds
    playing = asyncio.gather(*(match.play(over) for match in matches))
    await asyncio.sleep(seconds)
    os.kill(servers[0].pid, signal.SIGTERM)
    await playing
    await asyncio.gather(*(match.leave() for match in matches))
    others = [each for number in (1, 2) for match in groups[number] for each in match.times]
    before, while_ = _p99s(others, stopped)
    sqlite_before, sqlite_while = _p99s(
        [each for match in groups[3] for each in match.times], stopped
    )
    return [
        ("p99 of moves before the stop, ms", before),
        ("p99 of the others' moves while one stops, ms", while_),
        ("the same, while to before", while_ / before),
        ("p99 on SQLite beside it, while to before", sqlite_while / sqlite_before),
        ("longest without a seat after the stop, ms", 1000 * max(m.away_s for m in groups[0])),
        ("refused moves", float(sum(match.refused for match in matches))),
    ]


def _p99s(times: list[tuple[float, float]], at: float) -> tuple[float, float]:
    """Return the p99, in ms, of the moves that began before an instant, and of those after it."""
    parts = ([took for began, took in times if (began < at) is early] for early in (True, False))
    before, after = (1000 * percentile(part, 0.99) for part in parts)
    return before, after
