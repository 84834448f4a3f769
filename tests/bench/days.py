"""What rooms with days a move cost the start of a server, and its memory while nobody is there.

    python -m tests.bench.days [--rooms 100000] [--rounds 5] [--rest 5] [--server COMMAND]

The database is written through the store's own tables: each room has a running game of two guests,
and its deadline. In each round the server starts on an empty data folder and on this one, in turn.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple
from urllib.request import urlopen

from tests.bench.server import ours, running
from ttt_engine.learning.memory import Memory
from ttt_protocol.codec import EncodedEvents, encode_log
from ttt_protocol.commands import Join, Play
from ttt_protocol.state import Mark, RoomName, SessionId, Settings
from ttt_server.core.play import play
from ttt_server.core.seating import admit, create
from ttt_server.storage import DATABASE
from ttt_server.storage.sqlite.opening import open_database
from ttt_server.storage.sqlite.tables import EventTables

MOST_S: Final = 1.0
"""How much longer a start may take."""

MOST_BYTES: Final = 100
"""Of memory for a room."""

_DAYS: Final = 14
_A_COMMIT: Final = 10_000
"""Rooms."""


def _game(now: int) -> tuple[EncodedEvents, int]:
    """Return the events of a room whose game has had a move, and when its flag falls."""
    made = create(RoomName("any"), Settings(days=_DAYS), now)  # events do not have the name
    first = admit(made.after, SessionId("ada"), Join(name="ada"), now)
    second = admit(first.after, SessionId("bob"), Join(name="bob"), now)
    moved = play(second.after, Mark.X, Play(game=1, ply=0, cell=4), now)
    if moved.after.flag_falls_at is None:
        raise AssertionError("no flag falls in a game with days a move")
    events = *made.events, *first.events, *second.events, *moved.events
    return encode_log(events), moved.after.flag_falls_at


def write(folder: Path, rooms: int) -> None:
    """Write a data folder with so many rooms."""
    folder.mkdir(parents=True)
    tables = EventTables(open_database(folder / DATABASE, Memory()))
    lines, falls_at = _game(time.time_ns() // 1_000_000)
    for number in range(rooms):
        name = RoomName(f"days{number}")
        tables.note_deadline(name, falls_at + number)
        tables.append(name, 1, lines, None)
        if number % _A_COMMIT == 0:
            tables.settle()
            tables.commit()
    tables.settle()
    tables.commit()
    tables.database.close()


class Start(NamedTuple):
    """A start of the server, and its rest."""

    listens_s: float
    answers_s: float
    memory: float
    """Bytes."""


def _start(command: str, rest_s: float, *options: str) -> Start:
    began = time.perf_counter()
    with running(command, None, *options) as server:
        listens_s = time.perf_counter() - began
        urlopen(f"http://127.0.0.1:{server.port}/api/rooms").read()
        answers_s = time.perf_counter() - began
        time.sleep(rest_s)
        return Start(listens_s, answers_s, server.memory_kib() * 1024)


def measure(command: str, folder: Path, rooms: int, rounds: int, rest_s: float) -> None:
    """Measure and tell."""
    found: list[tuple[float, ...]] = []
    for at in range(rounds):
        if at % 2:  # neither is always the first
            bare = _start(command, rest_s)
        full = _start(command, rest_s, "--data", str(folder), "--accept-loss")
        if not at % 2:
            bare = _start(command, rest_s)
        found.append(tuple(b - a for a, b in zip(bare, full, strict=True)))
        print(
            f"empty, full: listens after {bare.listens_s:.2f}, {full.listens_s:.2f} s,"
            f" answers after {bare.answers_s:.2f}, {full.answers_s:.2f} s,"
            f" has {bare.memory / 1e6:.1f}, {full.memory / 1e6:.1f} MB",
            flush=True,
        )
    listens_s, answers_s, memory = (median(each) for each in zip(*found, strict=True))
    is_soon, is_small = max(listens_s, answers_s) <= MOST_S, memory / rooms <= MOST_BYTES
    print(
        f"listens {listens_s:+.3f} s, answers {answers_s:+.3f} s, at most {MOST_S}:"
        f" {'met' if is_soon else 'NOT MET'}\n"
        f"{memory / rooms:+.1f} bytes a room, at most {MOST_BYTES}:"
        f" {'met' if is_small else 'NOT MET'}"
    )


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="What rooms with days a move cost a start.")
    parser.add_argument("--rooms", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rest", type=float, default=5.0, help="seconds before memory is read")
    parser.add_argument("--server", default=ours(), help="the command")
    asked = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="ttt-bench-") as made:
        folder = Path(made) / "data"
        write(folder, asked.rooms)
        size = (folder / DATABASE).stat().st_size
        print(f"{asked.rooms} rooms, {size / 1e6:.0f} MB", flush=True)
        measure(asked.server, folder, asked.rooms, asked.rounds, asked.rest)


if __name__ == "__main__":
    main()
