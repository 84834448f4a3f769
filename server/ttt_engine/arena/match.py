"""Matches of strategies, reproducible by a seed.

Each game has a random generator of its own, made from the seed, the two names and the number of the
game. So the result depends neither on the process that plays it nor on the order.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import combinations, filterfalse, islice
from random import Random
from typing import Any, Final, NamedTuple, TypeVar

from ttt_engine.arena.contestant import Contestant
from ttt_engine.arena.ratings import Record
from ttt_engine.openings.choose import choose, place, worth_by
from ttt_engine.openings.opening import Choice, Opening, Setup
from ttt_engine.outcome import Mark
from ttt_engine.position import Position
from ttt_engine.rules import Rules
from ttt_engine.strategies import Strategy, Thought, consult

T = TypeVar("T")

_REMEMBERED: Final = 1 << 16
"""The most positions whose thoughts a player caches: all of 3x3."""


_MOST_TRIES: Final = 1000
"""How often to try for an opening before giving up."""


class NoMove(Exception):
    """A strategy gave no move. The message says why."""


class NoOpening(Exception):
    """A board has no opening of that many moves."""


class Player:
    """A strategy at the board. It is deterministic, so that each question is asked only once."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy
        self._asks_for_moves = hasattr(strategy, "think_after")
        self._known = lru_cache(_REMEMBERED)(self.ask)
        self._worth = lru_cache(_REMEMBERED)(worth_by(strategy))

    def cells(self, position: Position, moves: tuple[int, ...]) -> tuple[int, ...]:
        """Return the equally good cells in the position to which these moves led.

        Raises:
            Forfeit: the strategy failed, or chose an illegal cell.
        """
        return self._known(position, moves if self._asks_for_moves else None)

    def begin(self, mark: Mark) -> None:
        """Note that a game begins in which it plays this mark. Strategies ignore it."""

    def end(self, game: "Game") -> None:
        """Note how the game ended. Strategies ignore it."""

    def take_times(self) -> "Times":
        """Return the times of its moves since the last call; none for a strategy."""
        return NO_TIMES

    def ask(self, position: Position, moves: tuple[int, ...] | None) -> tuple[int, ...]:
        """Do as `cells` does, without the cache."""
        thought: Any = self._guarded(lambda: consult(self._strategy, position, moves))
        if not isinstance(thought, Thought):
            raise NoMove(f"its answer is of type {type(thought).__name__}, not Thought")
        legal = position.legal_moves
        for cell in thought.cells:
            if type(cell) is not int or cell not in legal:
                raise NoMove(f"it chose {cell!r}, which may not be played")
        return thought.cells

    def place(self, position: Position, _moves: tuple[int, ...], setup: Setup) -> tuple[int, ...]:
        """Return the equally good cells for the next stone of an opening.

        A program is told the moves; a strategy is not.

        Raises:
            Forfeit: the strategy failed.
        """
        return self._guarded(lambda: place(position, setup.stones, self._worth))

    def choose(self, position: Position, _moves: tuple[int, ...], setup: Setup) -> Choice:
        """Choose in an opening.

        Raises:
            Forfeit: the strategy failed.
        """
        return self._guarded(lambda: choose(position, setup.choices, setup.seat, self._worth))

    def _guarded(self, decide: Callable[[], T]) -> T:
        try:
            return decide()
        except (Exception, SystemExit) as error:  # a plug-in can fail in any way
            raise NoMove(f"{type(error).__name__}: {error}") from error


class Times(NamedTuple):
    """The time that a program took for its moves, in seconds."""

    moves: int = 0
    seconds: float = 0.0
    longest: float = 0.0

    def with_(self, other: "Times") -> "Times":
        """Return the sum of both."""
        moves, seconds = self.moves + other.moves, self.seconds + other.seconds
        return Times(moves, seconds, max(self.longest, other.longest))


NO_TIMES: Final = Times()


class Game(NamedTuple):
    """A finished game."""

    moves: tuple[int, ...]

    winner: Mark | None

    forfeit: str | None
    """Why the loser gave no move; None if the game ended on the board."""

    is_swapped: bool = False
    """Whether the players changed sides in the opening."""


def play(
    x: Player,
    o: Player,
    rules: Rules,
    random: Random,
    moves: tuple[int, ...] = (),
    fair: str | None = None,
) -> Game:
    """Play one game. Among equally good cells, `random` decides.

    Args:
        x, o: the players, as they begin.
        rules: those of the game.
        random: decides.
        moves: played already, when the game begins.
        fair: the kind of its opening, if it has a fair one.
    """
    position = Position.after(moves, rules)
    x.begin(Mark.X)
    o.begin(Mark.O)
    if fair is None:
        game = _played_on(x, o, position, moves, random)
    else:
        game = _opened(x, o, position, fair, random)
    x.end(game)
    o.end(game)
    return game


