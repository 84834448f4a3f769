"""The words of the command line as contestants: strategies, and programs.

minimax:5                 a strategy, with its level
exec:./mybot              a program that speaks lines of JSON
exec:./mybot:3            the same at level 3, which it reads in TTT_LEVEL
gomocup:./engine --fast   a program that speaks the protocol of Gomocup
"""

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from typing import NamedTuple

from ttt_engine import CannotPlay, EngineError, Rules
from ttt_engine.arena.contestant import Contestant, everyone
from ttt_protocol.bots.conversation import BotProtocol, require_playable
from ttt_protocol.bots.language import UnplayableBoard as NoWords
from ttt_server.core.room import wire_rules

ALL = "all"

PREFIXES = {"exec:": "json", "gomocup:": "gomocup"}
"""The beginnings of words that name programs, with the languages that they speak."""


class NoProgram(EngineError):
    """A word names a program that cannot be run."""


class Command(NamedTuple):
    """A program with its arguments, and its language."""

    words: tuple[str, ...]
    protocol: str


def command_of(contestant: Contestant) -> Command | None:
    """Return the program of a contestant; `None` for a strategy.

    Raises:
        NoProgram: the text is no command.
    """
    for prefix, protocol in PREFIXES.items():
        if contestant.name.startswith(prefix):
            try:
                words = shlex.split(contestant.name.removeprefix(prefix))
            except ValueError as error:
                raise NoProgram(f"{contestant}: {error}") from None
            return Command(tuple(words), protocol)
    return None


def entrants(
    words: list[str], rules: Rules, on_broken: "list[EngineError]"
) -> Iterator[Contestant]:
    """Yield the contestants that the words name, in their order.

    Args:
        words: as on the command line.
        rules: the board that all have to play.
        on_broken: takes the errors of strategies that "all" passes over.

    Raises:
        UnknownStrategy, BrokenStrategy, InvalidLevel: a word names no strategy that works.
        CannotPlay: a contestant does not play on this board; the error names those that do.
        NoProgram: a word names a program that cannot be run.
    """
    for word in words:
        if word == ALL:
            able, broken = everyone(rules)
            on_broken += broken
            yield from able
        elif word.startswith(tuple(PREFIXES)):
            yield _program(_with_level(word), rules)
        else:
            yield _strategy(Contestant.parse(word), rules)


def _with_level(word: str) -> Contestant:
    """Return a program with the level at the end of its word; quotes keep it in an argument."""
    found = re.fullmatch(r"(.+[^:]):([0-9])", word)
    return Contestant(word) if found is None else Contestant(found[1], int(found[2]))


def _program(contestant: Contestant, rules: Rules) -> Contestant:
    command = command_of(contestant)
    if command is None or not command.words:
        raise NoProgram(f"{contestant}: name a program")
    if shutil.which(command.words[0]) is None:
        there = os.path.exists(command.words[0])  # noqa: PTH110 - a word, not yet a path
        why = "is not executable" if there else "is not there"
        raise NoProgram(f"{contestant}: {command.words[0]} {why}")
    try:
        require_playable(BotProtocol(command.protocol), wire_rules(rules))
    except NoWords as error:
        raise CannotPlay(f"{contestant}: {error}") from None
    return contestant


def _strategy(contestant: Contestant, rules: Rules) -> Contestant:
    try:
        contestant.make(rules)
    except CannotPlay as error:
        there = ", ".join(one.name for one in everyone(rules)[0])
        raise CannotPlay(f"{error}; there are: {there}") from None
    return contestant
