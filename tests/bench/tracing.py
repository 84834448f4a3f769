"""What tracing users cost the players: the moves of a room beside eight of them, and without.

    python -m tests.bench.tracing [--rounds 8] [--users 8] [--pause-s 0] [--limit 2000]

The users ask for traces and comparisons of positions on several boards, each again once it has its
answer. They run in a process of their own, as their machines would. Each round plays in fresh rooms
beside the users; before it, between two and after the last as much is played in quiet. A ratio is
of a round to the quiet before and after it. That of quiet to quiet tells how far the machine
differs from itself. The time for which the server was ready to run, and other processes had the
processors, tells what they cost it on a machine that is busy with other work, too.
"""

import argparse
import asyncio
import itertools
import multiprocessing
import os
import shlex
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.bench.figures import percentile, spread
from tests.bench.history import Running, moves
from tests.integration.programs import program

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

_ASKED: Final = (
    "trace?strategy=minimax:9&counts=1",
    "trace?rules=7x6x4g&moves=d6d5d4&strategy=search:9",
    "trace?rules=15x15x5&moves=h8h9g8&strategy=search:3",
    "trace?rules=4x4x4&moves=b2&strategy=lines",
    "compare?rules=7x6x4g&moves=d6d5",
)
_GAMES: Final = 2
"""Games of 300 moves, one after the other, of a round, and of the quiet between two."""

_PARTS: Final = (("p50", 0.5), ("p99", 0.99))
_USERS_NICE: Final = 10
_PROCESSES: Final = multiprocessing.get_context("spawn")


class Users(NamedTuple):
    """The users: how many there are, and what each does."""

    number: int
    pause_s: float
    """From an answer to the next question."""
    limit: int
    """The steps of a trace."""


class _Tracing:
    """The questions of all users, in a process of its own."""

    def __init__(self, address: str, users: Users, answers: "Synchronized[int]") -> None:
        self._host, port = address.removeprefix("ws://").split(":")
        self._port = int(port)
        self._users = users
        self._answers = answers

    def __call__(self) -> None:
        os.nice(_USERS_NICE)
        asyncio.run(self._ask_all())

    async def _ask_all(self) -> None:
        await asyncio.gather(*map(self._ask_on, range(self._users.number)))

    async def _ask_on(self, number: int) -> None:
        """Ask as one user, until the process ends."""
        for path in itertools.islice(itertools.cycle(_ASKED), number, None):
            limit = f"&limit={self._users.limit}" if path.startswith("trace") else ""
            with suppress(OSError):
                await self._ask(f"/api/{path}{limit}")
            await asyncio.sleep(self._users.pause_s)

    async def _ask(self, path: str) -> None:
        reader, writer = await asyncio.open_connection(self._host, self._port)
        host = f"Host: {self._host}:{self._port}"
        writer.write(f"GET {path} HTTP/1.1\r\n{host}\r\nConnection: close\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
        if answer.startswith(b"HTTP/1.1 200"):
            with self._answers.get_lock():
                self._answers.value += 1


@asynccontextmanager
async def _asking(server: Running, users: Users) -> AsyncIterator["Synchronized[int]"]:
    """Have users inside, of whom one has an answer already; yield the number of answers."""
    answers = _PROCESSES.Value("i", 0)
    process = _PROCESSES.Process(target=_Tracing(server.address, users, answers), daemon=True)
    process.start()
    try:
        while not answers.value:  # noqa: ASYNC110 - no event comes from another process
            await asyncio.sleep(0.05)
        yield answers
    finally:
        process.terminate()
        process.join()


async def _play(server: Running, name: str) -> list[float]:
    return [took for at in range(_GAMES) for took in await moves(server, f"{name}-{at}")]


async def measure(command: str, folder: Path, rounds: int, users: Users) -> None:
    """Measure and tell."""
    server = await Running.start(command, folder)
    quiet: list[list[float]] = []
    beside: list[list[float]] = []
    waited: dict[str, list[float]] = {"in quiet": [], "beside": []}
    answers, took_s = 0, 0.0

    async def play(name: str, kind: str) -> list[float]:
        """Play, and note for which part of the time the server was ready and did not run."""
        before, began = server.spent(), time.perf_counter()
        took = await _play(server, name)
        passed_s = time.perf_counter() - began
        waited[kind].append((server.spent().waited_s - before.waited_s) / passed_s)
        return took

    try:
        await _play(server, "first")  # what the first connections pay is not the users'
        quiet.append(await play("quiet", "in quiet"))
        for at in range(rounds):
            async with _asking(server, users) as answered:
                before, began = answered.value, time.perf_counter()
                beside.append(await play(f"beside{at}", "beside"))
                answers += answered.value - before
                took_s += time.perf_counter() - began
            quiet.append(await play(f"quiet{at}", "in quiet"))
            _tell(f"{at}:", quiet[-2] + quiet[-1], beside[-1])
    finally:
        await server.stop()
    pairs = list(itertools.pairwise(quiet))
    for name, part in _PARTS:
        with_users = [
            percentile(one, part) / percentile(first + second, part)
            for one, (first, second) in zip(beside, pairs, strict=True)
        ]
        without = [percentile(second, part) / percentile(first, part) for first, second in pairs]
        for words, found in (("beside to quiet", with_users), ("quiet to quiet", without)):
            it = spread(found)
            print(f"{name} {words}: {it.median:.2f} ({it.least:.2f} to {it.largest:.2f})")
    for kind, parts in waited.items():
        it = spread([100 * part for part in parts])
        words = f"{it.median:.2f} % of the time ({it.least:.2f} to {it.largest:.2f})"
        print(f"the server waited for a processor {kind}: {words}")
    print(f"answers to the {users.number} users: {answers / took_s:.1f} a second")


def _tell(number: str, quiet: list[float], beside: list[float]) -> None:
    for name, part in _PARTS:
        times = (percentile(one, part) * 1e3 for one in (quiet, beside))
        print(number, name, "{:6.2f} ms, beside {:6.2f} ms".format(*times))


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="What tracing users cost the players.")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--users", type=int, default=8)
    parser.add_argument("--pause-s", type=float, default=0.0, help="from an answer to the next")
    parser.add_argument("--limit", type=int, default=2000, help="steps of a trace")
    parser.add_argument("--server", default=shlex.join([program("ttt-server")]), help="the command")
    asked = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="ttt-bench-") as made:
        folder = Path(made) / "data"
        users = Users(asked.users, asked.pause_s, asked.limit)
        asyncio.run(measure(asked.server, folder, asked.rounds, users))


if __name__ == "__main__":
    main()
