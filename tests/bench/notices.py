"""What a thousand notices that are due at once cost the players of another game.

    python -m tests.bench.notices [--notices 1000] [--seconds 15] [--rounds 3]

Two players move in one room, again and again; how long each move takes is measured in quiet, and
while the server tells the notices of persons to a webhook of the benchmark's own. Both are measured
in each round, one after the other, as only their ratio can be relied on.
"""

import argparse
import asyncio
import json
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Final

from websockets.asyncio.client import ClientConnection, connect

from tests.bench.server import Server, ours, running
from tests.hooks import Hook
from tests.integration.programs import Message

_PACE_S: Final = 0.01
"""The pause between two moves: the machine is not to be busy with them."""

_LEAD_S: Final = 2.0
"""How long after its start a server is told of the notices."""

_PERSON: Final = "INSERT INTO persons VALUES ('ann', 'Ann', 'ann', ?1, ?1, 0, NULL, 0, 0, '{}')"
_NOTICE: Final = "INSERT INTO notices VALUES (?, 'ann', 'rooms/away', ?, ?, 0, '')"
_SETTINGS: Final = {"rules": {"columns": 19, "rows": 19, "in_a_row": 19}}


async def _until(socket: ClientConnection, kind: str) -> Message:
    while True:
        message: Message = json.loads(await socket.recv())
        if message["type"] == kind:
            return message


class Game:
    """Two players who move in turn on a board that takes long to fill."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._rooms = count()

    async def play(self, until: float) -> list[float]:
        """Return how long each move took, in seconds, until a time by `monotonic`."""
        took: list[float] = []
        while time.monotonic() < until:
            address = f"ws://127.0.0.1:{self._server.port}/ws/rooms/game{next(self._rooms)}"
            async with (
                connect(address, compression=None) as one,
                connect(address, compression=None) as two,
            ):
                for socket, join in ((one, {"settings": _SETTINGS}), (two, {})):
                    await socket.send(json.dumps({"type": "join", **join}))
                    await _until(socket, "welcome")
                await _until(one, "update")  # the second player has come
                for ply in range(300):
                    if time.monotonic() >= until:
                        break
                    took.append(await _move((one, two), ply))
                    await asyncio.sleep(_PACE_S)
        return took


async def _move(sockets: tuple[ClientConnection, ClientConnection], ply: int) -> float:
    began = time.perf_counter()
    play = {"type": "play", "game": 1, "ply": ply, "cell": ply}
    await sockets[ply % 2].send(json.dumps(play))
    took = 0.0
    for socket in (sockets[ply % 2], sockets[1 - ply % 2]):
        while (await _until(socket, "update"))["room"]["game"]["ply"] <= ply:
            pass
        took = took or time.perf_counter() - began
    return took


def _owe(data: Path, number: int, due: int) -> None:
    """Have notices of one person wait, all for the same time in Unix ms."""
    with closing(sqlite3.connect(data / "ttt.sqlite3")) as database, database:
        database.execute(_PERSON, (due,))
        notice = {"kind": "turn", "at": due, "text": "", "path": "rooms/away", "opponent": "Bo"}
        rows = (
            (f"t{each}", json.dumps({"id": f"t{each}", **notice}), due) for each in range(number)
        )
        database.executemany(_NOTICE, rows)


def _p99(took: Sequence[float]) -> float:
    return quantiles(took, n=100)[98]


async def _round(command: str, notices: int, seconds: float) -> tuple[float, float, float]:
    """Return the 99th percentiles in quiet and meanwhile, and how long the notices took."""
    with TemporaryDirectory() as folder:
        data = Path(folder)
        own = "--data", folder
        with running(command, None, *own):
            pass  # it makes the tables
        async with Hook.serve() as hook:
            due_s = time.time() + _LEAD_S + seconds
            _owe(data, notices, round(due_s * 1000))
            with running(command, None, *own, "--notify-webhook", hook.origin) as server:
                game = Game(server)
                quiet = await game.play(time.monotonic() + due_s - time.time() - 0.5)
                await asyncio.sleep(max(0, due_s - time.time()))
                began = time.monotonic()
                async with asyncio.TaskGroup() as group:
                    playing = group.create_task(game.play(began + seconds))
                    telling = group.create_task(hook.have(notices, seconds * 4))
                    await telling
                    told_s = time.monotonic() - began
                return _p99(quiet), _p99(playing.result()), told_s


async def measure(command: str, notices: int, seconds: float, rounds: int) -> None:
    """Measure and tell."""
    ratios = []
    for _ in range(rounds):
        quiet, meanwhile, told_s = await _round(command, notices, seconds)
        ratios.append(meanwhile / quiet)
        print(
            f"a move's p99 in quiet {quiet * 1000:6.2f} ms   meanwhile {meanwhile * 1000:6.2f} ms"
            f"   ratio {ratios[-1]:.2f}   {notices} notices in {told_s:.1f} s"
        )
    print(f"median ratio {median(ratios):.2f}")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="What notices that are due at once cost others.")
    parser.add_argument("--notices", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=15.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--server", default=ours(), help="the command")
    asked = parser.parse_args(argv)
    asyncio.run(measure(asked.server, asked.notices, asked.seconds, asked.rounds))


if __name__ == "__main__":
    main()
