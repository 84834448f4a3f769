"""The environment passes the library's own tests; without the packages they are skipped."""

import subprocess
import sys
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

np = pytest.importorskip("numpy")
testing = pytest.importorskip("pettingzoo.test")
parallel_test = pytest.importorskip("pettingzoo.test.parallel_test")

import ttt_rl  # noqa: E402
from ttt_engine import IllegalMove, InvalidRules  # noqa: E402
from ttt_rl import BoardEnv  # noqa: E402

PLAYERS = "player_0", "player_1"

BOARDS = ["3x3x3", "4x3x3", "7x6x4g", "15x15x5", "19x19x5", "3x5x4g", "19x3x6"]
BOARDS += ["misere:3x3x3", "torus:5x5x4", "cube:3", "ultimate", "vanishing:3x3x3", "notakto:4x4x4"]
BOARDS += ["connect6"]
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


@pytest.mark.parametrize("make", [ttt_rl.raw_env, ttt_rl.env])
def test_an_illegal_action_ends_the_game_as_their_wrapper_does(make: Any) -> None:
    env = make(rules="3x3x3")
    env.reset()
    env.step(4)
    env.step(4)
    assert (env.rewards, env.agent_selection) == ({"X": 0, "O": -1}, "X")
    assert all(env.terminations.values())
    assert all(env.truncations.values())
    rewards = {}
    for agent in env.agent_iter():
        rewards[agent] = env.last()[1]
        env.step(None)
    assert rewards == {"X": 0, "O": -1}


def test_where_marks_fall_an_action_is_a_column() -> None:
    env = BoardEnv("7x6x4g", agents=PLAYERS)
    env.reset()
    for column in (3, 3, 3, 3, 3, 3):
        env.step(column)
    assert env.action_spaces["player_0"].n == 7
    seen = env.observe("player_0")
    assert seen["action_mask"].tolist() == [1, 1, 1, 0, 1, 1, 1]
    assert seen["observation"][:, 3, 0].tolist() == [0, 1, 0, 1, 0, 1]
    cells = BoardEnv("7x6x4g", actions="cells")
    cells.reset()
    cells.step(41)
    assert cells.state()[5, 6].tolist() == [1, 0]
    assert cells.observe("O")["action_mask"].nonzero()[0].tolist() == [34, 35, 36, 37, 38, 39, 40]


def test_the_state_is_the_board_for_both() -> None:
    env = BoardEnv()
    env.reset(options={"moves": (0, 8)})
    assert env.state_space.contains(env.state())
    assert env.state()[0, 0].tolist() == [1, 0]
    assert env.state()[2, 2].tolist() == [0, 1]


def test_agents_that_act_together() -> None:
    env = ttt_rl.parallel_env(rules="3x3x3", agents=PLAYERS)
    env.reset()
    for action in (0, 3, 1, 4, 2):
        _, rewards, ended, _, _ = env.step(dict.fromkeys(env.agents, action))
    assert (rewards, env.agents) == ({"player_0": 1, "player_1": -1}, [])
    assert all(ended.values())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parallel_test.parallel_api_test(ttt_rl.parallel_env(rules="7x6x4g"), num_cycles=60)


def test_the_board_as_a_picture() -> None:
    env = BoardEnv("4x3x3", render_mode="rgb_array")
    env.reset(options={"moves": (0, 11)})
    picture = env.render()
    assert isinstance(picture, np.ndarray)
    assert (picture.shape, picture.dtype) == ((121, 161, 3), np.uint8)
    red, blue = picture[20, 20], picture[100, 154]
    assert red[0] > red[2]
    assert blue[2] > blue[0]
    assert (picture[60, 60] == 255).all()


@pytest.mark.parametrize("actions", ["rows", "cell", "columns"])
def test_no_such_actions(actions: Any) -> None:
    with pytest.raises(ValueError, match=f"actions '{actions}': must be None or cells"):
        ttt_rl.env(rules="7x6x4g", actions=actions)


def test_no_such_way_to_render() -> None:
    with pytest.raises(ValueError, match="render_mode 'svg': must be None, or one of human, ansi"):
        BoardEnv(render_mode="svg")
    with pytest.raises(ValueError, match="two names"):
        BoardEnv(agents=("X", "X"))
    with pytest.warns(UserWarning, match="needs a render_mode"):
        assert BoardEnv().render() is None


class Learner:
    """A table of values that learns from all games of either side; then it plays the best."""

    def __init__(self) -> None:
        self.values: dict[bytes, Any] = {}
        self.random = np.random.default_rng(1)

    def act(self, seen: Any, curiosity: float) -> int:
        legal = seen["action_mask"].nonzero()[0]
        if self.random.random() < curiosity:
            return int(self.random.choice(legal))
        values = self.values.get(seen["observation"].tobytes())
        return int(legal[0] if values is None else legal[np.argmax(values[legal])])

    def learn(self, env: Any, games: int) -> None:
        for _ in range(games):
            env.reset()
            first, steps = env.agents[0], []
            for agent in env.agent_iter():
                seen, reward, ended, cut, _ = env.last()
                action = None if ended or cut else self.act(seen, curiosity=0.3)
                if action is not None:
                    steps.append((agent == first, seen["observation"].tobytes(), action))
                elif agent == first:
                    result = reward
                env.step(action)
            for of_first, key, action in steps:
                values = self.values.setdefault(key, np.zeros(env.action_space(first).n))
                values[action] += 0.2 * ((result if of_first else -result) - values[action])


def score_of_first(env: Any, learner: Learner, curiosity: float = 0.0) -> float:
    """Return the mean reward of the learner as the first agent against chance."""
    total, games = 0, 200
    for _ in range(games):
        env.reset()
        first = env.agents[0]
        for agent in env.agent_iter():
            seen, reward, ended, cut, _ = env.last()
            total += reward if agent == first and (ended or cut) else 0
            chance = curiosity if agent == first else 1.0
            env.step(None if ended or cut else learner.act(seen, chance))
    return total / games


@pytest.mark.slow
@pytest.mark.parametrize(
    ("theirs", "rules"), [("tictactoe.tictactoe", "3x3x3"), ("connect_four.connect_four", "7x6x4g")]
)
def test_an_agent_that_learned_on_theirs_plays_on_ours(
    monkeypatch: pytest.MonkeyPatch, theirs: str, rules: str
) -> None:
    """Theirs imports pygame to draw, which nothing here needs."""
    if find_spec("pygame") is None:
        monkeypatch.setitem(sys.modules, "pygame", ModuleType("pygame"))
    their_env = import_module(f"pettingzoo.classic.{theirs}").env
    learner = Learner()
    learner.learn(their_env(), 1500 if rules == "3x3x3" else 400)
    our_env = ttt_rl.env(rules=rules, agents=PLAYERS)
    on_theirs, on_ours = (score_of_first(env, learner) for env in (their_env(), our_env))
    assert on_ours > score_of_first(our_env, learner, curiosity=1.0) + 0.2
    assert on_ours == pytest.approx(on_theirs, abs=0.2)


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
