"""Figures from a server's metrics: current ones, and rates between two scrapes. Pure.

They are shown as lines of a terminal; `asdict` makes them the object for programs.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

HISTOGRAMS: Final = {
    "commit": ("ttt_commit_seconds", "to disk", 0.1),
    "move": ("ttt_move_seconds", "a move", 0.1),
    "ai_think": ("ttt_ai_think_seconds", "an AI's move", 5.0),
    "loop_lag": ("ttt_event_loop_lag_seconds", "loop lag", 0.1),
}
"""The metric of each, its title, and the p99 in seconds above which it is red; docs/metrics.md has
the same values as alerts."""
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
"""The names of other metrics that are read."""

_RED, _DIM, _BOLD, _PLAIN = "\x1b[31m", "\x1b[2m", "\x1b[1m", "\x1b[0m"

_MOST_REFUSALS = 4


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
    seconds, kept = max(now.at - before.at, 1e-9), now.values.get(KEPT, {})
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
        times={key: _times(before, now, name) for key, (name, _, _) in HISTOGRAMS.items()},
        kept={what: None if bound == math.inf else bound for what, bound in kept.items()},
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


def lines(found: Figures, server: str, *, colours: bool) -> Iterator[str]:
    """Yield the figures in lines of at most 79 characters, beside colours."""

    def paint(text: str, colour: str) -> str:
        return f"{colour}{text}{_PLAIN}" if colours else text

    healthy = "healthy" if found.healthy else paint("the store fails", _RED)
    yield paint(f"ttt-server {found.version}", _BOLD) + f"  {server[:40]}  {healthy}"
    yield ""
    rooms = ", ".join(f"{count} {status}" for status, count in found.rooms.items())
    yield _row("rooms", str(sum(found.rooms.values())), rooms)
    people = f"{_count(found.rates['connects'])}/s new"
    yield _row("connections", _count(found.gauges["connections"]), people)
    yield _row("spectators", _count(found.gauges["spectators"]), "")
    yield _row("moves", f"{_count(found.rates['moves'])}/s", _so_far(found.totals["moves"]))
    yield _row("refusals", f"{_count(sum(found.refusals.values()))}/s", _refusals(found))
    cuts = found.rates["slow_peers_cut"]
    row = _row("slow peers cut", f"{_count(cuts)}/s", _so_far(found.totals["slow_peers_cut"]))
    yield paint(row, _RED) if cuts else row
    yield _row("AI forfeits", str(found.ai_failures), "so far")
    yield ""
    yield paint(_columns("time", "p50", "p99", "number"), _DIM)
    for key, times in found.times.items():
        _, title, slow_s = HISTOGRAMS[key]
        row = _columns(title, _time(times.p50), _time(times.p99), str(times.count))
        yield paint(row, _RED) if times.p99 is not None and times.p99 > slow_s else row
    yield ""
    memory = found.gauges["memory_bytes"]
    shown = "-" if memory is None else f"{memory / 1e6:.0f} MB"
    processor = found.rates["cpu_s"]
    used = "-" if processor is None else f"{100 * processor:.0f} % of a processor"
    yield _row("memory", shown, f"{used}, {_count(found.gauges['open_files'])} files open")
    if found.kept:
        kept = (f"{what.replace('_', ' ')} {_kept(what, at)}" for what, at in found.kept.items())
        yield _row("kept", "", ", ".join(kept))


def _row(title: str, value: str, more: str) -> str:
    return f"  {title:<16}{value:>10}  {more}".rstrip()[:79]


def _columns(title: str, p50: str, p99: str, number: str) -> str:
    return f"  {title:<16}{p50:>10}{p99:>12}{number:>10}"


def _refusals(found: Figures) -> str:
    most = sorted(found.refusals.items(), key=lambda one: -one[1])[:_MOST_REFUSALS]
    told = ", ".join(f"{code} {_count(rate)}/s" for code, rate in most)
    return told or f"{found.refusals_total} so far"


def _kept(what: str, bound: float | None) -> str:
    if bound is None:
        return "all"
    return str(int(bound)) if what == "games" else f"{_count(bound / 86_400)}d"


def _so_far(total: float | None) -> str:
    return f"{_count(total)} so far"


def _count(number: float | None) -> str:
    if number is None:
        return "-"
    return f"{number:.1f}" if 0 < number < 10 and number % 1 else f"{number:.0f}"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} us"
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
