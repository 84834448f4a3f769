"""The names that a shell completes: it asks this program for them."""

import asyncio
import json
import re

from ttt_client.cli.arguments import WrongUsage, server_of
from ttt_client.model.options import BOARDS
from ttt_client.net.dial import CannotDial
from ttt_client.net.http import fetch
from ttt_protocol.strengths import Strength

_LOOK_UP_S = 1.0
"""Seconds that the server may take: a shell waits for it."""


def names(kind: str, server: str | None) -> list[str]:
    """Return the names of a kind; those of the server's where it answers soon.

    Args:
        kind: `rooms`, `ais` or `boards`.
        server: the server's address as it was typed, if it was.
    """
    match kind:
        case "boards":
            return [*BOARDS]
        case "ais":
            return [*Strength, *_of_server("strategies", server)]
        case _:
            return _of_server("rooms", server)


def _of_server(kind: str, typed: str | None) -> list[str]:
    try:
        url = f"{server_of(typed).web_url}/api/{kind}"
        listed = json.loads(asyncio.run(fetch(url, timeout_s=_LOOK_UP_S)))
        found = [one["name"] for one in listed[kind]]
    except (CannotDial, WrongUsage, ValueError, TypeError, KeyError):
        return []
    # A name goes into a shell's line: what is no plain name is left out.
    plain = re.compile(r"[\w.:-]+", re.ASCII)
    return [one for one in found if isinstance(one, str) and plain.fullmatch(one)]
