"""What is measured. Each subject gives its rows round by round, its cases taking turns."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.request import urlopen

from tests.bench.plan import Plan
from tests.bench.reading_list import room_list
from tests.bench.rejoin import rejoin
from tests.bench.rows import Case, Row
from tests.bench.server import running
from tests.bench.stage import stage
from tests.integration.programs import environment
from ttt_engine import TIC_TAC_TOE
from ttt_engine.strategies import make

SERVERS: Final[dict[str, tuple[str, ...]]] = {
    "as it comes": (),
    "--store memory:": ("--store", "memory:"),
}
if _POSTGRES := os.environ.get("BENCH_POSTGRES"):
    SERVERS["PostgreSQL"] = ("--store", _POSTGRES)
"""Beside them, with `BENCH_POSTGRES=postgresql://…`, the store in a database that is running."""


_LEAST_PER_S: Final = 1000
"""So many moves are made in a second, at the very least; all rooms wait for one another."""


@dataclass(frozen=True)
class Setting:
    """A server of its own for a case, and who is there."""

    case: Case
    options: tuple[str, ...] = ()
    seat: dict[str, Any] = field(default_factory=dict)


def _in_turn(
    plan: Plan, table: str, settings: Sequence[Setting], do: str = "play", **how: Any
) -> Iterator[Row]:
    """All servers run and all seats are taken; one after the other is busy for a moment."""
    with ExitStack() as stack:
        stages = [stack.enter_context(stage(plan, *setting.options)) for setting in settings]
        for setting, its in zip(settings, stages, strict=True):
            if setting.seat:
                its.load.do("seat", **setting.seat)
        for round_ in range(plan.rounds):
            for setting, its in zip(settings, stages, strict=True):
                yield its.measure(table, setting.case, round_, do, **how)


def play(plan: Plan) -> Iterator[Row]:
    """Two play in each room, without a pause."""
    for rooms in plan.rooms:
        settings = [
            Setting({"rooms": rooms, "server": name}, options, {"rooms": rooms})
            for name, options in SERVERS.items()
        ]
        longer = replace(  # as each room needs a few moves
            plan,
            seconds=max(plan.seconds, rooms / _LEAST_PER_S),
            warm_s=max(plan.warm_s, rooms / _LEAST_PER_S / 2),
        )
        yield from _in_turn(longer, "play", settings)


def paced(plan: Plan) -> Iterator[Row]:
    """They think before each move, so that the server has time."""
    names = [name for name in SERVERS if name != "--store memory:"]
    settings = [
        Setting(
            {"rooms": rooms} | ({"server": name} if len(names) > 1 else {}),
            SERVERS[name],
            {"rooms": rooms, "think_s": plan.think_s},
        )
        for rooms in plan.paced_rooms
        for name in names
    ]
    yield from _in_turn(plan, "paced", settings)


def fan_out(plan: Plan) -> Iterator[Row]:
    """One game, and many who watch."""
    settings = [
        Setting({"spectators": spectators}, seat={"rooms": 1, "spectators": spectators})
        for spectators in plan.spectators
    ]
    yield from _in_turn(plan, "fan-out", settings)


def ai(plan: Plan) -> Iterator[Row]:
    """The same rooms with two people, and with one and an AI."""
    seat = {"rooms": plan.ai_rooms}
    settings = [
        Setting({"seats": "two people"}, seat=seat),
        Setting({"seats": "one, and minimax"}, seat=seat | {"players": 1, "strategy": "minimax"}),
    ]
    yield from _in_turn(plan, "ai", settings)


def thought(plan: Plan) -> Iterator[Row]:
    """How long the opponent of each strategy of 3x3 waits: from their own move to the answer."""
    with stage(plan) as its:
        with urlopen(f"http://127.0.0.1:{its.server.port}/api/strategies") as answer:
            listed = [strategy["name"] for strategy in json.load(answer)["strategies"]]
        names = [name for name in listed if make(name).plays(TIC_TAC_TOE)]
        for round_ in range(plan.rounds):
            for name in names:
                its.load.do("seat", rooms=1, players=1, strategy=name)
                yield its.measure("thought", {"strategy": name}, round_)


def join(plan: Plan) -> Iterator[Row]:
    """Rooms are made, filled and left, one after the other."""
    settings = [
        Setting({"rooms at once": plan.at_once, "server": name}, SERVERS[name]) for name in SERVERS
    ]
    yield from _in_turn(plan, "join", settings, "visit", at_once=plan.at_once)


def memory(plan: Plan) -> Iterator[Row]:
    """What one more of each costs, of the resident memory of a new server."""
    for round_ in range(plan.rounds):
        for what, kib in (_idle(plan) | _seated(plan)).items():
            yield Row("memory", {"one more": what}, round_, {"kib": kib})


def _idle(plan: Plan) -> dict[str, float]:
    with stage(plan) as its:
        before = its.server.memory_kib()
        its.load.do("open", connections=plan.connections)
        time.sleep(plan.warm_s)
        return {"idle connection": (its.server.memory_kib() - before) / plan.connections}


def _seated(plan: Plan) -> dict[str, float]:
    """Rooms get their first player, and then their second."""
    rooms = plan.connections // 2
    with stage(plan) as its:
        empty = its.server.memory_kib()
        its.load.do("seat", rooms=rooms, players=1)
        time.sleep(plan.warm_s)
        half = its.server.memory_kib()
        its.load.do("fill")
        time.sleep(plan.warm_s)
        full = its.server.memory_kib()
    player = (full - half) / rooms
    return {
        "seated player": player,
        "room, without its players": (half - empty) / rooms - player,
        "room with two players": (full - empty) / rooms,
    }


def start(plan: Plan) -> Iterator[Row]:
    """From the start of the process to its first answer, beside a Python that does nothing."""
    for round_ in range(plan.rounds):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True, env=environment())
        bare = {"start_ms": (time.perf_counter() - began) * 1000}
        yield Row("start", {"program": "python -c pass"}, round_, bare)
        began = time.perf_counter()
        with (
            running(plan.server, plan.folder) as server,
            urlopen(f"http://127.0.0.1:{server.port}/healthz"),
        ):
            took = (time.perf_counter() - began) * 1000
            ours = {"start_ms": took, "memory_mib": server.memory_kib() / 1024}
        yield Row("start", {"program": "ttt-server"}, round_, ours)


SUBJECTS: Final[dict[str, Callable[[Plan], Iterator[Row]]]] = {
    "play": play,
    "paced": paced,
    "fan-out": fan_out,
    "join": join,
    "ai": ai,
    "thought": thought,
    "memory": memory,
    "start": start,
    "rejoin": rejoin,
    "room-list": room_list,
}
