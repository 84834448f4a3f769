"""The environment passes the library's own tests; without the packages they are skipped."""

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
testing = pytest.importorskip("pettingzoo.test")

from ttt_engine import IllegalMove, InvalidRules  # noqa: E402
from ttt_rl import BoardEnv  # noqa: E402

BOARDS = ["3x3x3", "4x3x3", "7x6x4g", "15x15x5", "19x19x5", "3x5x4g", "19x3x6"]
EXAMPLE = Path(__file__).parents[2] / "server/examples/random_policy.py"


@pytest.mark.parametrize("board", BOARDS)
def test_it_passes_the_tests_of_the_library(board: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what the library says about its own
        testing.api_test(BoardEnv(board), num_cycles=60)
        testing.seed_test(lambda: BoardEnv(board), num_cycles=20)


def test_a_win_is_one_for_the_winner_and_minus_one_for_the_loser() -> None:
    env = BoardEnv()
    env.reset(options={"moves": (0, 3, 1, 4)})
    assert env.observe("X")["action_mask"].tolist() == [0, 0, 1, 0, 0, 1, 1, 1, 1]
    assert env.observe("O")["action_mask"].sum() == 0
    env.step(2)
    assert env.rewards == {"X": 1, "O": -1}
    assert all(env.terminations.values())


def test_each_agent_sees_its_own_marks_first() -> None:
    env = BoardEnv()
    env.reset(options={"moves": (0, 8)})
    own, other = (env.observe("O")["observation"][..., plane] for plane in (0, 1))
    assert (own[2, 2], other[0, 0], own.sum(), other.sum()) == (1, 1, 1, 1)


def test_an_illegal_action_loses() -> None:
    env = BoardEnv("7x6x4g")
    env.reset()
    env.step(0)  # it floats
    assert env.rewards == {"X": -1, "O": 1}


def test_the_board_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    env = BoardEnv(render_mode="ansi")
    env.reset()
    assert "1 . . ." in str(env.render())
    human = BoardEnv(render_mode="human")
    human.reset()
    human.step(4)
    assert "2 . X ." in capsys.readouterr().out


def test_what_cannot_be() -> None:
    with pytest.raises(InvalidRules):
        BoardEnv("2x2x2")
    with pytest.raises(IllegalMove):
        BoardEnv().reset(options={"moves": (0, 0)})


@pytest.mark.slow
def test_the_example_learns_that_the_centre_wins_most() -> None:
    done = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("best first cell: 4 ")
