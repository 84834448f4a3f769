"""`ttt-server learner`: train the learner, and measure what it knows.

The learner itself stands in `ttt_engine.learning.learner`, its memory and its training in
`ttt_engine.learning`.
"""

import asyncio
import json
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import cycle, islice
from random import Random
from typing import Any, NamedTuple

import ttt_engine
from ttt_engine.arena.contestant import Contestant
from ttt_engine.arena.match import NoMove, Player
from ttt_engine.learning.memory import WHOLE_GAMES, Lesson, Memory
from ttt_engine.learning.training import Opponent, Punisher, train
from ttt_engine.strategies import Learner, names
from ttt_protocol.text import counted
from ttt_server.cli.command import command
from ttt_server.cli.console import CommandParser, Progress, one_or_more, parse_date, tell
from ttt_server.cli.data import add_store, existing_database, read_config, require_kept
from ttt_server.config.options import Config
from ttt_server.storage import SQLITE, forget_lessons, open_store
from ttt_server.storage.base import EventStore
from ttt_server.storage.lessons import HOUR_MS, LessonReader

PROGRAM = "ttt-server learner"
PUNISHER, LEARNER = "punisher", "learner"

_BATCH = 100
"""How many games of a training to keep in one transaction: a kill loses at most so many."""

_DESCRIPTION = """Show what the learner knows: how many games it has seen, how many of all possible
games those are, and how often the best opponent beats it, computed exactly. Train it with --train.
No server may run on the same folder meanwhile."""

_EPILOG = """The learner becomes unbeatable by losing to the punisher, in some dozens of games, and
not by beating weak strategies. The same seed, games and memory give the same training. A training
with the punisher ends when no opponent can beat the learner.

Only games that end on the board teach it, and of two addresses at most 20 an hour. --forget-since
takes back by whole hours what came after."""

_KEY = {False: "forgotten", True: "would_forget"}
"""The key of the games that were forgotten, by whether they were only counted."""


class Forgotten(NamedTuple):
    """The lessons that the learner was made to forget."""

    games: int
    hour: int
    """Since when, in hours of Unix time."""
    is_dry: bool
    """Whether the games were only counted."""

    def __str__(self) -> str:
        since = datetime.fromtimestamp(self.hour * HOUR_MS / 1000, UTC)
        done = "would forget" if self.is_dry else "forgot"
        return f"{done} {counted(self.games, 'game')} learned since {since:%Y-%m-%d %H:%M} UTC"


