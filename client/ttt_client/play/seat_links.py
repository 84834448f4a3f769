"""`ttt-client seats`: links to the two seats of new rooms, for others to play.

A link has all that its room needs. The first of its players to come makes the room, so that nothing
waits on the server meanwhile, and no restart makes a link worthless.
"""

import json
import secrets
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlencode

from ttt_client.model.options import InvalidOption, parse_name
from ttt_client.net.address import ServerAddress
from ttt_client.net.session import Ending
from ttt_client.terminal.stdout import Output
from ttt_client.text.spreadsheet import BadLine, Unreadable, csv_line, decoded, read_pairs
from ttt_protocol.codes import Opening
from ttt_protocol.notation import board_name
from ttt_protocol.state import ClockSetting, Mark, Rules

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
_NAME_LENGTH = 12
"""Letters and digits after `seats-`: 60 bits, which cannot be guessed."""


class Terms(NamedTuple):
    """The settings of the rooms. `None` is the server's default."""

    rules: Rules | None = None
    clock: ClockSetting | None = None
    delay_s: int | None = None
    opening: Opening | None = None


class Table(NamedTuple):
    """A room that is not made yet: its players, X first, and the link of each."""

    room: str
    players: tuple[str, str]
    links: tuple[str, str]


def pairs_of(content: bytes, source: str) -> list[tuple[str, str]]:
    """Read pairs of names, X first, from the content of a file.

    Raises:
        InvalidOption: if there are none; the message names `source`, and the line if it is one.
    """
    try:
        pairs = read_pairs(decoded(content))
    except Unreadable as error:
        raise InvalidOption(f"{source}: {error}") from None
    except BadLine as error:
        why = "a pair is two names with a comma, a semicolon or a tab between"
        raise InvalidOption(f"{source}, {error}: {why}") from None
    if not pairs:
        raise InvalidOption(f"{source}: has no pairs")
    found: list[tuple[str, str]] = []
    for line, names in pairs:
        try:
            found.append(_pair(names))
        except InvalidOption as error:
            raise InvalidOption(f"{source}, line {line}: {error}") from None
    return found


def tables(web_url: str, pairs: Iterable[tuple[str, str]], terms: Terms) -> Iterator[Table]:
    """Yield a new room for each pair of names."""
    rules, clock, delay_s, opening = terms
    told = {
        "rules": None if rules is None else board_name(rules),
        "clock": None if clock is None else f"{clock.initial_s}+{clock.increment_s}",
        "delay": None if delay_s is None else str(delay_s),
        "opening": opening,
    }
    words = {name: word for name, word in told.items() if word is not None}
    for pair in pairs:
        room = "seats-" + "".join(secrets.choice(_LETTERS) for _ in range(_NAME_LENGTH))
        page = f"{web_url}/rooms/{room}"
        seats = zip(Mark, pair, strict=True)
        queries = ({"seat": mark.value, "name": name} | words for mark, name in seats)
        x, o = (f"{page}#{urlencode(query, quote_via=quote)}" for query in queries)
        yield Table(room, pair, (x, o))


def show_seats(found: Iterable[Table], output: Output, *, json_lines: bool) -> Ending:
    """Print the links: CSV with a head, or lines of JSON."""
    if not json_lines:
        output.say("X,link of X,O,link of O")
    for table in found:
        (x, o), (link_x, link_o) = table.players, table.links
        if json_lines:
            seats = {"X": {"name": x, "link": link_x}, "O": {"name": o, "link": link_o}}
            output.say(json.dumps({"room": table.room, **seats}, ensure_ascii=False))
        else:
            output.say(csv_line((x, link_x, o, link_o)))
    return Ending(0)


def run_seats(arguments: Namespace, output: Output) -> Ending:
    """Print two links for each pair."""
    file, names = arguments.pairs, arguments.names
    if (file is None) is not bool(names) or (names and len(names) != len(Mark)):
        return Ending(2, "give two NAMEs, or --pairs FILE.csv with a pair in each line")
    try:
        pairs = [_pair(names)] if file is None else _pairs(file)
    except InvalidOption as error:
        return Ending(1 if file else 2, str(error))
    server: ServerAddress = arguments.server
    terms = Terms(arguments.rules, arguments.clock, arguments.delay, arguments.opening)
    return show_seats(tables(server.web_url, pairs, terms), output, json_lines=arguments.json)


def _pair(names: Sequence[str]) -> tuple[str, str]:
    first, second = map(parse_name, names)
    return first, second


def _pairs(file: str) -> list[tuple[str, str]]:
    """Read a file, or the standard input for `-`.

    Raises:
        InvalidOption: if it cannot be read, or has no pairs; the message names it.
    """
    source = "standard input" if file == "-" else file
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise InvalidOption(f"{source}: {error.strerror}") from None
    return pairs_of(content, source)
