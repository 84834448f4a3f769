"""Ask a server how strategies think about a position, and print the answer."""

import argparse
from collections.abc import Callable, Iterator

from ttt_client.model.study import DEPTH, read_comparison, read_trace
from ttt_client.net.address import ServerAddress
from ttt_client.net.http import read_page
from ttt_client.net.session import Ending
from ttt_client.terminal.stdout import Output
from ttt_client.text.study import comparison_lines, trace_lines
from ttt_protocol.exports.notation import board_name
from ttt_protocol.state import AiSetting, Rules

_STEPS_OF_TREE = 10_000
"""The steps that are asked for a tree: as many as a server tells."""


async def explain(server: ServerAddress, arguments: argparse.Namespace, output: Output) -> Ending:
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


async def compare(server: ServerAddress, arguments: argparse.Namespace, output: Output) -> Ending:
    """Print what all strategies think of a position, as text or as the server's own JSON."""

    def lines(body: bytes) -> Iterator[str]:
        return comparison_lines(read_comparison(body), ascii_only=output.ascii_only)

    page = server.api("compare", _position(arguments))
    return await _print(page, lines, output, json=arguments.json)


def _position(arguments: argparse.Namespace) -> dict[str, str]:
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
