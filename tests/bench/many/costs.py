"""What it costs to keep rooms in PostgreSQL, to pass players on, and to watch elsewhere."""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Final

from tests.bench import processors
from tests.bench.generator import LoadFailed, sleep_until
from tests.bench.many.installation import Installation, claim
from tests.bench.rows import Row
from tests.bench.stage import Stage, stage

Finding = tuple[str, float]
"""What was measured, and how much it was in one round."""

_MOVE_S: Final = 0.02
"""Between two moves of the game that many watch."""


def _busy(its: Stage, do: str = "play", **how: int) -> Row:
    row = its.measure("", {}, 0, do, **how)
    if row.faults:
        raise LoadFailed(f"{row.faults} faults: what was measured is worth nothing")
    return row


def stores(inst: Installation) -> Iterator[Finding]:
    """One server: PostgreSQL beside SQLite, in the same rounds."""
    plan = inst.plan
    with ExitStack() as stack:
        sqlite = stack.enter_context(stage(plan))
        shared = stack.enter_context(inst.server())
        postgres = stack.enter_context(inst.load(shared, "bench"))
        for _ in range(plan.rounds):
            cpu, p50, room = [], [], []
            for its in (sqlite, postgres):
                its.load.do("seat", rooms=plan.rooms[0])
                cpu.append(_busy(its).figures["cpu_us_per_moves"])
                its.load.do("seat", rooms=plan.paced_rooms[0], think_s=plan.think_s)
                p50.append(_busy(its).figures["own_p50_ms"])
                its.load.do("seat", rooms=0)
                room.append(_busy(its, "visit", at_once=plan.at_once).figures["cpu_us_per_rooms"])
            yield "CPU of a move, PostgreSQL to SQLite", cpu[1] / cpu[0]
            yield "p50 of a paced move, PostgreSQL to SQLite", p50[1] / p50[0]
            yield "CPU of a room that two join, PostgreSQL to SQLite", room[1] / room[0]


def relay(inst: Installation) -> Iterator[Finding]:
    """A move that a server passes on, beside one to the owner itself and one on SQLite."""
    plan, rooms = inst.plan, inst.plan.rooms[0]
    with ExitStack() as stack:
        owner = stack.enter_context(inst.server())
        other = stack.enter_context(inst.server())
        stages = {
            "SQLite": stack.enter_context(stage(plan)),
            "direct": stack.enter_context(inst.load(owner, "direct")),
            "relayed": stack.enter_context(inst.load(other.helped_by(owner), "relayed")),
        }
        seated = 0
        for _ in range(plan.rounds):
            busy: dict[str, Mapping[str, float]] = {}
            paced: dict[str, Mapping[str, float]] = {}
            for name, its in stages.items():
                for measured, think_s in ((busy, 0.0), (paced, plan.think_s)):
                    if name == "relayed":
                        claim(owner, name, range(seated + 1, seated + rooms + 1))
                        seated += rooms
                    its.load.do("seat", rooms=rooms, think_s=think_s)
                    measured[name] = _busy(its).figures
            cpu = {name: figures["cpu_us_per_moves"] for name, figures in busy.items()}
            yield (
                "CPU of both servers for a relayed move, to a direct one",
                (cpu["relayed"] / cpu["direct"]),
            )
            for name in stages:
                yield f"p50 of a paced move, {name}, ms", paced[name]["own_p50_ms"]
                yield f"p99 of a paced move, {name}, ms", paced[name]["own_p99_ms"]
            yield (
                "p50 of a paced move, relayed to direct",
                (paced["relayed"]["own_p50_ms"] / paced["direct"]["own_p50_ms"]),
            )


def fan_out(inst: Installation) -> Iterator[Finding]:
    """Both servers' work for relayed spectators of one game, beside the owner's for its own."""
    plan = replace(inst.plan, seconds=max(inst.plan.seconds, 2.0))
    with ExitStack() as stack:
        owner = stack.enter_context(inst.server())
        other = stack.enter_context(inst.server())
        both = owner.helped_by(other)
        loads = {
            name: stack.enter_context(replace(inst, plan=plan).load(both, name))
            for name in ("alone", "direct", "relayed")
        }
        many = plan.spectators[0]
        seat = {"rooms": 1, "think_s": _MOVE_S}
        loads["alone"].load.do("seat", **seat)
        loads["direct"].load.do("seat", **seat, spectators=many)
        loads["relayed"].load.do("seat", **seat, spectators=many, spectators_port=other.port)
        for _ in range(plan.rounds):
            before, began = both.cpu_s(), time.monotonic()
            time.sleep(1)
            idle = (both.cpu_s() - before) / (time.monotonic() - began)
            cost = {}
            for name, its in loads.items():
                figures = _busy(its).figures
                cost[name] = (figures["server_busy"] - idle) / figures["moves_per_s"]
            of_spectators = (cost["relayed"] - cost["alone"]) / (cost["direct"] - cost["alone"])
            yield f"CPU of both servers for {many} relayed spectators, to local ones", of_spectators


def two_servers(inst: Installation) -> Iterator[Finding]:
    """Rooms without a pause on two servers and two processors, beside one server, and SQLite."""
    plan, rooms = inst.plan, 2 * inst.plan.rooms[0]
    with ExitStack() as stack:
        sqlite = stack.enter_context(stage(plan))
        alone = stack.enter_context(inst.server())
        one = stack.enter_context(inst.load(alone, "one"))
        servers = [stack.enter_context(inst.server()) for _ in range(2)]
        processors.give_to_load(servers[1].pid)  # where the first is not
        halves = [
            stack.enter_context(inst.load(server, f"half{number}x"))
            for number, server in enumerate(servers)
        ]
        for its in (sqlite, one):
            its.load.do("seat", rooms=rooms)
        for its in halves:
            its.load.do("seat", rooms=rooms // 2)
        for _ in range(plan.rounds):
            of_sqlite = _busy(sqlite).figures["moves_per_s"]
            of_one = _busy(one).figures["moves_per_s"]
            of_two = _together(halves, plan.warm_s, plan.seconds)
            yield "moves/s of one server on SQLite", of_sqlite
            yield "moves/s of one server", of_one
            yield "moves/s of two servers", of_two
            yield "two servers to one", of_two / of_one


def _together(stages: list[Stage], warm_s: float, seconds: float) -> float:
    """Return the moves a second of several loads at the same time."""
    begin = time.monotonic() + warm_s
    for its in stages:
        its.load.begin("play", begin=begin, end=begin + seconds)
    sleep_until(begin + seconds)
    moves: int = sum(its.load.told()["moves"] for its in stages)
    return moves / seconds
