"""The figures of a server as lines of a terminal, and as an object for programs. Pure."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from ttt_server.cli.top.readings import Figures, Timing

_RED, _DIM, _BOLD, _PLAIN = "\x1b[31m", "\x1b[2m", "\x1b[1m", "\x1b[0m"

_TITLES = {
    "commit": "to disk",
    "move": "a move",
    "ai_think": "an AI's move",
    "loop_lag": "loop lag",
}
_SLOW_S = {"commit": 0.1, "move": 0.1, "ai_think": 5.0, "loop_lag": 0.1}
"""A p99 above these is red; docs/metrics.md has the same values as alerts."""

_MOST_REFUSALS = 4


def as_object(found: Figures) -> dict[str, Any]:
    """Return the figures as docs/metrics.md describes them."""
    return asdict(found)


def lines(found: Figures, server: str, *, colours: bool) -> list[str]:
    """Return the figures in lines of at most 79 characters, beside colours."""
    paint = _painted if colours else _unpainted
    return list(_lines(found, server, paint))


def _lines(found: Figures, server: str, paint: Callable[[str, str], str]) -> Iterator[str]:
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
        row = _columns(_TITLES[key], _time(times.p50), _time(times.p99), str(times.count))
        yield paint(row, _RED) if _is_slow(key, times) else row
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


def _is_slow(key: str, times: Timing) -> bool:
    return times.p99 is not None and times.p99 > _SLOW_S[key]


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


def _painted(text: str, colour: str) -> str:
    return f"{colour}{text}{_PLAIN}"


def _unpainted(text: str, _: str) -> str:
    return text