def _opened(x: Player, o: Player, position: Position, kind: str, random: Random) -> Game:
    course, moves = Opening.begin(kind), tuple[int, ...]()
    while course.stage is not None:
        setup = course.setup(len(moves), position.turn)
        player = x if setup.seat is Mark.X else o
        try:
            if setup.choices:
                course = course.chosen(player.choose(position, moves, setup))
                continue
            cell = random.choice(player.place(position, moves, setup))
        except NoMove as forfeit:
            return Game(moves, setup.seat.other, str(forfeit))
        position, moves = position.play(cell), (*moves, cell)
    if not course.is_swapped:
        return _played_on(x, o, position, moves, random)
    return _played_on(o, x, position, moves, random)._replace(is_swapped=True)


def _played_on(
    x: Player, o: Player, position: Position, moves: tuple[int, ...], random: Random
) -> Game:
    while (outcome := position.outcome()) is None:
        mark = position.turn
        try:
            cells = (x if mark is Mark.X else o).cells(position, moves)
        except NoMove as forfeit:
            return Game(moves, mark.other, str(forfeit))
        cell = random.choice(cells)
        position, moves = position.play(cell), (*moves, cell)
    return Game(moves, outcome.winner, None)


def opening(rules: Rules, plies: int, random: Random) -> tuple[int, ...]:
    """Return this many random moves that do not end the game.

    Raises:
        NoOpening: there is none, or it is hard to find.
    """
    for _ in range(_MOST_TRIES):
        position, moves = Position.start(rules), tuple[int, ...]()
        while len(moves) < plies and position.outcome() is None:
            cell = random.choice(position.legal_moves)
            position, moves = position.play(cell), (*moves, cell)
        if position.outcome() is None:
            return moves
    raise NoOpening(f"{rules} has no openings of {plies} moves")


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


class PairGame(NamedTuple):
    """A game of a pair, with its number and the times of both."""

    number: int
    game: Game
    first: Times = NO_TIMES
    second: Times = NO_TIMES


class Match(NamedTuple):
    """The results of the games of a pair."""

    as_x: Record = Record()
    """The games of the first as X, from its view."""

    as_o: Record = Record()
    first_forfeits: Forfeits = Forfeits()
    second_forfeits: Forfeits = Forfeits()
    first_times: Times = NO_TIMES
    second_times: Times = NO_TIMES

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
            self.first_times.with_(other.first_times),
            self.second_times.with_(other.second_times),
        )

    def with_game(self, played: PairGame) -> "Match":
        """Return the counts with one more game."""
        number, game, first_times, second_times = played
        first = first_mark(number)
        if game.is_swapped:
            first = first.other
        won, lost = game.winner is first, game.winner is first.other
        record = Record(won, not won and not lost, lost)
        forfeits = Forfeits() if game.forfeit is None else Forfeits(1, number, game.forfeit)
        records = (record, Record()) if first is Mark.X else (Record(), record)
        both_forfeits = (forfeits, Forfeits()) if lost else (Forfeits(), forfeits)
        return self.with_(Match(*records, *both_forfeits, first_times, second_times))


class Batch(NamedTuple):
    """Games of a pair that are played in one batch."""

    pair: tuple[Contestant, Contestant]
    """The first and the second of the match."""

    rules: Rules
    seed: int
    games: tuple[int, ...]
    """The numbers of the games. In even ones the first plays X."""

    opening: int | str = 0
    """The random moves before each game, or the kind of a fair opening.

    Two games with sides swapped have the same random moves.
    """


def first_mark(number: int) -> Mark:
    """Return the mark of the first of the pair in the game of this number."""
    return Mark.O if number % 2 else Mark.X


class Plan(NamedTuple):
    """What all games of an arena have in common."""

    rules: Rules
    games: int
    """For each pair."""

    seed: int
    """The random seed."""

    opening: int | str = 0
    """The random moves before each game, or the kind of a fair opening."""


def batches(
    contestants: Iterable[Contestant],
    plan: Plan,
    size: int,
    have: Callable[[tuple[Contestant, Contestant], int], bool] = lambda _pair, _number: False,
) -> Iterator[Batch]:
    """Yield batches of at most `size` games: each against each.

    Args:
        contestants: all that play.
        plan: what they play.
        size: the most games of a batch.
        have: whether a game of a pair has been played already.
    """
    for pair in combinations(contestants, 2):
        missing = filterfalse(partial(have, pair), range(plan.games))
        while games := tuple(islice(missing, size)):
            yield Batch(pair, plan.rules, plan.seed, games, plan.opening)


def play_batch(batch: Batch, first: Player, second: Player) -> Iterator[PairGame]:
    """Play a batch. The players are those that it names."""
    seed = " ".join(map(str, (batch.seed, batch.rules, *batch.pair)))
    for number in batch.games:
        random = Random(f"{seed} {number}")
        chance = Random(f"{batch.seed} {batch.rules} opening {number // 2}")
        fair = batch.opening if isinstance(batch.opening, str) else None
        plies = batch.opening if isinstance(batch.opening, int) else 0
        moves = opening(batch.rules, plies, chance) if plies else ()
        x, o = (first, second) if first_mark(number) is Mark.X else (second, first)
        game = play(x, o, batch.rules, random, moves, fair)
        yield PairGame(number, game, first.take_times(), second.take_times())
