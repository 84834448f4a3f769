"""What several servers on one PostgreSQL cost, and what players see when one goes.

    python -m tests.bench.many                             all, some five minutes
    python -m tests.bench.many --quick                     whether it works
    python -m tests.bench.many --only relay failover       some of it

PostgreSQL comes from the wheel of the tests, with `fsync` on. Servers share one processor, and
PostgreSQL and the load the others, but for `two-servers`. Only ratios can be relied on: what is
compared is measured in the same round. A bound is that of the median, and of the p95 for
`failover`.
"""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from tests.bench import processors
from tests.bench.figures import percentile, spread
from tests.bench.machine import this_machine
from tests.bench.many import costs, faults
from tests.bench.many.costs import Finding
from tests.bench.many.filling import filling
from tests.bench.many.installation import Installation, postgres
from tests.bench.many.processes import BUSIER, CPU, HELD, RELAYED, processes
from tests.bench.plan import Plan
from tests.bench.server import descendants, ours

KILLED: Final = "until a room answers after kill -9, ms"

BOUNDS: Final = {
    "CPU of a move, PostgreSQL to SQLite": 1.25,
    "p50 of a paced move, PostgreSQL to SQLite": 2.0,
    "CPU of a room that two join, PostgreSQL to SQLite": 1.5,
    "CPU of both servers for a relayed move, to a direct one": 1.8,
    "CPU of both servers for 1000 relayed spectators, to local ones": 3.5,
    "longest without a seat after the stop, ms": 1000,
    "refused moves": 0,
    "appends, the last to the first": 1.2,
    CPU: 1.10,
    BUSIER: 1 / 1.7,
    HELD: 1 / 1.7,
    RELAYED: 5,
    KILLED: 1000,
}
"""At most so much."""

Subject = Callable[[Installation], Iterator[Finding]]

SUBJECTS: Final = (
    *("stores", "relay", "fan-out", "two-servers", "processes"),
    *("drain", "failover", "filling"),
)


def _subject(name: str, kills: int, *, is_quick: bool) -> Subject:
    subjects: dict[str, Subject] = {
        "stores": costs.stores,
        "relay": costs.relay,
        "fan-out": costs.fan_out,
        "two-servers": costs.two_servers,
        "drain": faults.drain,
        "failover": partial(faults.failover, kills=kills),
        "processes": processes,
        "filling": lambda _: filling(is_quick=is_quick),
    }
    return subjects[name]


def shown(what: str, values: Sequence[float]) -> str:
    """One line of the table."""
    median, least, largest = spread(values)
    line = f"{what:<66}{median:9.2f}"
    if len(values) > 1:
        line += f" ({least:.2f} to {largest:.2f}, {len(values)} rounds)"
    judged = median
    if what == KILLED:
        judged = percentile(values, 0.95)
        line += f", p95 {judged:.0f}"
    bound = BOUNDS.get(what)
    if bound is not None:
        line += f"   at most {bound:g}: {'met' if judged <= bound else 'NOT MET'}"
    return line


def _parser() -> argparse.ArgumentParser:
    about, _, more = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.many",
        description=about,
        epilog=more,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--only", nargs="+", choices=SUBJECTS, metavar="SUBJECT", help=", ".join(SUBJECTS)
    )
    parser.add_argument("--quick", action="store_true", help="small, and one round")
    parser.add_argument("--rounds", type=int, default=5, help="of each case (default: 5)")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each (default: 2)")
    parser.add_argument("--rooms", type=int, default=100, help="of a server (default: 100)")
    parser.add_argument("--spectators", type=int, default=1000, help="of a game (default: 1000)")
    parser.add_argument("--kills", type=int, default=20, help="of failover (default: 20)")
    parser.add_argument("--server", default=ours(), metavar="COMMAND", help="another server")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="a disk for SQLite")
    return parser


def _plan(options: argparse.Namespace) -> Plan:
    sizes = (options.rounds, options.seconds, options.rooms, options.spectators)
    rounds, seconds, rooms, spectators = (1, 0.5, 5, 5) if options.quick else sizes
    return Plan(
        options.server,
        options.data,
        rounds=rounds,
        seconds=seconds,
        rooms=(rooms,),
        paced_rooms=(rooms,),
        think_s=0.1 if options.quick else Plan.think_s,
        spectators=(spectators,),
    )


def main(argv: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(argv)
    plan = _plan(options)
    print(this_machine().text(), flush=True)
    with postgres() as server:
        for name in options.only or SUBJECTS:
            kills = 1 if options.quick else options.kills
            subject = _subject(name, kills, is_quick=options.quick)
            inst = Installation(plan, server.url(server.new_database()))
            found: dict[str, list[float]] = {}
            for what, value in subject(inst):
                found.setdefault(what, []).append(value)
            print(f"\n{name}")
            for what, values in found.items():
                print(f"  {shown(what, values)}", flush=True)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    processors.give_to_load(os.getpid())
    try:
        main()
    except KeyboardInterrupt:
        for pid in descendants(os.getpid()):
            os.kill(pid, signal.SIGKILL)
        sys.exit(130)
