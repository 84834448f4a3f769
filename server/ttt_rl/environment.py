"""A PettingZoo environment of any board of the engine.

Spaces, masks, rewards and illegal moves are those of PettingZoo's own `tictactoe_v3` and
`connect_four_v3` (https://pettingzoo.farama.org/environments/classic/), so that their agents fit.
Their tic-tac-toe numbers the cells column by column, and this row by row: a mirror image.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from ttt_engine import Mark, Position, Rules

Observation = dict[str, NDArray[np.int8]]
Environment: TypeAlias = "AECEnv[str, Observation, int | None]"

_CELL = 40
"""Pixels of a cell in a picture."""

_BOARD, _LINE = (255, 255, 255), (120, 120, 120)
_COLOURS = {Mark.X: (200, 40, 40), Mark.O: (30, 70, 200)}


class BoardEnv(AECEnv[str, Observation, int | None]):
    """Two agents that move in turn on one board; the first plays X.

    Action space: `Discrete(columns)`, the column to drop a mark into, where marks fall; elsewhere,
    and with `actions="cells"`, `Discrete(cells)`, the index of a cell, row by row from the top
    left. Only those of the action mask may be played.

    Observation space, a `Dict`:
        observation: int8 of shape (rows, columns, 2), 0 or 1: the agent's own marks, then those of
            the other side.
        action_mask: int8, 1 for each action that the agent may take now; all 0 where it is not to
            move.

    `state()` is the board for both: int8 of shape (rows, columns, 2), the marks X, then O.

    Rewards: 1 for the winner and -1 for the loser, both when the game ends; 0 for a draw and for
    every other move. An illegal action ends the game with -1 for the agent and 0 for the other, as
    `TerminateIllegalWrapper` has it. The game has no chance, so `seed` changes nothing but the
    spaces' own sampling.

    Args:
        rules: the board, as `3x3x3` or `7x6x4g`.
        render_mode: `"ansi"` returns the board as text, `"rgb_array"` as a picture, and `"human"`
            prints it.
        agents: their names, as `("player_0", "player_1")`.
        actions: `"cells"` for cells where marks fall, too.

    Raises:
        InvalidRules: there is no such board.
        ValueError: there is no such way to render or kind of actions, or there are not two agents.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "name": "ttt_rooms_v0",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        rules: str = "3x3x3",
        render_mode: str | None = None,
        agents: Sequence[str] = ("X", "O"),
        actions: Literal["cells"] | None = None,
    ) -> None:
        super().__init__()
        if render_mode not in {None, *self.metadata["render_modes"]}:
            modes = ", ".join(self.metadata["render_modes"])
            raise ValueError(f"render_mode {render_mode!r}: must be None, or one of {modes}")
        if actions not in {None, "cells"}:
            raise ValueError(f"actions {actions!r}: must be None or cells")
        if len(set(agents)) != 2:
            raise ValueError("agents: must be two names")
        self.rules = Rules.parse(rules)
        self.render_mode = render_mode
        self.possible_agents = list(agents)
        self.agents: list[str] = []
        self._has_columns = self.rules.gravity and actions is None
        count = self.rules.columns if self._has_columns else self.rules.cells
        shape = (self.rules.rows, self.rules.columns, 2)
        self.state_space = spaces.Box(0, 1, shape, dtype=np.int8)
        self.action_spaces = {agent: spaces.Discrete(count) for agent in agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, shape, dtype=np.int8),
                    "action_mask": spaces.Box(0, 1, (count,), dtype=np.int8),
                }
            )
            for agent in agents
        }
        self._position = Position.start(self.rules)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game.

        Args:
            seed: of no effect, for the game has no chance.
            options: `{"moves": (4, 0)}` begins after moves into these cells.

        Raises:
            IllegalMove: one of these moves may not be played.
        """
        del seed
        self._position = Position.after((options or {}).get("moves", ()), self.rules)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, self._position.outcome() is not None)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._agent_of(self._position.turn)

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees."""
        marks = self.state()
        is_first = agent == self.possible_agents[0]
        mask = np.zeros(self.action_spaces[agent].n, dtype=np.int8)
        if agent == self._agent_of(self._position.turn):
            mask[list(self._cells())] = 1
        return {"observation": marks if is_first else marks[..., ::-1], "action_mask": mask}

    def state(self) -> NDArray[np.int8]:
        """Return the whole board."""
        position, rules = self._position, self.rules
        return np.stack([_plane(position.x, rules), _plane(position.o, rules)], axis=-1)

    def step(self, action: int | None) -> None:
        """Play for the agent that is selected."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        cell = None if action is None else self._cells().get(int(action))
        if cell is None:
            self.rewards[agent] = -1
            self.terminations = dict.fromkeys(self.agents, True)
            self.truncations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()
            self._deads_step_first()
        else:
            self._play(cell)
            self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | NDArray[np.uint8] | None:  # type: ignore[override]
        """Return the board as text or as a picture, or print it, as `render_mode` says."""
        match self.render_mode:
            case None:
                gymnasium.logger.warn("render() needs a render_mode")
                return None
            case "rgb_array":
                return _picture(self._position)
            case "human":
                print(self._position, flush=True)  # noqa: T201 - what this mode is for
                return None
            case _:
                return str(self._position)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _play(self, cell: int) -> None:
        self._position = self._position.play(cell)
        self.agent_selection = self._agent_of(self._position.turn)
        if (outcome := self._position.outcome()) is None:
            return
        self.terminations = dict.fromkeys(self.agents, True)
        if outcome.winner is not None:
            self.rewards[self._agent_of(outcome.winner)] = 1
            self.rewards[self._agent_of(outcome.winner.other)] = -1

    def _cells(self) -> dict[int, int]:
        """Return the legal actions, with the cell that each plays."""
        cells = self._position.legal_moves
        return {cell % self.rules.columns if self._has_columns else cell: cell for cell in cells}

    def _agent_of(self, mark: Mark) -> str:
        return self.possible_agents[mark is Mark.O]


def raw_env(**arguments: Any) -> BoardEnv:
    """Return the environment itself; the arguments are those of `BoardEnv`."""
    return BoardEnv(**arguments)


def env(**arguments: Any) -> Environment:
    """Return the environment within the wrappers that PettingZoo puts around its own."""
    legal = wrappers.TerminateIllegalWrapper(raw_env(**arguments), illegal_reward=-1)
    wrapped: Environment = wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(legal))
    return wrapped


def parallel_env(**arguments: Any) -> ParallelEnv[str, Observation, int | None]:
    """Return the environment for agents that act together: only the one that is to move counts."""
    parallel: ParallelEnv[str, Observation, int | None]
    parallel = turn_based_aec_to_parallel(raw_env(**arguments))
    return parallel


def _plane(marks: int, rules: Rules) -> NDArray[np.int8]:
    """Return the set of cells as rows and columns of 0 and 1."""
    bits = [marks >> cell & 1 for cell in range(rules.cells)]
    return np.array(bits, dtype=np.int8).reshape(rules.rows, rules.columns)


def _picture(position: Position) -> NDArray[np.uint8]:
    """Draw the board: uint8 of shape (height, width, 3)."""
    rules = position.rules
    shape = (rules.rows * _CELL + 1, rules.columns * _CELL + 1, 3)
    picture = np.full(shape, _BOARD, dtype=np.uint8)
    picture[::_CELL] = picture[:, ::_CELL] = _LINE
    across = np.abs(np.arange(_CELL - 1) - _CELL // 2 + 1)
    down = across[:, None]
    distance = np.hypot(across, down)
    thick, size = _CELL // 16, _CELL * 3 // 8
    shapes = {
        Mark.X: (np.abs(across - down) <= thick) & (distance <= size),
        Mark.O: np.abs(distance - size + thick) <= thick,
    }
    for mark, marks in ((Mark.X, position.x), (Mark.O, position.o)):
        for row, column in np.argwhere(_plane(marks, rules)):
            top, left = row * _CELL + 1, column * _CELL + 1
            square = picture[top : top + _CELL - 1, left : left + _CELL - 1]
            square[shapes[mark]] = _COLOURS[mark]
    return picture
