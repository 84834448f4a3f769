"""Strategies against each other: who plays whom, and games that a seed makes again.

Every game has a chance of its own, drawn from the seed, the two names and the game's number. So
nothing depends on which process plays it, or in which order.
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
"""How many positions a player remembers its thoughts of: all of 3x3."""


class Forfeit(Exception):
    """A strategy gave no move; the words say why."""


class Player:
    """A strategy at the board. As the same question gets the same thought, it is asked once."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy
        self._asks_for_moves = hasattr(strategy, "think_after")
        self._known = lru_cache(_REMEMBERED)(self.ask)

    def cells(self, position: Position, moves: tuple[int, ...]) -> tuple[int, ...]:
        """What it holds equally good in the position to which these moves led.

        Raises:
            Forfeit: it failed, or chose what may not be played.
        """
        return self._known(position, moves if self._asks_for_moves else None)

    def ask(self, position: Position, moves: tuple[int, ...] | None) -> tuple[int, ...]:
        """As `cells`, and not from memory."""
        try:
            thought: Any = consult(self._strategy, position, moves)
        except (Exception, SystemExit) as error:  # a strategy may be anybody's, and fail in any way
            raise Forfeit(f"{type(error).__name__}: {error}") from error
        if not isinstance(thought, Thought):
            raise Forfeit(f"it answered {type(thought).__name__}, and no Thought")
        legal = position.legal_moves
        for cell in thought.cells:
            if type(cell) is not int or cell not in legal:
                raise Forfeit(f"it chose {cell!r}, which may not be played")
        return thought.cells


class Game(NamedTuple):
    """How a game went."""

    moves: tuple[int, ...]

    winner: Mark | None

    forfeit: str | None
    """Why the loser gave no move, if that ended the game."""


def play(x: Player, o: Player, rules: Rules, random: Random) -> Game:
    """One game. Among the cells that a player holds equally good, chance decides."""
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
    """The games that a player of a pair gave no move in."""

    games: int = 0

    first: int = 0
    """The number of the first of them."""

    reason: str = ""
    """Why, that time."""

    def with_(self, other: "Forfeits") -> "Forfeits":
        """Both together."""
        if not (self.games and other.games):
            return self if self.games else other
        earlier = min(self, other, key=lambda forfeits: forfeits.first)
        return Forfeits(self.games + other.games, earlier.first, earlier.reason)


class Match(NamedTuple):
    """What is counted of a pair's games."""

    as_x: Record = Record()
    """The first's games as X, from its view."""

    as_o: Record = Record()
    first_forfeits: Forfeits = Forfeits()
    second_forfeits: Forfeits = Forfeits()

    @property
    def record(self) -> Record:
        """All games, from the first's view."""
        return self.as_x.with_(self.as_o)

    def with_(self, other: "Match") -> "Match":
        """Both together."""
        return Match(
            self.as_x.with_(other.as_x),
            self.as_o.with_(other.as_o),
            self.first_forfeits.with_(other.first_forfeits),
            self.second_forfeits.with_(other.second_forfeits),
        )


class Batch(NamedTuple):
    """Some of the games of a pair, to be played in one go."""

    pair: tuple[Contestant, Contestant]
    """The first and the second of the match."""

    rules: Rules
    seed: int
    games: range
    """Their numbers; in the even ones the first plays X."""


def batches(
    contestants: Iterable[Contestant], rules: Rules, games: int, seed: int, size: int
) -> Iterator[Batch]:
    """All the work: each against each, so many games a pair, `size` or fewer at a time."""
    for pair in combinations(contestants, 2):
        for start in range(0, games, size):
            yield Batch(pair, rules, seed, range(start, min(start + size, games)))


def play_batch(batch: Batch, first: Player, second: Player) -> Match:
    """Plays it; the players are those that the batch names."""
    match = Match()
    seed = " ".join(map(str, (batch.seed, batch.rules, *batch.pair)))
    for number in batch.games:
        random = Random(f"{seed} {number}")
        x, o, mark = (second, first, Mark.O) if number % 2 else (first, second, Mark.X)
        match = match.with_(_counted(number, play(x, o, batch.rules, random), mark))
    return match


def _counted(number: int, game: Game, first: Mark) -> Match:
    """One game, in which the first of the pair had this mark."""
    won, lost = game.winner is first, game.winner is first.other
    record = Record(won, not won and not lost, lost)
    forfeits = Forfeits() if game.forfeit is None else Forfeits(1, number, game.forfeit)
    return Match(
        record if first is Mark.X else Record(),
        record if first is Mark.O else Record(),
        forfeits if lost else Forfeits(),
        forfeits if won else Forfeits(),
    )
