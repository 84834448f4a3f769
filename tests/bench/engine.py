"""How fast the engine is on 3x3, beside OpenSpiel and easyAI with the same games and positions.

    python -m tests.bench.engine

A time is the processor's, and the least of several rounds; times compare within one run only.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, Protocol

from tests.bench.peers import peer
from ttt_engine import Position
from ttt_engine.strategies import Minimax, OpenLines, Perfect, RuleBased

ROUNDS: Final = 5

Cells = Sequence[int]
"""The moves of a game, or of its beginning."""


class Engine(Protocol):
    name: str

    @property
    def searches(self) -> Mapping[str, Callable[[Any], object]]:
        """By name what finds a move in a position."""

    def replay(self, cells: Cells) -> None:
        """Play these, and look after each whether the game is over."""

    def play(self, chance: Callable[[], float]) -> None:
        """Play a game of legal moves at random."""

    def position(self, cells: Cells) -> Any:
        """The position after these."""


class Ours:
    name = "ttt_engine"
    searches: Final = {
        strategy.name: strategy.think
        for strategy in (Minimax(), Perfect(), RuleBased(), OpenLines())
    }

    def replay(self, cells: Cells) -> None:
        position = Position.start()
        for cell in cells:
            position = position.play(cell)
            if position.outcome() is not None:
                break

    def play(self, chance: Callable[[], float]) -> None:
        position = Position.start()
        while position.outcome() is None:
            cells = position.legal_moves
            position = position.play(cells[int(chance() * len(cells))])

    def position(self, cells: Cells) -> Position:
        return Position.after(cells)


class OpenSpiel:
    name = "OpenSpiel"

    def __init__(self, pyspiel: Any, alpha_beta: Any) -> None:
        self._game = pyspiel.load_game("tic_tac_toe")
        self.searches = {
            "alpha_beta_search": lambda state: alpha_beta.alpha_beta_search(
                self._game, state, maximizing_player_id=state.current_player()
            )
        }

    def replay(self, cells: Cells) -> None:
        state = self._game.new_initial_state()
        for cell in cells:
            state.apply_action(cell)
            if state.is_terminal():
                break

    def play(self, chance: Callable[[], float]) -> None:
        state = self._game.new_initial_state()
        while not state.is_terminal():
            cells = state.legal_actions()
            state.apply_action(cells[int(chance() * len(cells))])

    def position(self, cells: Cells) -> Any:
        state = self._game.new_initial_state()
        for cell in cells:
            state.apply_action(cell)
        return state


class EasyAi:
    name = "easyAI"

    def __init__(self, easy_ai: Any, games: Any) -> None:
        self._start = games.TicTacToe
        self.searches = {"Negamax(9)": easy_ai.Negamax(9)}

    def replay(self, cells: Cells) -> None:
        game = self._start([None, None])
        for cell in cells:
            game.play_move(cell + 1)
            if game.is_over():
                break

    def play(self, chance: Callable[[], float]) -> None:
        game = self._start([None, None])
        while not game.is_over():
            cells = game.possible_moves()
            game.play_move(cells[int(chance() * len(cells))])

    def position(self, cells: Cells) -> Any:
        game = self._start([None, None])
        for cell in cells:
            game.play_move(cell + 1)
        return game


def engines() -> Iterator[Engine]:
    """Ours, and those that are installed."""
    yield Ours()
    pyspiel, alpha_beta = peer("pyspiel"), peer("open_spiel.python.algorithms.minimax")
    if pyspiel and alpha_beta:
        yield OpenSpiel(pyspiel, alpha_beta)
    easy_ai, games = peer("easyAI"), peer("easyAI.games.TicTacToe")
    if easy_ai and games:
        yield EasyAi(easy_ai, games)


def average(work: Callable[[Any], object], things: Sequence[Any]) -> float:
    """Seconds a thing, in the round that was disturbed least."""
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        for thing in things:
            work(thing)
        times.append(time.process_time() - begin)
    return min(times) / len(things)


def random_games(count: int) -> list[Cells]:
    random = Random(1)
    games: list[Cells] = []
    while len(games) < count:
        position, cells = Position.start(), list[int]()
        while position.outcome() is None:
            cells.append(random.choice(position.legal_moves))
            position = position.play(cells[-1])
        games.append(cells)
    return games


def first_thoughts() -> None:
    """What a strategy's table costs: it is built by its first thoughts."""
    for strategy in (Minimax(), Perfect()):
        begin = time.process_time()
        strategy.think(Position.start())
        middle = time.process_time()
        strategy.think(Position.after([0]))
        end = time.process_time()
        print(
            f"{strategy.name}'s first thought as X: {(middle - begin) * 1e3:.1f} ms, "
            f"as O: {(end - middle) * 1e3:.1f} ms"
        )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--positions", type=int, default=40, help="for the searches")
    options = parser.parse_args(arguments)
    first_thoughts()
    games = random_games(options.games)
    # From the fourth move on: the others' searches take seconds before.
    starts = [cells[: 3 + index % (len(cells) - 3)] for index, cells in enumerate(games)]
    rows: list[tuple[str, str, float]] = []
    for engine in engines():
        chances = [Random(seed).random for seed in range(100)] * (options.games // 100)
        rows += [
            ("the same games, move and outcome", engine.name, average(engine.replay, games)),
            ("games at random", engine.name, average(engine.play, chances)),
        ]
        positions = [engine.position(cells) for cells in starts[: options.positions]]
        rows += [
            ("the same positions, a move", f"{engine.name} {name}", average(search, positions))
            for name, search in engine.searches.items()
        ]
    print_table(rows)


def print_table(rows: Sequence[tuple[str, str, float]]) -> None:
    """By what was done, who took how long, and how many times the least."""
    for what in dict.fromkeys(what for what, _, _ in rows):
        took = {who: seconds for of, who, seconds in rows if of == what}
        print(f"\n{what}")
        for who, seconds in took.items():
            print(
                f"  {who:<30} {seconds * 1e6:12.2f} us {1 / seconds:12,.0f}/s"
                f" {seconds / min(took.values()):10.1f} x"
            )


if __name__ == "__main__":
    main()
