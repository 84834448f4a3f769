"""The command: read the arguments, have the games played, print the results."""

import argparse
import asyncio
import json
import math
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from pathlib import Path
from random import Random

from ttt_engine import CannotPlay, EngineError, InvalidLevel, InvalidRules, Rules, UnknownStrategy
from ttt_engine.arena.contestant import Contestant
from ttt_engine.arena.crosstable import CrossTable
from ttt_engine.arena.match import Batch, NoOpening, PairGame, Plan, batches, opening
from ttt_engine.arena.sprt import MatchTally, Sprt
from ttt_engine.openings.opening import why_not
from ttt_engine.strategies import names
from ttt_protocol.bots.conversation import GRACE_S
from ttt_protocol.bots.system import adopted_orphans
from ttt_server.ai.process_pool import NoAnswer, ProcessPool
from ttt_server.cli.arena.entrants import ALL, NoProgram, command_of, entrants
from ttt_server.cli.arena.record import ArenaRecord, ArenaTerms, BadRecord
from ttt_server.cli.arena.report import as_object, as_svg, as_text
from ttt_server.cli.arena.worker import Limits, as_question, played_of
from ttt_server.cli.command import command
from ttt_server.cli.console import FAILED, CommandParser, Progress, between, one_or_more, tell, warn

PROGRAM = "ttt-server arena"

_SMALL = 12
"""The cells of a board on which games are quick: without `search`, up to 0.1 ms on nine cells."""

_GAMES, _GAMES_ON_SMALL, _GAMES_TO_DECIDE = 100, 1000, 20_000
"""The default games of a pair, which take seconds; --sprt usually ends long before."""

_BATCH, _BATCH_ON_SMALL, _BATCH_OF_PROGRAM = 20, 50, 10
"""The most games that a process plays in one batch. A batch costs 0.06 ms beside its games."""

_DESCRIPTION = f"""Let strategies and programs play each other, without a network, and show their
wins, draws and losses with 95 % intervals. Two play a match. More of them play each against each,
for a cross table. "{ALL}" stands for every installed strategy that plays on the board. A program
is written exec:./mybot (lines of JSON) or gomocup:./engine."""

_EPILOG = """All chance comes from the seed: the same command gives the same games on every machine,
with any number of processes, as long as no program plays. For this reason search has no clock here:
it looks at as many positions as the time of its level is worth. "all" includes it as search:0. A
strategy that fails, or makes an illegal move, forfeits the game, and so does a program that
crashes, is too slow, or is not understood. The learner plays with an empty memory."""


class BatchFailed(Exception):
    """A process ended in the middle of a game. The message names the strategies."""


_WRONG = (UnknownStrategy, InvalidLevel, CannotPlay, NoProgram, BadRecord, NoOpening)


@command(
    PROGRAM, _DESCRIPTION, epilog=_EPILOG, wrong=_WRONG, failed=(EngineError, BatchFailed, OSError)
)
def run(parser: CommandParser, arguments: list[str]) -> int:
    """Run the arena with these arguments; return its exit status."""
    _add_options(parser)
    asked = parser.parse_intermixed_args(arguments)
    contestants = _contestants(asked.strategies, asked.rules)
    if len(contestants) < 2:
        parser.error(f"name two strategies, or {ALL}; there are: {', '.join(names())}")
    if asked.sprt is not None and len(contestants) != 2:
        parser.error("--sprt is for a match of two")
    if asked.resume and asked.save is None:
        parser.error("--resume needs --save FILE")
    if asked.opening is not None:
        if asked.openings:
            parser.error("--opening and --openings exclude each other")
        if words := why_not(asked.opening, asked.rules):
            parser.error(f"--opening {asked.opening}: {words}")
    table = _played(tuple(contestants), asked)
    if asked.plot is not None:
        asked.plot.write_text(as_svg(table), encoding="utf-8")
    told = json.dumps(as_object(table, asked.sprt)) if asked.json else as_text(table, asked.sprt)
    status = tell(PROGRAM, told)
    for contestant in table.that_only_forfeited():
        warn(PROGRAM, f"{contestant} forfeited every game")
        status = FAILED
    return status


def _add_options(parser: CommandParser) -> None:
    option = parser.option
    words = 'a name, with a level as in "minimax:5"; or a program, as "exec:./mybot:3"'
    option("strategies STRATEGY", words, nargs="*")
    words = "games of each pair, in half of them with sides swapped "
    words += f"(default: {_GAMES_ON_SMALL} on boards of up to {_SMALL} cells, else {_GAMES})"
    option("-n --games GAMES", words, type=one_or_more)
    option("--seed N", "random seed (default: 0)", type=int, default=0)
    words = "columns, rows, marks in a row; g for gravity, ! if a longer row does not win "
    words += "(default: 3x3x3)"
    option("--rules CxRxK[g][!]", words, type=parse_rules, default=Rules())
    words = "time limit of a strategy's move, which ends the arena (default: 60)"
    option("--limit-s S", words, type=seconds, default=60.0)
    option("--time S", "time of a program for a move (default: 1)", type=seconds, default=1.0)
    words = "how long after its time a program's move still counts (default: %(default)s)"
    option("--tolerance S", words, type=tolerance, default=GRACE_S)
    words = "begin each game after N random moves, and play each opening twice, sides swapped"
    option("--openings N", words, type=one_or_more, default=0)
    words = "a fair opening for each game, in which the players place stones and choose sides"
    parser.add_argument("--opening", choices=("pie", "swap2"), help=words)
    words = "end a match once it is decided whether the first is stronger by E1 or by E0 Elo, "
    words += "with an error of 5 %% for either: a log-likelihood ratio of -2.94 or +2.94"
    option("--sprt E0,E1", words, type=_hypotheses)
    option("--save FILE", "write every game to this file, a line each", type=Path)
    parser.flag("--resume", "go on with the games in that file")
    option("--plot FILE.svg", "draw the cross table and the ratings", type=Path)
    parser.flag("--json", "print JSON; docs/strategies.md describes it")
    words = "number of processes (default: one for each core)"
    option("--workers N", words, type=one_or_more, default=_cores())


