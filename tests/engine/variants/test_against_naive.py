"""Games of every variant at random, move by move against a second implementation."""

import pickle
from random import Random

import pytest

from tests.engine.variants.naive import GAMES
from ttt_engine import Position, Rules
from ttt_engine.exceptions import IllegalMove
from ttt_engine.symmetry import symmetries

GAMES_OF_EACH = [30, pytest.param(300, marks=pytest.mark.heavy)]

TEXTS = {
    "misere": ("misere:3x3x3", "misere:7x6x4g", "misere:5x4x3"),
    "torus": ("torus:3x3x3", "torus:4x4x4", "torus:5x5x4", "torus:4x3x3", "torus:9x7x5"),
    "cube": ("cube:3", "cube:4"),
    "ultimate": ("ultimate",),
    "vanishing": ("vanishing:3x3x3", "vanishing:4x3x3", "vanishing:4x4x4", "vanishing:5x5x4"),
    "notakto": ("notakto:3x3x3", "notakto:4x4x4", "notakto:5x4x3"),
    "connect6": ("connect6",),
}
LOOKS = {"connect6": 97, "cube": 7}
"""At how many moves apart the slow one looks for the end, where a look takes long."""


@pytest.mark.parametrize("games", GAMES_OF_EACH)
@pytest.mark.parametrize("name", GAMES)
def test_games_at_random(name: str, games: int) -> None:
    random = Random(name)
    for number in range(games):
        rules = Rules.parse(TEXTS[name][number % len(TEXTS[name])])
        naive = GAMES[name](name, *rules.size)
        position = Position.start(rules)
        while True:
            outcome = position.outcome()
            assert position.board == naive.board
            assert position.ply == len(naive.moves)
            if outcome is not None or not position.ply % LOOKS.get(name, 1):
                told = outcome and (outcome.reason, outcome.winner, outcome.line)
                assert told == naive.end(), (str(rules), naive.moves)
                assert list(position.legal_moves) == naive.legal(), (str(rules), naive.moves)
            assert position.legal == (position.legal_moves if name == "ultimate" else None)
            assert position.boards == getattr(naive, "boards", None)
            assert position.leaving == getattr(naive, "leaving", None)
            if outcome is not None:
                break
            assert position.turn == naive.turn
            cell = random.choice(position.legal_moves)
            position = position.play(cell)
            naive.play(cell)
        again = pickle.loads(pickle.dumps(position))  # noqa: S301 - pickled here
        assert (again, hash(again), again.outcome()) == (position, hash(position), outcome)
        assert Position.after(naive.moves, rules) == position
        with pytest.raises(IllegalMove):
            position.play(random.randrange(rules.cells))


@pytest.mark.parametrize("name", TEXTS)
def test_a_symmetry_changes_no_game(name: str) -> None:
    for text in TEXTS[name]:
        rules, random = Rules.parse(text), Random(text)
        moves: tuple[int, ...] = ()
        position = Position.start(rules)
        while position.outcome() is None:
            moves += (random.choice(position.legal_moves),)
            position = position.play(moves[-1])
        for view in symmetries(rules):
            outcome = Position.after([view[cell] for cell in moves], rules).outcome()
            assert outcome is not None
            assert outcome.winner == position.outcome().winner  # type: ignore[union-attr]
