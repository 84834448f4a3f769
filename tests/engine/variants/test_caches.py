"""No cache or table mixes up two games whose boards have equal sizes."""

from itertools import combinations, permutations

import pytest

from tests.engine.variants.naive import GAMES
from ttt_engine import Position, Rules
from ttt_engine.evaluation import evaluate
from ttt_engine.strategies import Thought, can_play, is_ours, make, names
from ttt_engine.symmetry import symmetries

SIZES = {(3, 3, 3), (4, 4, 4), (3, 9, 3), (4, 16, 4), (9, 9, 3), (19, 19, 6), (7, 6, 4)}


def games(size: tuple[int, int, int]) -> list[Rules]:
    """Return all games that are played on a board of this size."""
    found = [Rules(*size), Rules(*size, gravity=True), Rules(*size, exact=True)]
    for name in GAMES:
        for gravity in (False, True):
            try:
                found.append(Rules(*size, gravity=gravity, variant=name))
            except ValueError:
                continue
    return found


@pytest.mark.parametrize("size", sorted(SIZES))
def test_equal_sizes_are_other_rules(size: tuple[int, int, int]) -> None:
    for one, other in combinations(games(size), 2):
        assert one != other
        assert str(one) != str(other)
        assert Position.start(one) != Position.start(other)
        assert Position.start(one).play(one.cells - 1) != Position.start(other).play(
            other.cells - 1
        )


@pytest.mark.no_cover
@pytest.mark.parametrize("size", sorted(SIZES))
def test_lines_are_those_of_the_game(size: tuple[int, int, int]) -> None:
    # In both orders, so that whichever is made first cannot be taken for the other.
    for one, other in permutations(games(size), 2):
        for rules in (one, other, one):
            naive = GAMES.get(rules.variant or "")
            if naive is None:
                continue
            board = naive(rules.variant or "", *rules.size)
            board.cells = ["X"] * rules.cells
            assert set(board.lines_of("X")) == {
                cell for cell in range(rules.cells) if rules.lines.completed(rules.full) >> cell & 1
            }


PLAIN = "3x3x3", "misere:3x3x3", "torus:3x3x3", "3x3x3!", "3x3x3g"
NINE_LEFT = (0, 1, 3)
"""O is to move. On the plain board X threatens 6, on the torus more, and in misère nothing."""


@pytest.mark.parametrize(("first", "second"), list(permutations(PLAIN[:3], 2)))
def test_answers_do_not_leak_from_one_game_to_the_next(first: str, second: str) -> None:
    for text in (first, second, first):
        rules = Rules.parse(text)
        position = Position.after(NINE_LEFT, rules)
        assert position.rules == rules
        ending = position.play(4).play(6)
        assert (ending.outcome() is None) is False
        winner = ending.outcome().winner  # type: ignore[union-attr]
        assert winner == ("O" if rules.variant == "misere" else "X")
        evaluation = evaluate(position, 0.05, iter(range(10**9)).__next__)
        assert set(evaluation.values) == set(position.legal_moves)
        assert len(symmetries(rules)) == 8


@pytest.mark.parametrize("name", [name for name in names() if is_ours(name)])
def test_a_strategy_thinks_of_the_game_that_it_is_asked_about(name: str) -> None:
    thoughts: dict[str, Thought] = {}
    for text in (*PLAIN[:3], *reversed(PLAIN[:3])):
        rules = Rules.parse(text)
        strategy = make(name, 3)
        if not can_play(strategy, rules):
            continue
        thought = strategy.think(Position.after(NINE_LEFT, rules))
        assert thoughts.setdefault(text, thought) == thought
        assert set(thought.cells) <= set(Position.after(NINE_LEFT, rules).legal_moves)
