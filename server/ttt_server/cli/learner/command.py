"""The command: reads its arguments, trains the learner if asked to, prints what it knows."""

import asyncio
import json
import time
from argparse import Namespace
from collections.abc import Iterable
from itertools import cycle, islice
from random import Random

from ttt_engine import (
    TIC_TAC_TOE,
    BrokenStrategy,
    CannotPlay,
    InvalidLevel,
    Mark,
    Position,
    UnknownStrategy,
)
from ttt_engine.arena.contestant import Contestant
from ttt_engine.arena.match import Forfeit, Player
from ttt_engine.learning.memory import Lesson, Memory
from ttt_engine.learning.punisher import Punisher
from ttt_engine.learning.training import Opponent, train
from ttt_engine.strategies import Learner, names
from ttt_server.cli.console import FAILED, WRONG_USAGE, Parser, fail, one_or_more, tell
from ttt_server.cli.learner.report import as_object, as_text
from ttt_server.cli.progress import Progress
from ttt_server.config import Config, InvalidConfig, load
from ttt_server.storage import open_store
from ttt_server.storage.base import CannotOpen, EventStore, StorageFailed

PROGRAM = "ttt-server learner"
PUNISHER, LEARNER = "punisher", "learner"

_BATCH = 100
"""Games of a training that are kept at once: what a kill may cost."""

_DESCRIPTION = """Shows what the learner knows: how many games it has seen, how many different ones
of those that can be played, and how often it is still beaten by whoever always plays the best line
against it, computed exactly. Trains it too. No server may run on the same folder meanwhile."""

_EPILOG = """It becomes unbeatable by losing to the punisher, in some dozens of games, and not by
beating weak strategies. The same seed, games and memory give the same training. A training with the
punisher ends when nobody can beat the learner any more."""


def run(arguments: list[str]) -> int:
    """Runs the command with these arguments; its exit status."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if asked.train is None and (asked.against or asked.seed is not None):
        parser.error("--against and --seed are for --train")
    try:
        config = _config(asked)
        words = asyncio.run(_attend(config, asked))
    except (InvalidConfig, UnknownStrategy, InvalidLevel, CannotPlay) as error:
        return fail(PROGRAM, error, WRONG_USAGE)
    except (CannotOpen, StorageFailed, BrokenStrategy, Forfeit) as error:
        return fail(PROGRAM, error, FAILED)
    return tell(PROGRAM, words)


def _parser() -> Parser:
    parser = Parser(prog=PROGRAM, description=_DESCRIPTION, epilog=_EPILOG, allow_abbrev=False)
    add = parser.add_argument
    add("--train", type=one_or_more, metavar="GAMES", help="plays so many games, and learns")
    add(
        "--against",
        metavar="STRATEGY",
        help=f'whom: {PUNISHER} (the default), or a strategy, with a level as "minimax:5"',
    )
    add("--seed", type=int, metavar="N", help="of all chance in the training (default: 0)")
    add(
        "--rebuild",
        action="store_true",
        help="first forgets all, trainings too, and learns again from the games of the rooms",
    )
    add("--json", action="store_true", help="one JSON object; the README tells its shape")
    add("--data", metavar="DIR", help="the server's data folder, as the server has it")
    add("--store", metavar="URL", help="the server's store, as the server has it")
    add("--config", metavar="FILE", help="the server's TOML file of options")
    return parser


def _config(asked: Namespace) -> Config:
    flags = {name: value for name in ("data", "store") if (value := getattr(asked, name))}
    return load(flags, asked.config)


async def _attend(config: Config, asked: Namespace) -> str:
    """Does what is asked, and tells what the learner knows then."""
    opponent = asked.against or PUNISHER
    if asked.train:
        _find(opponent, Memory())  # or it is refused before anything is opened
    store = open_store(config.store, config.data, relearn=asked.rebuild)
    trained = 0
    try:
        if asked.train:
            trained = await _train(store, opponent, asked.train, asked.seed or 0)
    finally:
        await store.close()
    if asked.json:
        return json.dumps(as_object(store.memory, trained))
    return as_text(store.memory, trained)


async def _train(store: EventStore, opponent: str, games: int, seed: int) -> int:
    """Plays up to so many games, and keeps what was learned; how many it were."""
    memory = store.memory.copy()  # the store's own learns what is on disk
    sides, cells = _find(opponent, memory)
    school = train(memory, islice(sides, games), cells, Random(seed))
    trained = 0
    with Progress(games, "games", time.monotonic) as progress:
        while batch := tuple(_told(progress, islice(school, _BATCH))):
            await store.teach(batch)
            trained += len(batch)
    return trained


def _told(progress: Progress, lessons: Iterable[Lesson]) -> Iterable[Lesson]:
    for lesson in lessons:
        progress.advance(1)
        yield lesson


def _find(opponent: str, memory: Memory) -> tuple[Iterable[Mark], Opponent]:
    """The learner's sides, and whom it meets.

    Raises:
        UnknownStrategy, BrokenStrategy, InvalidLevel: there is none of this name and level.
        CannotPlay: it does not play 3x3.
    """
    if opponent == PUNISHER:
        punisher = Punisher(memory)
        return punisher.weak_sides(), punisher.cells
    contestant = Contestant.parse(opponent)
    try:
        strategy = contestant.make(TIC_TAC_TOE)
    except UnknownStrategy as error:
        raise UnknownStrategy(error.name, (*names(), PUNISHER)) from None
    if contestant.name == LEARNER:
        return cycle(Mark), _itself(memory)
    return cycle(Mark), Player(strategy).cells


def _itself(memory: Memory) -> Opponent:
    learner = Learner(memory)

    def cells(position: Position, moves: tuple[int, ...]) -> tuple[int, ...]:
        return learner.think_after(position, moves).cells

    return cells
