"""The command: read the arguments, have the games played, print the results."""

import argparse
import asyncio
import json
import math
import os
import time
from itertools import combinations

from ttt_engine import (
    CannotPlay,
    EngineError,
    InvalidLevel,
    InvalidRules,
    Rules,
    UnknownStrategy,
)
from ttt_engine.arena.contestant import Contestant, everyone
from ttt_engine.arena.crosstable import CrossTable
from ttt_engine.arena.match import Batch, Match, batches
from ttt_engine.strategies import names
from ttt_server.cli.arena.report import as_object, as_text
from ttt_server.cli.arena.workers import BatchFailed, play_all
from ttt_server.cli.console import FAILED, WRONG_USAGE, Parser, fail, one_or_more, tell, warn
from ttt_server.cli.progress import Progress

PROGRAM = "ttt-server arena"
ALL = "all"

_SMALL = 12
"""The cells of a board on which games are quick: without `search`, up to 0.1 ms on nine cells."""

_GAMES, _GAMES_ON_SMALL = 100, 1000
"""The games of a pair by default, which take seconds."""

_BATCH, _BATCH_ON_SMALL = 20, 50
"""The games that a process plays in one go. A batch costs 0.06 ms beside its games."""

_DESCRIPTION = f"""Let strategies play each other, without a network, and show their wins, draws and
losses with 95 % intervals. Two strategies play a match. More of them play each against each, for a
cross table. "{ALL}" stands for every installed strategy that plays on the board."""

_EPILOG = """All chance comes from the seed: the same command gives the same games on every machine,
with any number of processes. For this reason search has no clock here: it looks at as many
positions as the time of its level is worth. "all" includes it as search:0. A strategy that fails,
or makes an illegal move, forfeits the game. The learner plays with an empty memory."""


def run(arguments: list[str]) -> int:
    """Run the arena with these arguments; return its exit status."""
    parser = _parser()
    asked = parser.parse_intermixed_args(arguments)
    try:
        contestants = _contestants(asked.strategies, asked.rules)
    except (UnknownStrategy, InvalidLevel, CannotPlay) as error:
        return fail(PROGRAM, error, WRONG_USAGE)
    except EngineError as error:
        return fail(PROGRAM, error, FAILED)
    if len(contestants) < 2:
        parser.error(f"name two strategies, or {ALL}; there are: {', '.join(names())}")
    try:
        table = _played(tuple(contestants), asked)
    except BatchFailed as error:
        return fail(PROGRAM, error, FAILED)
    return tell(PROGRAM, json.dumps(as_object(table)) if asked.json else as_text(table))


def _parser() -> Parser:
    parser = Parser(prog=PROGRAM, description=_DESCRIPTION, epilog=_EPILOG, allow_abbrev=False)
    add = parser.add_argument
    add("strategies", nargs="*", metavar="STRATEGY", help='a name, with a level as in "minimax:5"')
    add(
        "-n",
        "--games",
        type=one_or_more,
        metavar="GAMES",
        help="games of each pair, in half of them with sides changed "
        f"(default: {_GAMES_ON_SMALL} on boards of up to {_SMALL} cells, else {_GAMES})",
    )
    add("--seed", type=int, default=0, metavar="N", help="seed of all chance (default: 0)")
    add(
        "--rules",
        type=_rules,
        default=Rules(),
        metavar="CxRxK[g]",
        help="columns, rows, marks in a row; g for gravity (default: 3x3x3)",
    )
    add(
        "--limit-s",
        type=_seconds,
        default=60.0,
        metavar="S",
        help="time limit of a move, which ends the arena (default: 60)",
    )
    add("--json", action="store_true", help="print JSON; docs/strategies.md describes it")
    add(
        "--workers",
        type=one_or_more,
        default=_cores(),
        metavar="N",
        help="number of processes (default: one for each core)",
    )
    return parser


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0.001 <= seconds <= 86_400:
        raise argparse.ArgumentTypeError(f"{text}: must be seconds, up to a day")
    return seconds


def _rules(text: str) -> Rules:
    try:
        return Rules.parse(text)
    except InvalidRules as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):  # a container may have fewer than the machine
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _contestants(words: list[str], rules: Rules) -> list[Contestant]:
    """Return the contestants that the words name, in their order.

    Raises:
        UnknownStrategy, BrokenStrategy, InvalidLevel: a word names no strategy that works.
        CannotPlay: a strategy does not play on this board; the error names those that do.
    """
    found: list[Contestant] = []
    is_match = len(words) == 2 and ALL not in words  # maybe of a strategy against itself
    for word in words:
        if word == ALL:
            able, broken = everyone(rules)
            found += (contestant for contestant in able if contestant not in found)
            for error in broken:
                warn(PROGRAM, f"without a broken one: {error}")
            continue
        contestant = Contestant.parse(word)
        try:
            contestant.make(rules)
        except CannotPlay as error:
            there = ", ".join(one.name for one in everyone(rules)[0])
            raise CannotPlay(f"{error}; there are: {there}") from None
        if is_match or contestant not in found:
            found.append(contestant)
    return found


def _played(contestants: tuple[Contestant, ...], asked: argparse.Namespace) -> CrossTable:
    rules: Rules = asked.rules
    is_small = rules.cells <= _SMALL
    games = asked.games or (_GAMES_ON_SMALL if is_small else _GAMES)
    pairs = list(combinations(contestants, 2))
    matches = dict.fromkeys(pairs, Match())
    work = batches(contestants, rules, games, asked.seed, _BATCH_ON_SMALL if is_small else _BATCH)
    with Progress(games * len(pairs), "games", time.monotonic) as progress:

        def count(batch: Batch, match: Match) -> None:
            matches[batch.pair] = matches[batch.pair].with_(match)
            progress.advance(len(batch.games))

        asyncio.run(play_all(work, asked.workers, asked.limit_s, count))
    in_order = tuple(matches[pair] for pair in pairs)
    return CrossTable(contestants, rules, games, asked.seed, in_order)
