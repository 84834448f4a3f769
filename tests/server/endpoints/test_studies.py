from http import HTTPStatus

import pytest

from ttt_engine import GameOver, IllegalMove, InvalidPosition, InvalidRules, Position, Rules
from ttt_server.ai.laboratory import MOST_STEPS, StrategyWish, Study
from ttt_server.ai.runner import AiFailed
from ttt_server.endpoints.studies import (
    DEFAULT_STEPS,
    MOST_GAMES,
    read_limit,
    read_moves,
    read_study,
    read_wish,
    study_failures,
)
from ttt_server.transport.responses import HttpError


def test_a_position() -> None:
    assert read_study("") == Study(Position.start(), ())
    assert read_study("board=x...O....") == Study(Position.parse("X...O...."), None)
    assert read_study("moves=a1b2&later=1") == Study(Position.after((0, 4)), (0, 4))
    four = Rules(7, 6, 4, gravity=True)
    assert read_study("rules=7x6x4g&moves=d6d5") == Study(Position.after((38, 31), four), (38, 31))


def test_games_for_the_learner() -> None:
    assert read_study("moves=a1").memory is None
    told = read_study("games=")
    assert told.memory is not None
    assert told.memory.games == 0
    told = read_study("games=b2a1c1a3a2c2b1b3c3,a1b1a2b2a3")
    assert told.memory is not None
    assert told.memory.tally(()) == (1, 0, 1)


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("games=b2", HttpError),
        ("games=b2b2", IllegalMove),
        ("games=x", HttpError),
        ("games=" + ",".join(["a1b1a2b2a3"] * (MOST_GAMES + 1)), HttpError),
        ("rules=2x2x2", InvalidRules),
        ("board=XX.......", InvalidPosition),
        ("rules=7x6x4g&moves=d1", IllegalMove),
        ("moves=a1a1", IllegalMove),
        ("board=XXXOO....", GameOver),
        ("moves=a", HttpError),
        ("moves=a1&board=.........", HttpError),
        ("&".join(["a=1"] * 9), HttpError),
    ],
)
def test_no_position(query: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        read_study(query)


def test_a_strategy() -> None:
    assert read_wish("strategy=minimax:9") == StrategyWish("minimax", 9)
    assert read_wish("strategy=minimax%3A9") == StrategyWish("minimax", 9)
    assert read_wish("strategy=rules") == StrategyWish("rules", None)
    for query in ("", "strategy=:9", "strategy=minimax:", "strategy=minimax:10"):
        with pytest.raises(HttpError):
            read_wish(query)


def test_a_limit() -> None:
    assert read_limit("") == DEFAULT_STEPS
    assert read_limit(f"limit={MOST_STEPS}") == MOST_STEPS
    for text in ("0", "-1", "x", "", str(MOST_STEPS + 1)):
        with pytest.raises(HttpError):
            read_limit(f"limit={text}")


def test_failures_become_answers() -> None:
    with pytest.raises(HttpError, match="the game is over") as caught, study_failures():
        raise GameOver("the game is over")
    assert caught.value.status is HTTPStatus.BAD_REQUEST
    with pytest.raises(HttpError) as caught, study_failures():
        raise AiFailed("it took too long")
    assert caught.value.status is HTTPStatus.SERVICE_UNAVAILABLE


def test_a_board_is_as_large_as_a_room_may_have_one() -> None:
    with pytest.raises(InvalidRules, match="20x20x5: each side must be 3 to 19"):
        read_study("rules=20x20x5")


def test_the_cells_of_a_cube_name_their_layer() -> None:
    rules = Rules.parse("cube:3")
    assert read_moves("1a12b23c3", rules) == (0, 13, 26)
    assert read_moves("", rules) == ()
    with pytest.raises(HttpError):
        read_moves("1a12b", rules)
