"""What a long history costs: rooms with many games beside rooms with ten, and a large database.

    python -m tests.bench.history [--games 50000] [--mb 1000] [--server COMMAND]

The database is written through the store's own tables. The first join of a room after a start, one
of its games over HTTP, and the moves of another room's players meanwhile are each timed for rooms
of ten games and for long ones, in turn and on the same server. Each start joins several rooms of
either kind once: they have one game more, each than the one before, so that the events since the
last snapshot differ. The starts are timed for an empty data folder and for the large database, in
turn.
"""

import argparse
import asyncio
import json
import shlex
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from websockets.asyncio.client import ClientConnection, connect

from tests.bench.figures import percentile
from tests.bench.server import LIMITS, PATIENCE_S
from tests.integration.programs import environment, program
from ttt_engine.learning.memory import Memory
from ttt_protocol.codec import EncodedEvents, encode_log
from ttt_protocol.commands import Join, Play
from ttt_protocol.state import Mark, RoomName, SessionId, Settings
from ttt_server.core.archive.saved_room import SNAPSHOT_EVENTS, is_between_games
from ttt_server.core.evolve import Decision
from ttt_server.core.play import next_game, play
from ttt_server.core.room import Room
from ttt_server.core.seating import admit, create
from ttt_server.storage import DATABASE
from ttt_server.storage.base import Snapshot
from ttt_server.storage.sqlite.opening import open_database
from ttt_server.storage.sqlite.tables import EventTables

FEW: Final = 10
ROOMS: Final = 8
"""Rooms of either kind."""
NOW: Final = 1_700_000_000_000
SECRET: Final = "a secret of the bench alone"
_CELLS: Final = (0, 3, 1, 4, 2)
_PACE_S: Final = 0.004
_MOVES: Final = 300
"""Fewer than a line needs, on a board of 19 by 19 that is filled row by row."""
_A_COMMIT: Final = 20_000


def series(games: int) -> Iterator[tuple[EncodedEvents, Snapshot | None]]:
    """Yield the events of a room with so many games, as its transactions would append them."""
    name = RoomName("series")  # neither events nor snapshots have it
    room, last = Room(name), 0

    def step(decision: Decision) -> tuple[EncodedEvents, Snapshot | None]:
        nonlocal room, last
        room, encoded = decision.after, encode_log(decision.events)
        if room.seq - last < SNAPSHOT_EVENTS or not is_between_games(room):
            return encoded, None
        last = room.seq
        return encoded, Snapshot.of(room)

    yield step(create(name, Settings(), NOW))
    for session in ("ada", "bob"):
        yield step(admit(room, SessionId(session), Join(name=session), NOW))
    for number in range(1, games + 1):
        if number > 1:
            yield step(next_game(room, NOW))
        for ply, cell in enumerate(_CELLS):
            seat = (Mark.X, Mark.O)[ply % 2]
            yield step(play(room, seat, Play(game=number, ply=ply, cell=cell), NOW))


def write(folder: Path, games: int, mb: int, rooms: int = ROOMS) -> None:
    """Write a data folder: long rooms, short ones, and others that fill so many megabytes."""
    folder.mkdir(parents=True)
    tables = EventTables(open_database(folder / DATABASE, Memory()))
    appends = list(series(games + rooms))
    for number in range(rooms):
        _write_room(tables, f"long{number}", appends[: _count(games + number)])
        _write_room(tables, f"short{number}", appends[: _count(FEW + number)])
    number, size = 0, 0
    while size < mb * 1_000_000:
        _write_room(tables, f"filler{number}", appends[: _count(FEW)])
        number += 1
        if number % 500 == 0:
            tables.settle()
            tables.commit()
            size = (folder / DATABASE).stat().st_size
    tables.settle()
    tables.commit()
    tables.database.close()


def _count(games: int) -> int:
    """Return how many appends a series of so many games has."""
    return 3 + len(_CELLS) + (games - 1) * (1 + len(_CELLS))


def _write_room(
    tables: EventTables, name: str, appends: list[tuple[EncodedEvents, Snapshot | None]]
) -> None:
    seq = 1
    for lines, snapshot in appends:
        tables.append(RoomName(name), seq, lines, snapshot)
        if seq // _A_COMMIT < (seq + len(lines)) // _A_COMMIT:
            tables.settle()
            tables.commit()
        seq += len(lines)


class Spent(NamedTuple):
    """Seconds of a process: on a processor, and ready to run while others had them."""

    ran_s: float
    waited_s: float


class Running:
    """A server on a data folder, and how long it took to start."""

    def __init__(self, process: asyncio.subprocess.Process, address: str, took_s: float) -> None:
        self._process = process
        self.address = address
        self.took_s = took_s

    @classmethod
    async def start(cls, command: str, folder: Path) -> "Running":
        began = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            *shlex.split(command),
            *("--port", "0", "--data", str(folder), "--secret", SECRET, *LIMITS),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment(),
        )
        assert process.stdout is not None
        line = await process.stdout.readline()
        return cls(process, line.split()[-1].decode(), time.perf_counter() - began)

    def spent(self) -> Spent:
        """Return what the process has spent since its start; zeros where the system does not tell.

        Source: `/proc/PID/schedstat`, of its first thread, which has the event loop.
        """
        try:
            text = Path(f"/proc/{self._process.pid}/schedstat").read_text()
        except OSError:
            return Spent(0, 0)
        ran, waited, _ = map(int, text.split())
        return Spent(ran / 1e9, waited / 1e9)

    async def stop(self) -> None:
        self._process.terminate()
        await asyncio.wait_for(self._process.wait(), PATIENCE_S)

    async def join(self, room: str) -> float:
        """Watch a room, and leave it; return the seconds from the join to the welcome."""
        async with connect(f"{self.address}/ws/rooms/{room}") as socket:
            return await _asked(socket, {"type": "join", "role": "spectator"}, "welcome")

    async def get(self, path: str) -> float:
        """Return the seconds that an answer over HTTP took."""
        host, port = self.address.removeprefix("ws://").split(":")
        began = time.perf_counter()
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(
            f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode()
        )
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        await reader.read()
        writer.close()
        return time.perf_counter() - began


