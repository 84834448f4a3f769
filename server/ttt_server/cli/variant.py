"""`ttt-server variant check NAME`: plays a plug-in's game at random, and holds the contract."""

import pickle
import time
from collections.abc import Callable, Iterator
from itertools import count, islice, takewhile
from random import Random
from typing import Any, Final

from ttt_engine import BrokenVariant, IllegalMove, InvalidRules, Position, Rules
from ttt_engine.foreign import look
from ttt_engine.variant import names, variant_of
from ttt_server.cli.command import command
from ttt_server.cli.console import FAILED, CommandParser, Progress, tell, warn

PROGRAM = "ttt-server variant"

_DESCRIPTION = """Play random games of a variant, and check what docs/variants.md asks of it: legal
cells ascending and empty, other cells refused, an end within its most plies, equal positions equal,
pickle, no clock and no chance, and at most a millisecond for a move. Each breach is told in one
line; the exit status is 1 if there is any. It takes a minute at most."""

GAMES: Final = 2000
MOST_TIME_S: Final = 60
"""The longest that the games may take together: on large boards there are fewer."""

MOST_S: Final = 0.001
"""The longest that half of the moves may take."""


@command(PROGRAM, _DESCRIPTION, wrong=(InvalidRules,))
def run(parser: CommandParser, arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    parser.option("action check", "check a variant", choices=["check"])
    parser.option("name NAME", "the variant, or the text of one of its boards: hex, hex:5x5x4")
    asked = parser.parse_args(arguments)
    end, played = time.monotonic() + MOST_TIME_S, 0

    def goes_on(done: int) -> bool:
        nonlocal played
        played = done
        progress.show(done, GAMES)
        return done < GAMES and time.monotonic() < end

    with Progress(GAMES, "games") as progress:
        found = list(dict.fromkeys(breaches(asked.name, goes_on)))
    for words in found:
        warn(PROGRAM, words)
    if found:
        return FAILED
    in_time = "" if played == GAMES else f" in {MOST_TIME_S} s"
    return tell(PROGRAM, f"{asked.name}: {played} games{in_time}, nothing wrong")


def breaches(text: str, goes_on: Callable[[int], bool]) -> Iterator[str]:
    """Yield each breach of the contract in a line; some more than once.

    Args:
        text: the variant, or one of its boards.
        goes_on: whether another game is to be played after so many.

    Raises:
        InvalidRules: there is no such variant.
    """
    try:
        rules = rules_of(text)
        variant = variant_of(rules.variant or "")
    except BrokenVariant as error:
        yield str(error)
        return
    times: list[float] = []
    for seed in takewhile(goes_on, count()):
        try:
            yield from _game(variant, rules, Random(seed), times)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plug-in can fail in any way
            yield f"{type(error).__name__}: {error}"
            return
    if times and sorted(times)[len(times) // 2] > MOST_S:
        yield f"play takes {1000 * sorted(times)[len(times) // 2]:.1f} ms; at most 1 ms is allowed"


def rules_of(text: str) -> Rules:
    """Return the rules of a text; of a name alone, its first board.

    Raises:
        InvalidRules: there are none.
    """
    if text in names():
        variant = variant_of(text)
        return Rules(*next(iter(variant.sizes.values()), variant.smallest), variant=text)
    return Rules.parse(text)


def _game(variant: Any, rules: Rules, random: Random, times: list[float]) -> Iterator[str]:
    position, again = variant.start(rules), variant.start(rules)
    most = variant.most_plies(rules.size)
    for ply in range(most + 1):
        try:
            seen = look(position, ply)
        except ValueError as error:
            yield str(error)
            return
        yield from _equal(position, again)
        yield from _refusals(position, seen.legal_moves)
        if not seen.legal_moves:
            return
        cell = random.choice(seen.legal_moves)
        began = time.perf_counter()
        after = position.play(cell)
        times.append(time.perf_counter() - began)
        if look(position, ply).board != seen.board:
            yield "play changes the position that it is asked of"
        position, again = after, again.play(cell)
    yield f"a game goes on after {most} plies, its most_plies"


def _equal(position: Position, again: Position) -> Iterator[str]:
    if position != again or hash(position) != hash(again):
        yield "the same moves give positions that are not equal: a clock, chance, or no __eq__"
    elif look(position) != look(again) or position.legal_moves != again.legal_moves:
        yield "the same moves give positions that say different things: a clock, or chance"
    kept = pickle.loads(pickle.dumps(position))  # noqa: S301 - pickled here
    if kept != position or kept.legal_moves != position.legal_moves:
        yield "pickle gives another position"


def _refusals(position: Position, legal: tuple[int, ...]) -> Iterator[str]:
    allowed, cells = set(legal), position.rules.cells
    others = (cell for cell in range(cells) if cell not in allowed)
    for cell in (-1, cells, *islice(others, 2)):
        try:
            position.play(cell)
        except IllegalMove:
            continue
        except Exception as error:  # noqa: BLE001 - a plug-in can fail in any way
            yield f"play raises {type(error).__name__} for an illegal move, not IllegalMove"
        else:
            yield "play accepts an illegal move"
