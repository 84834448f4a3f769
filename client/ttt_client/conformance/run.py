"""Play a server through all checks, and print a table of what holds."""

import json
from typing import NamedTuple

from ttt_client.conformance import games, members, wire
from ttt_client.conformance.stage import Broken, Check, ConformanceStage
from ttt_client.net.address import ServerAddress
from ttt_client.net.dial import CannotDial, Unreachable, dial
from ttt_client.net.session import Ending
from ttt_client.terminal.stdout import Output

CHECKS: dict[str, Check] = {
    "the subprotocol is ttt.v1": wire.subprotocol,
    "an impossible name is no room": wire.impossible_name,
    "the lobby tells the rooms": members.lobby,
    "a command before join": members.before_join,
    "bad JSON": wire.bad_json,
    "bad commands": wire.bad_command,
    "refusals repeat the id": wire.identifiers,
    "welcome": members.welcome,
    "refused moves, in their order": games.refused_moves,
    "a line wins": games.line,
    "gravity": games.gravity,
    "ultimate sends the other side to a board": games.ultimate,
    "resignation and rematch": games.rematch,
    "draws and takebacks": games.offers,
    "a flag falls": games.flag,
    "days for each move": games.days,
    "rated games are for persons": games.rated,
    "an absent player's game is claimed": games.claim,
    "refused joins": members.refused_joins,
    "passwords": members.password,
    "a token takes the seat over, and 4001": members.tokens,
    "a person keeps the name, and finds the seat": members.persons,
    "a challenge leads to its room": members.challenges,
    "leave": members.leaving,
    "spectators": members.spectators,
    "chat is cleaned": members.chat,
    "an AI answers, and hints": games.ai,
    "bots are marked": members.bots,
    "an AI fills a seat": games.fill,
    "a fair opening": games.opening,
    "names change": members.renaming,
    "the host mutes, and clears the chat": members.muting,
    "the host removes, and 4003": members.moderation,
    "a host who removes the opponent loses": members.removed_opponent,
    "two that seek are paired": members.quick_match,
    "a flood is rate_limited, then 1008": wire.flood,
    "a binary frame closes with 1003": wire.binary_frame,
    "bytes that are not UTF-8 close with 1007": wire.not_utf8,
    "a frame too large closes with 1009": wire.too_large,
}

UNTRIED: dict[str, str] = {
    "server_full": "refused by a server at its limits",
    "storage_failed": "refused where the disk fails",
    "ai_offered": "comes after a wait that the server chooses",
    "reading": "comes where a log takes more than a second to read",
    "1001": "sent by browsers that leave a page",
    "1011": "sent by a server with a fault of its own",
    "1012": "sent by a server that restarts",
    "4002": "reserved",
}
"""The refusals, messages and closes that a client cannot provoke, and why."""


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
        await (await dial(server.socket("lobby"))).close()
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
        output.say(*map(str, untried))
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
