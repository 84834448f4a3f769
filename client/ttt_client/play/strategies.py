"""The strategies of a server, by their strength on a board."""

import json
from dataclasses import dataclass

from ttt_client.net.address import ServerAddress
from ttt_client.net.http import read_page
from ttt_client.net.session import Ending
from ttt_client.terminal.stdout import Output
from ttt_protocol.codec import BadMessage
from ttt_protocol.state import Rules
from ttt_protocol.strengths import RatedAi, rated
from ttt_protocol.text import clean


@dataclass(frozen=True, slots=True)
class StrategyInfo:
    """A strategy as the server describes it."""

    name: str
    about: str
    boards: str


async def show_strategies(
    server: ServerAddress, rules: Rules | None, output: Output, *, json_lines: bool
) -> Ending:
    """Print what may sit in an AI seat, as text or JSON: by strength, then those not rated."""
    found = await read_page(server.api("strategies"), read_strategies)
    if isinstance(found, Ending):
        return found
    about = {strategy.name: strategy for strategy in found}
    for ai in rated(rules or Rules(), tuple(about)):
        line = _as_json(ai, about) if json_lines else _as_text(ai, about)
        (output.raw if json_lines else output.say)(line)
    return Ending(0)


def read_strategies(body: bytes) -> list[StrategyInfo]:
    """Return the strategies in the server's answer.

    Raises:
        ValueError: if it has none, as no JSON or as `BadMessage`.
    """
    listed = json.loads(body)
    if not isinstance(listed, dict) or not isinstance(listed.get("strategies"), list):
        raise BadMessage("no list of strategies")
    return [
        StrategyInfo(one["name"], str(one.get("about", "")), str(one.get("boards", "")))
        for one in listed["strategies"]
        if isinstance(one, dict) and isinstance(one.get("name"), str)
    ]


def _as_text(rated_ai: RatedAi, about: dict[str, StrategyInfo]) -> str:
    strategy = about[rated_ai.ai.partition(":")[0]]
    strength = rated_ai.strength or "not rated"
    words = clean(strategy.about)
    if rated_ai.strength is None:
        words = f"{words} (plays {clean(strategy.boards)})"
    return f"{strength:<10} {clean(rated_ai.ai):<12} {words}".rstrip()


def _as_json(rated_ai: RatedAi, about: dict[str, StrategyInfo]) -> str:
    strategy = about[rated_ai.ai.partition(":")[0]]
    listed = {"strength": rated_ai.strength, "ai": rated_ai.ai, "about": strategy.about}
    return json.dumps(listed)
