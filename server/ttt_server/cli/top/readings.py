"""Figures from a server's metrics: current ones, and rates between two scrapes. Pure."""

import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

HISTOGRAMS: Final = {
    "commit": "ttt_commit_seconds",
    "move": "ttt_move_seconds",
    "ai_think": "ttt_ai_think_seconds",
    "loop_lag": "ttt_event_loop_lag_seconds",
}
GAUGES: Final = {
    "connections": "ttt_connections",
    "spectators": "ttt_spectators",
    "memory_bytes": "process_resident_memory_bytes",
    "open_files": "process_open_fds",
}
COUNTERS: Final = {
    "moves": "ttt_moves_total",
    "connects": "ttt_connections_opened_total",
    "slow_peers_cut": "ttt_outbox_cuts_total",
    "cpu_s": "process_cpu_seconds_total",
}
ROOMS, REFUSALS, FAILURES = "ttt_rooms", "ttt_refusals_total", "ttt_ai_failures_total"
HEALTHY, BUILD, KEPT = "ttt_store_healthy", "ttt_build_info", "ttt_retention"
NAMES: Final = {
    *HISTOGRAMS.values(),
    *GAUGES.values(),
    *COUNTERS.values(),
    *(ROOMS, REFUSALS, FAILURES, HEALTHY, BUILD, KEPT),
}
"""The metrics that are read; a histogram without `_bucket`."""


class NoMetrics(ValueError):
    """The text is not this server's metrics."""


@dataclass(frozen=True, slots=True)
class Scrape:
    """The metrics at one time. `at`: seconds of a monotonic clock."""

    at: float
    values: dict[str, dict[str, float]]
    """Each metric by its name, its values by the one label that it has; `""` where it has none."""

    @classmethod
    def parse(cls, text: str, at: float) -> "Scrape":
        """Parse the text that the server serves to Prometheus.

        Raises:
            NoMetrics: if it is something else.
        """
        values: defaultdict[str, dict[str, float]] = defaultdict(dict)
        try:
            for family in text_string_to_metric_families(text):
                for sample in family.samples:
                    values[sample.name][next(iter(sample.labels.values()), "")] = sample.value
        except ValueError:
            raise NoMetrics from None
        if HEALTHY not in values:
            raise NoMetrics
        return cls(at, dict(values))

    def value(self, name: str) -> float | None:
        """Return the value of a metric without labels, or `None`."""
        return self.values.get(name, {}).get("")


@dataclass(frozen=True, slots=True)
class Timing:
    """Durations in seconds: how many, their median and their 99th percentile."""

    count: int
    p50: float | None
    p99: float | None


@dataclass(frozen=True, slots=True)
class Figures:
    """The state of a server. Unknown figures are `None`."""

    version: str
    healthy: bool
    seconds: float
    """The time between the two readings."""
    rooms: dict[str, int]
    """The rooms of each status."""
    gauges: dict[str, float | None]
    totals: dict[str, float | None]
    rates: dict[str, float | None]
    """The totals per second."""
    refusals: dict[str, float]
    """Refusals per second, by code, if there were any."""
    refusals_total: int
    ai_failures: int
    times: dict[str, Timing]
    """Since the first reading."""
    kept: dict[str, float | None]
    """For how many seconds each kind of thing is kept, or how many games of a room; `None` for
    ever."""


def figures(before: Scrape, now: Scrape) -> Figures:
    """Compare two scrapes of one server. After a restart, count from the start."""
    seconds = max(now.at - before.at, 1e-9)
    refusals = {
        code: rise / seconds
        for code in now.values.get(REFUSALS, {})
        if (rise := _rise(before, now, REFUSALS, code)) > 0
    }
    return Figures(
        version=next(iter(now.values.get(BUILD, {"?": 1}))),
        healthy=now.value(HEALTHY) == 1,
        seconds=seconds,
        rooms={status: int(count) for status, count in now.values.get(ROOMS, {}).items()},
        gauges={key: now.value(name) for key, name in GAUGES.items()},
        totals={key: now.value(name) for key, name in COUNTERS.items()},
        rates={
            key: None if now.value(name) is None else _rise(before, now, name, "") / seconds
            for key, name in COUNTERS.items()
        },
        refusals=refusals,
        refusals_total=int(sum(now.values.get(REFUSALS, {}).values())),
        ai_failures=int(sum(now.values.get(FAILURES, {}).values())),
        times={key: _times(before, now, name) for key, name in HISTOGRAMS.items()},
        kept={
            what: None if bound == math.inf else bound
            for what, bound in now.values.get(KEPT, {}).items()
        },
    )


def _rise(before: Scrape, now: Scrape, name: str, label: str) -> float:
    value = now.values[name][label]
    rise = value - before.values.get(name, {}).get(label, 0)
    return value if rise < 0 else rise


def _times(before: Scrape, now: Scrape, name: str) -> Timing:
    series = f"{name}_bucket"
    bounds = [(float(label), label) for label in now.values.get(series, {})]
    counts = [(bound, _rise(before, now, series, label)) for bound, label in sorted(bounds)]
    total = counts[-1][1] if counts else 0
    return Timing(int(total), _quantile(counts, 0.5), _quantile(counts, 0.99))


def _quantile(counts: list[tuple[float, float]], share: float) -> float | None:
    """Return a quantile as Prometheus does, interpolated within a bucket.

    Args:
        counts: upper bounds, ascending, and how many durations are within each.
        share: of the durations, 0 to 1.
    """
    if not counts or not counts[-1][1]:
        return None
    rank = counts[-1][1] * share
    for (low, below), (high, within) in pairwise([(0.0, 0.0), *counts]):
        if within >= rank:
            if high == float("inf"):
                return low
            return low + (high - low) * (rank - below) / (within - below)
    return None  # pragma: no cover - the last bucket has them all
