"""Play a server through all checks, and print a table of what holds."""

import json
from typing import NamedTuple

from ttt_client.conformance.checks import CHECKS, UNTRIED
from ttt_client.conformance.peer import Broken, Peer
from ttt_client.conformance.stage import Check, ConformanceStage
from ttt_client.net.address import ServerAddress
from ttt_client.net.dial import CannotDial, Unreachable
from ttt_client.net.session import Ending
from ttt_client.terminal.stdout import Output


class ConformanceResult(NamedTuple):
    """The result of one check of a server."""

    check: str
    holds: bool | None
    """None: no check can try it."""
    what: str

    def __str__(self) -> str:
        verdict = "untried" if self.holds is None else "holds" if self.holds else "BROKEN"
        return f"{verdict:7} {self.check}{self.what and f'; {self.what}'}"


async def check_server(
    server: ServerAddress, output: Output, *, json_lines: bool = False
) -> Ending:
    """Run all checks, each in a room with a random name, and print a line for each.

    Nothing is checked if nothing answers at all.
    """
    try:
        await (await Peer.open(server.socket("lobby"))).close()
    except Unreachable as error:
        return Ending(3, f"cannot reach the server: {error}")
    rows = []
    for name, check in CHECKS.items():
        rows.append(await _checked(name, check, server))
        if not json_lines:
            output.say(str(rows[-1]))
    untried = [ConformanceResult(name, holds=None, what=why) for name, why in UNTRIED.items()]
    if json_lines:
        output.raw(json.dumps([row._asdict() for row in rows + untried]))
    else:
        for row in untried:
            output.say(str(row))
    broken = sum(not row.holds for row in rows)
    if not broken:
        return Ending(0, f"all {len(rows)} checks hold")
    return Ending(1, f"{broken} of {len(rows)} checks are broken")


async def _checked(name: str, check: Check, server: ServerAddress) -> ConformanceResult:
    scene = ConformanceStage(server)
    try:
        await check(scene)
    except (Broken, CannotDial) as error:
        return ConformanceResult(name, holds=False, what=str(error))
    except (KeyError, TypeError, IndexError) as error:
        return ConformanceResult(name, holds=False, what=f"a message lacks a field: {error}")
    finally:
        await scene.close()
    return ConformanceResult(name, holds=True, what="")
