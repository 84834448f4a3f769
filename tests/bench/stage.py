"""A server and a load on it, that are measured for a while, again and again."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from tests.bench.figures import percentile
from tests.bench.generator import Generator, Told, generator, sleep_until
from tests.bench.plan import Plan
from tests.bench.rows import Case, Row
from tests.bench.server import Server, running

PARTS: Final = {"p50": 0.5, "p99": 0.99}


class Stage:
    """A server, and what puts load on it."""

    def __init__(self, server: Server, load: Generator, plan: Plan) -> None:
        self.server = server
        self.load = load
        self._plan = plan

    def measure(self, table: str, case: Case, round_: int, do: str = "play", **how: Any) -> Row:
        """One round: what was done in the time, and what it cost."""
        begin = time.monotonic() + self._plan.warm_s
        end = begin + self._plan.seconds
        self.load.begin(do, begin=begin, end=end, **how)
        sleep_until(begin)
        before = self.server.cpu_s()
        sleep_until(end)
        cpu_s = self.server.cpu_s() - before
        told = self.load.told()
        return Row(table, case, round_, self._figures(told, cpu_s), told["faults"])

    def _figures(self, told: Told, cpu_s: float) -> dict[str, float]:
        seconds = self._plan.seconds
        figures = {
            "server_busy": cpu_s / seconds,
            "load_busy": told["busy_s"] / (seconds + self._plan.warm_s),
        }
        for what in ("moves", "deliveries", "rooms"):
            if told[what]:
                figures |= {
                    f"{what}_per_s": told[what] / seconds,
                    f"cpu_us_per_{what}": cpu_s * 1e6 / told[what],
                }
        for what, times in told["times"].items():
            figures |= {
                f"{what}_{name}_ms": percentile(times, part) / 1000 for name, part in PARTS.items()
            }
        return figures


@contextmanager
def stage(plan: Plan, *options: str) -> Iterator[Stage]:
    """A new server with these options, and nobody there as yet."""
    with (
        running(plan.server, plan.folder, *options) as server,
        generator(server) as load,
    ):
        yield Stage(server, load, plan)
