"""Long rooms that are joined again at once, as after a restart, beside one after the other.

Another room plays meanwhile, and before it: what its players notice, and what the server's memory
grows by.
"""

import asyncio
import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from websockets.asyncio.client import ClientConnection, connect

from tests.bench.figures import percentile
from tests.bench.generator import Told, sleep_until
from tests.bench.history import SECRET, series
from tests.bench.plan import Plan
from tests.bench.rows import Row
from tests.bench.stage import Stage, stage
from ttt_engine.learning.memory import Memory
from ttt_protocol.state import RoomName
from ttt_server.storage import DATABASE
from ttt_server.storage.sqlite.opening import open_database
from ttt_server.storage.sqlite.tables import EventTables

JOINS: Final = ("one after the other", "at once")
THINK_S: Final = 0.004
_EVENTS_A_GAME: Final = 6
_EVENTS_A_S: Final = 60_000
"""The events that a server reads in a second, at the least."""
_REST_S: Final = 2.0
"""After the joins, before the memory is looked at again."""


def rejoin(plan: Plan) -> Iterator[Row]:
    """Spectators come back to long rooms at once, while another room plays."""
    with tempfile.TemporaryDirectory(dir=plan.folder, prefix="ttt-bench-") as folder:
        for logs in plan.long_logs:
            written, data = Path(folder) / logs, Path(folder) / "data"
            write(written, plan, has_snapshots=logs == "with snapshots")
            for round_ in range(plan.rounds):
                for joins in JOINS:
                    shutil.copytree(written, data)
                    with stage(plan, "--data", str(data), "--secret", SECRET) as its:
                        yield _round(plan, its, logs, joins, round_)
                    shutil.rmtree(data)


def write(folder: Path, plan: Plan, *, has_snapshots: bool) -> None:
    """Write a data folder with the long rooms, as an older version or this one would."""
    folder.mkdir(parents=True)
    tables = EventTables(open_database(folder / DATABASE, Memory()))
    appends = list(series(plan.long_events // _EVENTS_A_GAME))
    for number in range(plan.long_rooms):
        seq = 1
        for lines, snapshot in appends:
            kept = snapshot if has_snapshots else None
            tables.append(RoomName(f"long{number}"), seq, lines, kept)
            seq += len(lines)
        tables.settle()
        tables.commit()
    tables.database.close()


def _round(plan: Plan, its: Stage, logs: str, joins: str, round_: int) -> Row:
    its.load.do("seat", rooms=1, think_s=THINK_S)
    quiet = _play(its, plan.warm_s, plan.seconds)
    seconds = max(plan.seconds, plan.long_rooms * plan.long_events / _EVENTS_A_S)
    before = its.server.memory_kib()
    told, times, peak = asyncio.run(_joined(plan, its, seconds, is_at_once=joins == "at once"))
    time.sleep(plan.warm_s and _REST_S * min(1, plan.seconds))
    own = told["times"].get("own", [])
    figures = {
        "quiet_p99_ms": percentile(quiet["times"].get("own", []), 0.99) / 1000,
        "own_p99_ms": percentile(own, 0.99) / 1000,
        "own_worst_ms": percentile(own, 1) / 1000,
        "join_p50_ms": percentile(times, 0.5) * 1000,
        "join_last_ms": percentile(times, 1) * 1000,
        "peak_mib": (peak - before) / 1024,
        "left_mib": (its.server.memory_kib() - before) / 1024,
    }
    case = {"logs": logs, "joins": joins}
    return Row("rejoin", case, round_, figures, quiet["faults"] + told["faults"])


def _play(its: Stage, warm_s: float, seconds: float) -> Told:
    begin = time.monotonic() + warm_s
    return its.load.do("play", begin=begin, end=begin + seconds)


async def _joined(
    plan: Plan, its: Stage, seconds: float, *, is_at_once: bool
) -> tuple[Told, list[float], float]:
    """Join all rooms while another plays; return its times, those of the joins, the peak in KiB."""
    url = f"ws://127.0.0.1:{its.server.port}/ws/rooms/long"
    sockets = [await connect(f"{url}{number}") for number in range(plan.long_rooms)]
    begin = time.monotonic() + plan.warm_s
    its.load.begin("play", begin=begin, end=begin + seconds)
    await asyncio.to_thread(sleep_until, begin)
    if is_at_once:
        times = list(await asyncio.gather(*map(_join, sockets)))
    else:
        times = [await _join(socket) for socket in sockets]
    told = await asyncio.to_thread(its.load.told)
    peak = its.server.peak_kib()
    for socket in sockets:
        await socket.close()
    return told, times, peak


async def _join(socket: ClientConnection) -> float:
    """Join as a spectator; return the seconds until the welcome."""
    began = time.perf_counter()
    await socket.send(json.dumps({"type": "join", "role": "spectator"}))
    while json.loads(await socket.recv())["type"] != "welcome":
        pass
    return time.perf_counter() - began
