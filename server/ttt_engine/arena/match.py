"""Matches of strategies, whose games a seed repeats.

Each game has a random generator of its own, made from the seed, the two names and the number of the
game. So the result does not depend on the process that plays it, or on the order.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations
from random import Random
from typing import Any, Final, NamedTuple

from ttt_engine.arena.confidence import Record
from ttt_engine.arena.contestant import Contestant
from ttt_engine.mark import Mark
from ttt_engine.position import Position
from ttt_engine.rules import Rules
from ttt_engine.strategies import Strategy, Thought, consult

_REMEMBERED: Final = 1 << 16
"""The most positions whose thoughts a player remembers: all of 3x3."""


class Forfeit(Exception):
    """A strategy gave no move. The words say why."""


class Player:
    """A strategy at the board. The same question gets the same thought, so it is asked once."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy
        self._asks_for_moves = hasattr(strategy, "think_after")
        self._known = lru_cache(_REMEMBERED)(self.ask)

    def cells(self, position: Position, moves: tuple[int, ...]) -> tuple[int, ...]:
        """Return the equally good cells in the position to which these moves led.

        Raises:
            Forfeit: the strategy failed, or chose an illegal cell.
        """
        return self._known(position, moves if self._asks_for_moves else None)

    def ask(self, position: Position, moves: tuple[int, ...] | None) -> tuple[int, ...]:
        """As `cells`, but not from memory."""
        try:
            thought: Any = consult(self._strategy, position, moves)
        except (Exception, SystemExit) as error:  # a plug-in can fail in any way
            raise Forfeit(f"{type(error).__name__}: {error}") from error
        if not isinstance(thought, Thought):
            raise Forfeit(f"its answer is of type {type(thought).__name__}, not Thought")
        legal = position.legal_moves
        for cell in thought.cells:
            if type(cell) is not int or cell not in legal:
                raise Forfeit(f"it chose {cell!r}, which may not be played")
        return thought.cells


class Game(NamedTuple):
    """A finished game."""

    moves: tuple[int, ...]

    winner: Mark | None

    forfeit: str | None
    """Why the loser gave no move; None if the game ended on the board."""


def play(x: Player, o: Player, rules: Rules, random: Random) -> Game:
    """Play one game. Among equally good cells, `random` decides."""
    position = Position.start(rules)
    moves: tuple[int, ...] = ()
    while (outcome := position.outcome()) is None:
        mark = position.turn
        try:
            cells = (x if mark is Mark.X else o).cells(position, moves)
        except Forfeit as forfeit:
            return Game(moves, mark.other, str(forfeit))
        cell = random.choice(cells)
        position, moves = position.play(cell), (*moves, cell)
    return Game(moves, outcome.winner, None)


class Forfeits(NamedTuple):
    """The games that a player forfeited."""

    games: int = 0

    first: int = 0
    """The number of the first such game."""

    reason: str = ""
    """Why it forfeited that game."""

    def with_(self, other: "Forfeits") -> "Forfeits":
        """Return the sum of both."""
        if not (self.games and other.games):
            return self if self.games else other
        earlier = min(self, other, key=lambda forfeits: forfeits.first)
        return Forfeits(self.games + other.games, earlier.first, earlier.reason)


class Match(NamedTuple):
    """The counts of the games of a pair."""

    as_x: Record = Record()
    """The games of the first as X, from its view."""

    as_o: Record = Record()
    first_forfeits: Forfeits = Forfeits()
    second_forfeits: Forfeits = Forfeits()

    @property
    def record(self) -> Record:
        """All games, from the view of the first."""
        return self.as_x.with_(self.as_o)

    def with_(self, other: "Match") -> "Match":
        """Return the sum of both."""
        return Match(
            self.as_x.with_(other.as_x),
            self.as_o.with_(other.as_o),
            self.first_forfeits.with_(other.first_forfeits),
            self.second_forfeits.with_(other.second_forfeits),
        )


class Batch(NamedTuple):
    """Games of a pair that are played in one go."""

    pair: tuple[Contestant, Contestant]
    """The first and the second of the match."""

    rules: Rules
    seed: int
    games: range
    """The numbers of the games. In even ones the first plays X."""


def batches(
    contestants: Iterable[Contestant], rules: Rules, games: int, seed: int, size: int
) -> Iterator[Batch]:
    """Yield batches of at most `size` games: each against each, with `games` games a pair."""
    for pair in combinations(contestants, 2):
        for start in range(0, games, size):
            yield Batch(pair, rules, seed, range(start, min(start + size, games)))


def play_batch(batch: Batch, first: Player, second: Player) -> Match:
    """Play a batch. The players are those that it names."""
    match = Match()
    seed = " ".join(map(str, (batch.seed, batch.rules, *batch.pair)))
    for number in batch.games:
        random = Random(f"{seed} {number}")
        x, o, mark = (second, first, Mark.O) if number % 2 else (first, second, Mark.X)
        match = match.with_(_counted(number, play(x, o, batch.rules, random), mark))
    return match


def _counted(number: int, game: Game, first: Mark) -> Match:
    """Count one game, in which the first of the pair had this mark."""
    won, lost = game.winner is first, game.winner is first.other
    record = Record(won, not won and not lost, lost)
    forfeits = Forfeits() if game.forfeit is None else Forfeits(1, number, game.forfeit)
    return Match(
        record if first is Mark.X else Record(),
        record if first is Mark.O else Record(),
        forfeits if lost else Forfeits(),
        forfeits if won else Forfeits(),
    )
