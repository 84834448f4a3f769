"""What a look of two moves shows, held against playing every move and every answer."""

from random import Random

import pytest

from ttt_engine import Position, Rules
from ttt_engine.strategies import Cost
from ttt_engine.strategies.rules import Foresight, _by_the_rules, cost_of_foresight, foresee

GRIDS = ["misere:3x3x3", "misere:4x4x3", "misere:4x4x3g", "torus:3x3x3", "torus:4x4x3", "cube:3"]


def games(text: str, count: int) -> list[Position]:
    """Return the unfinished positions of random games."""
    random, found = Random(1), []
    for _ in range(count):
        position = Position.start(Rules.parse(text))
        while position.outcome() is None:
            found.append(position)
            position = position.play(random.choice(position.legal_moves))
    return found


@pytest.mark.no_cover
@pytest.mark.parametrize("text", GRIDS)
def test_lines_show_what_playing_shows(text: str) -> None:
    for position in games(text, 12):
        by_lines, by_play = foresee(position), _by_the_rules(position)
        assert by_lines.wins == by_play.wins
        if by_play.wins:
            continue
        if position.rules.loses:
            assert by_lines == by_play
        elif by_play.safe:  # else nothing helps, and it names the cells that stop one line
            assert by_lines.safe == by_play.safe


def test_misere_forces_where_all_answers_lose() -> None:
    position = Position.parse("XO.OX.XOO".replace("XOO", ".XO"), Rules.parse("misere:3x3x3"))
    assert foresee(position) == _by_the_rules(position)


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("3x3x3", Cost.INSTANT),
        ("15x15x5", Cost.SHORT),
        ("misere:3x3x3", Cost.SHORT),
        ("cube:4", Cost.SHORT),
        ("vanishing:3x3x3", Cost.SHORT),
        ("ultimate", Cost.LONG),
        ("vanishing:4x4x4", Cost.LONG),
    ],
)
def test_the_cost_of_a_look(text: str, cost: Cost) -> None:
    assert cost_of_foresight(Rules.parse(text)) is cost


def test_the_plain_game_names_all_cells_that_stop_a_line() -> None:
    assert foresee(Position.parse("XX.OO....")) == Foresight((2,), (5,), ())
    assert foresee(Position.parse("XX..O....")) == Foresight((), (2,), ())
