"""Ask a server which strategies it has and how they think, and print the answer."""

import json
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ttt_client.model.study import DEPTH, read_comparison, read_trace
from ttt_client.net.address import ServerAddress
from ttt_client.net.http import read_page
from ttt_client.net.session import Ending
from ttt_client.terminal.stdout import Output
from ttt_client.text.study import comparison_lines, trace_lines
from ttt_protocol.codec import BadMessage
from ttt_protocol.exports.notation import board_name
from ttt_protocol.state import AiSetting, Rules
from ttt_protocol.strengths import RatedAi, rated
from ttt_protocol.text import clean

_STEPS_OF_TREE = 10_000
"""The steps that are asked for a tree: as many as a server tells."""


async def explain(server: ServerAddress, arguments: Namespace, output: Output) -> Ending:
    """Print how a strategy comes to its move, in lines of text or as the server's own JSON."""
    ai: AiSetting = arguments.strategy
    query = _position(arguments) | {"counts": "1"}
    query["strategy"] = ai.strategy if ai.level is None else f"{ai.strategy}:{ai.level}"
    depth = None
    if arguments.tree or arguments.depth is not None:
        depth = arguments.depth or DEPTH
        query["limit"] = str(_STEPS_OF_TREE)

    def lines(body: bytes) -> Iterator[str]:
        return trace_lines(read_trace(body), depth, ascii_only=output.ascii_only)

    return await _print(server.api("trace", query), lines, output, json=arguments.json)


async def compare(server: ServerAddress, arguments: Namespace, output: Output) -> Ending:
    """Print what all strategies think of a position, as text or as the server's own JSON."""

    def lines(body: bytes) -> Iterator[str]:
        return comparison_lines(read_comparison(body), ascii_only=output.ascii_only)

    page = server.api("compare", _position(arguments))
    return await _print(page, lines, output, json=arguments.json)


def _position(arguments: Namespace) -> dict[str, str]:
    return {"rules": board_name(arguments.rules or Rules()), **arguments.position}


async def _print(
    page: str, lines: Callable[[bytes], Iterator[str]], output: Output, *, json: bool
) -> Ending:
    told = await read_page(
        page, lambda body: body.decode().splitlines() if json else [*lines(body)]
    )
    if isinstance(told, Ending):
        return told
    for line in told:
        (output.raw if json else output.say)(line)
    return Ending(0)


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
