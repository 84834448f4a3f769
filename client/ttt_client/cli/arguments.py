"""The arguments of the command line, checked and turned into the protocol's words."""

import argparse
import getpass
import os
from collections.abc import Callable
from typing import Any

from ttt_client import DEFAULT_SERVER
from ttt_client.model.options import (
    InvalidOption,
    parse_ai,
    parse_clock,
    parse_name,
    parse_pair,
    parse_rules,
)
from ttt_client.net.address import parse_server
from ttt_protocol.state import parse_room_name


class WrongUsage(ValueError):
    """An argument that means nothing, with words for people."""


def complete(arguments: argparse.Namespace) -> None:
    """Check what was given, turn it into the protocol's words, and fill in the defaults.

    Raises:
        WrongUsage: if something means nothing.
    """
    _check_together(arguments)
    for option, (shown, convert) in _CONVERTED.items():
        if (given := getattr(arguments, option, None)) is not None:
            setattr(arguments, option, _converted(f"argument {shown}", convert, given))
    for option, convert in (("server", _server), ("name", _name)):
        variable = f"TTT_{option.upper()}"
        given = getattr(arguments, option, None)
        value = (os.environ.get(variable) or None) if given is None else given
        shown = variable if given is None else f"--{option}"
        setattr(arguments, option, _converted(shown, convert, value))
    arguments.token = os.environ.get("TTT_TOKEN") or None
    if getattr(arguments, "password", None) is not None and not 1 <= len(arguments.password) <= 128:
        raise WrongUsage("--password: a password has 1 to 128 characters")
    if arguments.token is not None and len(arguments.token) > 256:
        raise WrongUsage("TTT_TOKEN: a token has at most 256 characters")


def _check_together(arguments: argparse.Namespace) -> None:
    """What concerns more than one option."""
    if arguments.plain and arguments.json:
        raise WrongUsage("--plain and --json exclude each other")
    if arguments.command == "watch":
        if arguments.play is not None and arguments.room is None:
            raise WrongUsage("--play needs a ROOM")
        if arguments.games is not None and arguments.play is None:
            raise WrongUsage("--games needs --play")


def _converted(shown: str, convert: Callable[[Any], Any], given: Any) -> Any:
    try:
        return convert(given)
    except ValueError as error:
        raise WrongUsage(f"{shown}: {error}") from None


def _games(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= 1000):
        raise ValueError("a series has 1 to 1000 games")
    return int(text)


def _game(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) >= 1):
        raise ValueError("a game is a number from 1")
    return int(text)


def _server(text: str | None) -> Any:
    return parse_server(DEFAULT_SERVER if text is None else text)


def _name(text: str | None) -> str:
    return login_name() if text is None else parse_name(text)


def login_name() -> str:
    """The name of the user on this machine; `guest` if it has none that a player may have."""
    try:
        return parse_name(getpass.getuser())
    except (InvalidOption, OSError, KeyError, ImportError):
        return "guest"


_CONVERTED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "room": ("ROOM", parse_room_name),
    "vs": ("--vs", parse_ai),
    "rules": ("--rules", parse_rules),
    "clock": ("--clock", parse_clock),
    "play": ("--play", parse_pair),
    "games": ("--games", _games),
    "game": ("GAME", _game),
}
"""How options are shown in the words about a wrong one, and what makes them the protocol's."""
