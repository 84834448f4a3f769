"""The names that a shell completes: it asks this program for them."""

import asyncio
import re
from typing import Any

from ttt_client.cli.arguments import WrongUsage, server_of
from ttt_client.model.options import BOARDS
from ttt_client.net.http import listed
from ttt_protocol.strengths import Strength

_LOOK_UP_S = 1.0
"""Seconds that the server may take: the shell waits for it."""


def names(kind: str, server: str | None) -> list[str]:
    """Return the names of a kind, with the server's if it answers soon.

    Args:
        kind: `rooms`, `ais` or `boards`.
        server: the server's address as it was typed, if it was.
    """
    match kind:
        case "boards":
            return [*BOARDS]
        case "ais":
            strategies = _listed("strategies", server)
            with_levels = [name for name, one in strategies.items() if one.get("levels") is True]
            levels = [f"{name}:{level}" for name in with_levels for level in range(10)]
            return [*Strength, *strategies, *levels]
        case _:
            return [*_listed("rooms", server)]


def _listed(kind: str, typed: str | None) -> dict[str, dict[str, Any]]:
    """Return what the server lists, by names."""
    # A name goes into a shell's line: what is no plain name is left out.
    plain = re.compile(r"[\w.:-]+", re.ASCII)
    try:
        found = asyncio.run(listed(server_of(typed), kind, _LOOK_UP_S))
    except WrongUsage:
        return {}
    return {name: one for name, one in found.items() if plain.fullmatch(name)}
