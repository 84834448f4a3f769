"""`search` against OpenSpiel's plain UCT (random playouts), with the same time a move.

    python -m tests.bench.match 7x7x5 9x9x5 7x6x4g --games 20 --seconds 0.1

Both take turns to begin. Times are the processor's, so that a busy machine is no one's handicap.
OpenSpiel's k-in-a-row (`mnk`) is slow: it makes a few hundred playouts where its connect four makes
five thousand. `--times 10` gives it ten times the time.
"""

import argparse
import time
from collections.abc import Sequence
from random import Random
from typing import Any, Final, Protocol

from tests.bench.peers import peer
from ttt_engine import Mark, Position, Rules
from ttt_engine.strategies import Search

BOARDS: Final = ("7x7x5", "9x9x5", "7x6x4g")


class Player(Protocol):
    def cell(self, moves: Sequence[int], position: Position) -> int:
        """The cell to play in the position, which came of these moves."""


class Ours:
    def __init__(self, seconds: float, random: Random) -> None:
        self._search = Search(clock=time.process_time, seconds=seconds)
        self._random = random

    def cell(self, moves: Sequence[int], position: Position) -> int:  # noqa: ARG002
        return self._random.choice(self._search.think(position).cells)


class Uct:
    """OpenSpiel's MCTS as it comes: it counts playouts, so their number follows the time."""

    def __init__(self, pyspiel: Any, rules: Rules, seconds: float, random: Random) -> None:
        self._pyspiel, self._rules, self._seconds, self._random = pyspiel, rules, seconds, random
        self._game = pyspiel.load_game(
            "connect_four"
            if rules.gravity
            else f"mnk(m={rules.columns},n={rules.rows},k={rules.in_a_row})"
        )
        self.playouts = self.moves = 0
        self._rate = 1000.0
        """Playouts a second, as it was last."""

        for _ in range(5):  # to find it out
            self._think(self._game.new_initial_state(), int(self._rate * seconds))

    def cell(self, moves: Sequence[int], position: Position) -> int:
        state = self._game.new_initial_state()
        for cell in moves:
            state.apply_action(cell % self._rules.columns if self._rules.gravity else cell)
        action = self._think(state, max(2, int(self._rate * self._seconds)))
        cells = position.legal_moves
        if self._rules.gravity:
            return next(cell for cell in cells if cell % self._rules.columns == action)
        return action

    def _think(self, state: Any, playouts: int) -> int:
        seeds = [self._random.randrange(1 << 30) for _ in range(2)]
        bot = self._pyspiel.MCTSBot(
            self._game,
            self._pyspiel.RandomRolloutEvaluator(1, seeds[0]),
            2.0,  # the exploration constant of OpenSpiel's own examples
            playouts,
            1000,  # megabytes
            True,  # proves wins and losses where it can: stronger than without
            seeds[1],
            False,
        )
        begin = time.process_time()
        root = bot.mcts_search(state)
        took = time.process_time() - begin
        made = root.explore_count  # fewer where it has proven the value
        self._rate = min(made / max(took, 1e-6), self._rate * 4)
        self.playouts += made
        self.moves += 1
        return int(root.best_child().action)


def play(rules: Rules, players: dict[Mark, Player]) -> Mark | None:
    """Who won."""
    position, moves = Position.start(rules), list[int]()
    while (outcome := position.outcome()) is None:
        moves.append(players[position.turn].cell(moves, position))
        position = position.play(moves[-1])
    return outcome.winner


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("boards", nargs="*", type=Rules.parse, default=[*map(Rules.parse, BOARDS)])
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.1, help="a move")
    parser.add_argument("--times", type=float, default=1.0, help="UCT's time, in times of ours")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    pyspiel = peer("pyspiel")
    if pyspiel is None:
        return
    for rules in options.boards:
        random = Random(options.seed)
        ours = Ours(options.seconds, random)
        uct = Uct(pyspiel, rules, options.seconds * options.times, random)
        won = drawn = 0
        for game in range(options.games):
            mark = Mark.O if game % 2 else Mark.X
            winner = play(rules, {mark: ours, mark.other: uct})
            won += winner is mark
            drawn += winner is None
        print(
            f"{rules}: {won} won, {drawn} drawn, {options.games - won - drawn} lost; "
            f"UCT made {uct.playouts / max(uct.moves, 1):.0f} playouts a move",
            flush=True,
        )


if __name__ == "__main__":
    main()