async def _asked(socket: ClientConnection, command: dict[str, object], answer: str) -> float:
    began = time.perf_counter()
    await socket.send(json.dumps(command))
    while json.loads(await socket.recv())["type"] != answer:
        pass
    return time.perf_counter() - began


async def _has(socket: ClientConnection, ply: int) -> None:
    while True:
        message = json.loads(await socket.recv())
        assert message["type"] != "refused", message
        if message["type"] == "update" and message["room"]["game"]["ply"] >= ply:
            return


async def moves(server: Running, room: str) -> list[float]:
    """Play in a room of one's own, a move each few ms; return the seconds that each took."""
    times = []
    board = {"rules": {"columns": 19, "rows": 19, "in_a_row": 19}}
    url = f"{server.address}/ws/rooms/{room}"
    async with connect(url) as ada, connect(url) as bob:
        await _asked(ada, {"type": "join", "name": "ada", "settings": board}, "welcome")
        await _asked(bob, {"type": "join", "name": "bob"}, "welcome")
        for ply in range(_MOVES):
            mover, other = (ada, bob) if ply % 2 == 0 else (bob, ada)
            began = time.perf_counter()
            await mover.send(json.dumps({"type": "play", "game": 1, "ply": ply, "cell": ply}))
            await _has(mover, ply + 1)
            times.append(time.perf_counter() - began)
            await _has(other, ply + 1)
            await asyncio.sleep(_PACE_S)
    return times


async def _meanwhile(server: Running, at: int, work: Callable[[], Awaitable[float]]) -> list[float]:
    """Return the times of moves in another room while `work` is done again and again."""
    moving = asyncio.create_task(moves(server, f"other{at}"))
    while not moving.done():
        await work()
        await asyncio.sleep(0.02)
    return await moving


class Figures:
    """Times by what was done, for the short and the long room, and their ratios."""

    def __init__(self) -> None:
        self._short: dict[str, list[float]] = {}
        self._long: dict[str, list[float]] = {}

    def add(self, what: str, short: float, long: float) -> None:
        self._short.setdefault(what, []).append(short)
        self._long.setdefault(what, []).append(long)

    def tell(self) -> None:
        for what, short in self._short.items():
            long = self._long[what]
            ratios = [b / a for a, b in zip(short, long, strict=True)]
            print(
                f"{what:<40}{median(short) * 1e3:9.2f} ms{median(long) * 1e3:9.2f} ms"
                f"{median(ratios):7.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
            )


async def measure(command: str, folder: Path, games: int, rounds: int) -> None:
    figures = Figures()
    for at in range(rounds):
        with tempfile.TemporaryDirectory(dir=folder.parent) as empty:
            bare = await Running.start(command, Path(empty) / "data")
            await bare.stop()
        server = await Running.start(command, folder)
        figures.add("start: empty, large", bare.took_s, server.took_s)
        try:
            for number in range(ROOMS):  # what the first connections pay is not the rooms'
                await server.join(f"filler{ROOMS * at + number}")
            order = ("short", "long") if at % 2 else ("long", "short")
            joins = await _first_joins(server, at)
            figures.add("first join", median(joins["short"]), median(joins["long"]))
            paths = {
                "short": f"/api/rooms/short0/games/{FEW // 2}",
                "long": f"/api/rooms/long0/games/{games // 2}",
            }
            games_ = {room: [await server.get(paths[room]) for _ in range(30)] for room in order}
            figures.add("a game over HTTP", median(games_["short"]), median(games_["long"]))
            told = {}
            for number, room in enumerate(order):
                work = _reading(server, paths[room])
                told[room] = await _meanwhile(server, 2 * at + number, work)
            for name, part in (("p50", 0.5), ("p99", 0.99)):
                short, long = (percentile(told[room], part) for room in ("short", "long"))
                figures.add(f"another room's moves meanwhile, {name}", short, long)
        finally:
            await server.stop()
    print(f"{'':<40}{'10 games':>12}{f'{games} games':>12}   ratio")
    figures.tell()


async def _first_joins(server: Running, at: int) -> dict[str, list[float]]:
    """Return how long the first joins took, of a short and a long room in turn."""
    joins: dict[str, list[float]] = {"short": [], "long": []}
    for number in range(ROOMS):
        for kind in ("short", "long") if (at + number) % 2 else ("long", "short"):
            joins[kind].append(await server.join(f"{kind}{number}"))
    return joins


def _reading(server: Running, path: str) -> Callable[[], Awaitable[float]]:
    return lambda: server.get(path)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="What a long history costs.")
    parser.add_argument("--games", type=int, default=50_000)
    parser.add_argument("--mb", type=int, default=1000, help="the size of the database")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--server", default=shlex.join([program("ttt-server")]), help="the command")
    parser.add_argument("--data", type=Path, help="a folder that an earlier run has written")
    asked = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="ttt-bench-") as made:
        folder = asked.data or Path(made) / "data"
        if not (folder / DATABASE).exists():
            write(folder, asked.games, asked.mb)
        print(f"{(folder / DATABASE).stat().st_size / 1e6:.0f} MB")
        asyncio.run(measure(asked.server, folder, asked.games, asked.rounds))


if __name__ == "__main__":
    main()