@command(
    PROGRAM,
    _DESCRIPTION,
    epilog=_EPILOG,
    wrong=(ttt_engine.UnknownStrategy, ttt_engine.InvalidLevel, ttt_engine.CannotPlay),
    failed=(ttt_engine.BrokenStrategy, NoMove),
)
def run(parser: CommandParser, arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    option, flag = parser.option, parser.flag
    option("--train GAMES", "play GAMES games, and learn from them", type=one_or_more)
    words = f'the opponent: {PUNISHER} (default), or a strategy, with a level as in "minimax:5"'
    option("--against STRATEGY", words)
    option("--seed N", "random seed in the training (default: 0)", type=int)
    flag("--rebuild", "first forget everything, and learn again from the games of the rooms")
    words = "forget what was learned since then: 2026-11-24, or 2026-11-24T15 for an hour, in UTC"
    option("--forget-since DATE", words, type=_hour)
    flag("--dry-run", "with --forget-since: only tell how many games")
    flag("--json", "print JSON; docs/strategies.md describes it")
    add_store(parser)
    asked = parser.parse_args(arguments)
    if asked.train is None and (asked.against or asked.seed is not None):
        parser.error("--against and --seed are for --train")
    if asked.forget_since is not None and (asked.train or asked.rebuild):
        parser.error("--forget-since goes without --train and --rebuild")
    if asked.dry_run and asked.forget_since is None:
        parser.error("--dry-run is for --forget-since")
    return tell(PROGRAM, asyncio.run(_attend(read_config(asked), asked)))


def _hour(text: str) -> int:
    """Parse a date, or a time by its hour, as hours of Unix time."""
    at = parse_date(text, f"{text!r} is not a date like 2026-11-24")
    if at > datetime.now(UTC):
        raise ArgumentTypeError(f"{text} is still to come")
    return int(at.timestamp()) * 1000 // HOUR_MS


async def _attend(config: Config, asked: Namespace) -> str:
    """Train the learner if asked to; return what it knows then, as text."""
    opponent = asked.against or PUNISHER
    if asked.train:
        _find(opponent, Memory())  # refuses a wrong name before the store is opened
    elif config.store == SQLITE:
        existing_database(config.data)  # to look makes none
    forgotten = None if asked.forget_since is None else await _forget(config, asked)
    store = await open_store(config.store, config.data, relearn=asked.rebuild)
    trained = 0
    try:
        await LessonReader(store).read_all()  # a server that was killed may have left games unread
        if asked.train:
            trained = await _train(store, opponent, asked.train, asked.seed or 0)
    finally:
        await store.close()
    if asked.json:
        return json.dumps(as_object(store.memory, trained, forgotten))
    return as_text(store.memory, trained, forgotten)


async def _forget(config: Config, asked: Namespace) -> Forgotten:
    """Forget the newest lessons, or only count them.

    Raises:
        InvalidConfig: if the store keeps nothing.
        CannotOpen: with one line for the operator.
    """
    require_kept(config)
    hour, dry = asked.forget_since, asked.dry_run
    return Forgotten(await forget_lessons(config.store, config.data, hour, dry=dry), hour, dry)


async def _train(store: EventStore, opponent: str, games: int, seed: int) -> int:
    """Play up to `games` games and keep the lessons; return the number of games."""
    memory = store.memory.copy()  # that of the store learns from it what is on disk
    sides, cells = _find(opponent, memory)
    school = train(memory, islice(sides, games), cells, Random(seed))
    trained = 0
    with Progress(games, "games") as progress:
        while batch := tuple(_counted(progress, islice(school, _BATCH))):
            await store.teach(batch)
            trained += len(batch)
    return trained


def _counted(progress: Progress, lessons: Iterable[Lesson]) -> Iterable[Lesson]:
    for lesson in lessons:
        progress.advance(1)
        yield lesson


def _find(opponent: str, memory: Memory) -> tuple[Iterable[ttt_engine.Mark], Opponent]:
    """Return the learner's mark in each game, and its opponent.

    Raises:
        UnknownStrategy, BrokenStrategy, InvalidLevel: no strategy has this name and level.
        CannotPlay: the strategy does not play 3x3.
    """
    if opponent == PUNISHER:
        punisher = Punisher(memory)
        return punisher.weak_sides(), punisher.cells
    contestant = Contestant.parse(opponent)
    try:
        strategy = contestant.make(ttt_engine.TIC_TAC_TOE)
    except ttt_engine.UnknownStrategy as error:
        raise ttt_engine.UnknownStrategy(error.name, (*names(), PUNISHER)) from None
    if contestant.name == LEARNER:
        itself = Learner(memory)
        return cycle(ttt_engine.Mark), lambda *asked: itself.think_after(*asked).cells
    return cycle(ttt_engine.Mark), Player(strategy).cells


def as_object(memory: Memory, trained: int, forgotten: Forgotten | None = None) -> dict[str, Any]:
    """Return what a learner with this memory knows, after a training of `trained` games.

    docs/strategies.md describes the object.
    """
    punisher = Punisher(memory)
    chances = {mark.value: punisher.chance(mark) for mark in ttt_engine.Mark}
    gone = {} if forgotten is None else {_KEY[forgotten.is_dry]: forgotten.games}
    return gone | {
        "trained": trained,
        "games": memory.games,
        "whole_games": memory.whole_games,
        "whole_games_there_are": WHOLE_GAMES,
        "beaten": {mark: float(chance) for mark, chance in chances.items()},
        "beaten_exactly": {mark: str(chance) for mark, chance in chances.items()},
        "unbeatable": not any(chances.values()),
    }


def as_text(memory: Memory, trained: int, forgotten: Forgotten | None = None) -> str:
    """Return the same as lines of text."""
    punisher = Punisher(memory)
    chances = {mark: punisher.chance(mark) for mark in ttt_engine.Mark}
    lines = [] if forgotten is None else [str(forgotten)]
    lines += [f"trained in {counted(trained, 'game')}"] if trained else []
    lines += [
        f"games seen         {memory.games}",
        f"whole games known  {memory.whole_games} of {WHOLE_GAMES}",
    ]
    if not any(chances.values()):
        return "\n".join([*lines, "No opponent can beat it."])
    lines.append("Its best opponent beats it")
    lines += [
        f"  as {mark}: {100 * float(chance):.2f} % ({chance})" for mark, chance in chances.items()
    ]
    return "\n".join(lines)