seconds = between(0.001, 86_400, "seconds, up to a day")
"""Parses a time limit, for `argparse`."""


def tolerance(text: str) -> float:
    """Parse seconds, of which there may be none, for `argparse`."""
    return 0.0 if text == "0" else seconds(text)


def parse_rules(text: str) -> Rules:
    """Parse a board, for `argparse`."""
    try:
        return Rules.parse(text)
    except InvalidRules as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):  # a container may have fewer than the machine
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _hypotheses(text: str) -> Sprt:
    low, _, high = text.partition(",")
    try:
        sprt = Sprt(float(low), float(high))
    except ValueError:
        sprt = Sprt(0, 0)
    if not -1000 <= sprt.low < sprt.high <= 1000:
        raise argparse.ArgumentTypeError(f"{text}: must be two differences in Elo, as 0,20")
    return sprt


def _contestants(words: list[str], rules: Rules) -> list[Contestant]:
    """Return the contestants that the words name, each once except in a match against itself.

    Raises:
        UnknownStrategy, BrokenStrategy, InvalidLevel: a word names no strategy that works.
        CannotPlay: a contestant does not play on this board.
        NoProgram: a word names a program that cannot be run.
    """
    broken: list[EngineError] = []
    found = list(entrants(words, rules, broken))
    for error in broken:
        warn(PROGRAM, f"without a broken one: {error}")
    return found if len(words) == 2 and ALL not in words else list(dict.fromkeys(found))


def _played(contestants: tuple[Contestant, ...], asked: argparse.Namespace) -> CrossTable:
    """Have the games played.

    Raises:
        BadRecord, OSError: the file of the games cannot be used.
        NoOpening: the board has none of that length.
        BatchFailed: a process ended in the middle of a game.
    """
    rules: Rules = asked.rules
    default = _GAMES_ON_SMALL if rules.cells <= _SMALL else _GAMES
    games = asked.games or (default if asked.sprt is None else _GAMES_TO_DECIDE)
    pairs = list(combinations(contestants, 2))
    if asked.openings:
        opening(rules, asked.openings, Random(asked.seed))
    tallies = {pair: MatchTally(games, asked.sprt) for pair in pairs}
    terms = ArenaTerms(str(rules), asked.seed, asked.opening or asked.openings)
    with ArenaRecord(asked.save, terms, resumes=asked.resume) as record:
        total, have = games * len(pairs), sum(len(record.games(pair)) for pair in pairs)
        for pair, tally in tallies.items():
            tally.count(record.games(pair))
        if any(tally.verdict is None for tally in tallies.values()):
            plan = Plan(rules, games, asked.seed, terms.opening)
            share = math.ceil((total - have) / asked.workers)
            size = max(1, min(_batch(contestants, rules), share))
            work = batches(contestants, plan, size, record.has)
            with Progress(total, "games") as progress:
                progress.advance(have)

                def count(batch: Batch, played: list[PairGame]) -> bool:
                    record.add(batch.pair, played)
                    progress.advance(len(played))
                    tally = tallies[batch.pair]
                    tally.count(record.games(batch.pair))
                    return tally.verdict is None

                limits = Limits(asked.limit_s, asked.time, asked.tolerance)
                asyncio.run(play_all(work, asked.workers, limits, count))
    matches = tuple(tallies[pair].match for pair in pairs)
    return CrossTable(contestants, rules, games, asked.seed, matches, terms.opening)


async def play_all(
    batches: Iterable[Batch],
    workers: int,
    limits: Limits,
    on_played: Callable[[Batch, list[PairGame]], bool],
) -> None:
    """Play all batches in parallel. The processes have ended when it returns or raises.

    Args:
        batches: the games.
        workers: the most processes.
        limits: those of each move.
        on_played: called with each batch and its games, in any order; returns whether to go on.

    Raises:
        BatchFailed: a strategy took too long, or ended its process.
    """
    # -P: modules in the current folder must not hide those that a worker imports.
    worker = (sys.executable, "-P", "-m", "ttt_server.cli.arena.worker")
    pool = ProcessPool(workers, (*worker, *map(str, limits)), stderr=None)
    waiting = iter(batches)
    is_decided = False

    async def play_on() -> None:
        nonlocal is_decided
        for batch in waiting:
            games = await _answered(batch, pool, limits.strategy_s)
            if is_decided or not on_played(batch, games):
                is_decided = True
                return

    with adopted_orphans():
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(play_on())
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        finally:
            await pool.close()


async def _answered(batch: Batch, pool: ProcessPool, limit_s: float) -> list[PairGame]:
    try:
        answer = await pool.ask(as_question(batch), limit_s=None)
        return [played_of(told) for told in answer["games"]]
    except NoAnswer as failure:
        first, second = batch.pair
        if failure.status == -signal.SIGALRM:
            why = f"one took longer than {limit_s:g} s for a move"
        elif failure.status is not None:
            why = "one ended the process that it plays in"
        else:
            why = f"the process {failure}"
        raise BatchFailed(f"in a game of {first} and {second} {why}") from None


def _batch(contestants: Sequence[Contestant], rules: Rules) -> int:
    if any(command_of(one) is not None for one in contestants):
        return _BATCH_OF_PROGRAM
    return _BATCH_ON_SMALL if rules.cells <= _SMALL else _BATCH
