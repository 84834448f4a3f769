"""A soak: rooms come and go for minutes, and nothing of the server grows.

    python -m tests.bench.soak [MINUTES]

Humans, AIs and spectators in rooms that live for some seconds; clients that are cut off in the
middle. Every half minute a line with the server's memory, descriptors and rooms, and the size of
the log beside the database.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from tests.integration.bots import Bot
from tests.integration.programs import ServerProcess
from tests.integration.raw import TEXT, RawPeer

ROOMS_AT_ONCE = 30
LIFE_S = 6.0
EVERY_S = 30.0
OPTIONS = (
    *("--commands-per-10s", "100000", "--command-burst", "10000"),
    *("--max-rooms-per-address", "100000", "--max-connections-per-address", "10000"),
    *("--room-idle-s", "2", "--room-abandon-s", "5", "--send-timeout-s", "2"),
)


async def one_room(server: ServerProcess, number: int, random: Random) -> int:
    """Two bots, or one and an AI, and two who watch: one reads, and one does not."""
    room = f"soak{number}"
    settings: dict[str, object] = {"pace_s": 0}
    against_ai = random.random() < 0.5
    if against_ai:
        strategy = random.choice(["rules", "minimax", "random", "search"])
        settings["seats"] = {"O": {"strategy": strategy}}
        if strategy == "search":
            settings["seats"] = {"O": {"strategy": strategy, "level": 0}}
    bots = [
        Bot(server.address, room, random, settings=settings) for _ in range(1 if against_ai else 2)
    ]
    playing = [asyncio.create_task(bot.play()) for bot in bots]
    await asyncio.sleep(LIFE_S / 4)
    watchers = [await RawPeer.connect(server, room) for _ in range(2)]
    for peer in watchers:
        await peer.send(TEXT, b'{"type":"join","role":"spectator"}')
    listening = asyncio.create_task(watchers[0].listen())
    await asyncio.sleep(random.uniform(0.5, 1.5) * LIFE_S)
    for task in (*playing, listening):  # in the middle of whatever they do
        task.cancel()
    await asyncio.gather(*playing, listening, return_exceptions=True)
    for peer in watchers:
        peer.close()
    return bots[0].account.moves


async def keep_busy(
    server: ServerProcess, slot: int, until: float, random: Random
) -> tuple[int, int]:
    rooms = moves = 0
    while time.monotonic() < until:
        moves += await one_room(server, slot + rooms * ROOMS_AT_ONCE, random)
        rooms += 1
    return rooms, moves


async def watch_over(server: ServerProcess) -> None:
    began = time.monotonic()
    log = server.data / "ttt.sqlite3-wal"
    database = server.data / "ttt.sqlite3"
    while True:
        _, listed = await server.get("/api/rooms")
        say(
            f"{time.monotonic() - began:5.0f} s  memory {server.memory() / 1e6:6.1f} MB"
            f"  descriptors {server.files():4}  rooms {len(listed['rooms']):4}"
            f"  log {size(log) / 1e6:5.2f} MB  database {size(database) / 1e6:6.2f} MB"
        )
        await asyncio.sleep(EVERY_S)


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def soak(minutes: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = ServerProcess(Path(folder), *OPTIONS)
        await server.start()
        before = server.files()
        watching = asyncio.create_task(watch_over(server))
        until = time.monotonic() + minutes * 60
        random = Random()
        slots = [keep_busy(server, slot, until, random) for slot in range(ROOMS_AT_ONCE)]
        done = await asyncio.gather(*slots)
        await asyncio.sleep(8)  # rooms leave memory, and left games are ended
        watching.cancel()
        _, listed = await server.get("/api/rooms")
        rooms, moves = map(sum, zip(*done, strict=True))
        say(
            f"{rooms} rooms, {moves} moves; then"
            f" {len(listed['rooms'])} rooms, {server.files()} descriptors ({before} at first),"
            f" {server.memory() / 1e6:.1f} MB"
        )
        status = await server.stop()
        complaints = (await server.log()).count("Traceback")
        say(f"exit status {status}, {complaints} tracebacks in the log")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.soak",
        description="Rooms come and go, and nothing of the server grows.",
    )
    parser.add_argument(
        "minutes", type=float, nargs="?", default=10, metavar="MINUTES", help="(default: 10)"
    )
    asyncio.run(soak(parser.parse_args().minutes))
