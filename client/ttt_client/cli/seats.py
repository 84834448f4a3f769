"""`ttt-client seats`: the pairs that the arguments name, as links to their seats."""

import argparse
import sys
from pathlib import Path

from ttt_client.model.options import InvalidOption
from ttt_client.net.address import Server
from ttt_client.net.session import Ending
from ttt_client.play.seat_links import Terms, read_pairs, show_seats, tables
from ttt_client.terminal.stdout import Output


def run_seats(arguments: argparse.Namespace, output: Output) -> Ending:
    """Print two links for each pair."""
    try:
        pairs = _pairs(arguments)
    except (InvalidOption, OSError, UnicodeDecodeError) as error:
        return Ending(2, f"the pairs cannot be read: {error}")
    if not pairs:
        return Ending(2, "seats needs two NAMEs, or --pairs FILE.csv with a pair in each line")
    server: Server = arguments.server
    terms = Terms(arguments.rules, arguments.clock, arguments.delay, arguments.opening)
    found = tables(server.web_url, pairs, terms)
    return show_seats(found, output, json_lines=arguments.json)


def _pairs(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    if arguments.pairs is None:
        return read_pairs(",".join(arguments.names))
    if arguments.names:
        raise InvalidOption("give two NAMEs or --pairs, not both")
    if arguments.pairs == "-":
        return read_pairs(sys.stdin.read())
    return read_pairs(Path(arguments.pairs).read_text("utf-8-sig"))
