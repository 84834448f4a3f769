"""The metrics of several processes as those of one server. Pure."""

from collections.abc import Iterable
from typing import Final

_LEAST: Final = {"ttt_store_healthy", "process_start_time_seconds"}
"""Gauges that are combined by their minimum; all others are summed."""

_SAME: Final = {"ttt_build_info", "ttt_retention"}
"""Gauges that are the same everywhere."""


def add_up(texts: Iterable[bytes]) -> bytes:
    """Return the metrics of one server, from those of its processes, in text format 0.0.4."""
    families: dict[str, dict[str, float | None]] = {}
    for text in texts:
        family: dict[str, float | None] = {}
        for line in text.decode().splitlines():
            if line.startswith("# HELP "):
                family = families.setdefault(line, {line: None})
            elif line.startswith("#"):
                family[line] = None
            else:
                _add(family, *line.rsplit(" ", 1))
    lines = (
        name if value is None else f"{name} {value}"
        for family in families.values()
        for name, value in family.items()
    )
    return "\n".join([*lines, ""]).encode()


def _add(family: dict[str, float | None], sample: str, text: str) -> None:
    name, value = sample.partition("{")[0], float(text)
    known = family.get(sample)
    if known is None or name in _SAME:
        family[sample] = value
    elif name in _LEAST:
        family[sample] = min(known, value)
    else:
        family[sample] = known + value
