"""A PettingZoo environment of any board of the engine.

The spaces and rewards are those of PettingZoo's own `tictactoe_v3` and `connect_four_v3`
(https://pettingzoo.farama.org/environments/classic/), so that their agents fit.
"""

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from ttt_engine import Mark, Position, Rules

Observation = dict[str, NDArray[np.int8]]


class BoardEnv(AECEnv[str, Observation, int | None]):
    """Two agents, `X` and `O`, who move in turn on one board; X begins.

    Action space, `Discrete(cells)`: the index of a cell, row by row from the top left, also where
    marks fall. Only those of the action mask may be played.

    Observation space, a `Dict`:
        observation: int8 of shape (rows, columns, 2), 0 or 1: the agent's own marks, then those of
            the other side.
        action_mask: int8 of shape (cells,): 1 for each cell that the agent may play now; all 0
            where it is not to move.

    Rewards: 1 for the winner and -1 for the loser, both when the game ends; 0 for a draw and for
    every other move. An illegal action loses the game at once, as PettingZoo's
    `TerminateIllegalWrapper` has it. The game has no chance, so `seed` changes nothing but the
    spaces' own sampling.

    Args:
        rules: the board, as `3x3x3` or `7x6x4g`.
        render_mode: `"ansi"` returns the board as text, `"human"` prints it.

    Raises:
        InvalidRules: there is no such board.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "name": "ttt_rooms_v0",
        "render_modes": ["human", "ansi"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, rules: str = "3x3x3", render_mode: str | None = None) -> None:
        super().__init__()
        self.rules = Rules.parse(rules)
        self.render_mode = render_mode
        self.possible_agents = [mark.value for mark in Mark]
        self.agents: list[str] = []
        cells, shape = self.rules.cells, (self.rules.rows, self.rules.columns, 2)
        self.action_spaces = {agent: spaces.Discrete(cells) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, shape, dtype=np.int8),
                    "action_mask": spaces.Box(0, 1, (cells,), dtype=np.int8),
                }
            )
            for agent in self.possible_agents
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
            options: `{"moves": (4, 0)}` begins after these moves.

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
        self.agent_selection = self._position.turn.value

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees."""
        position, rules = self._position, self.rules
        own, other = (position.x, position.o) if agent == Mark.X else (position.o, position.x)
        planes = np.stack([_plane(own, rules), _plane(other, rules)], axis=-1)
        mask = np.zeros(rules.cells, dtype=np.int8)
        if agent == position.turn:
            mask[list(position.legal_moves)] = 1
        return {"observation": planes, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play a cell for the agent that is selected."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        if action is None or int(action) not in self._position.legal_moves:
            self._end(Mark(agent).other)
        else:
            self._position = self._position.play(int(action))
            if (outcome := self._position.outcome()) is not None:
                self._end(outcome.winner)
        self.agent_selection = Mark(agent).other.value
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Return the board as text, or print it."""
        if self.render_mode == "human":
            print(self._position, flush=True)  # noqa: T201 - what this mode is for
            return None
        return str(self._position)

    def close(self) -> None:
        """Have nothing to close."""

    def _end(self, winner: Mark | None) -> None:
        for agent in self.agents:
            self.terminations[agent] = True
            self.rewards[agent] = 0 if winner is None else 1 if agent == winner else -1


def _plane(marks: int, rules: Rules) -> NDArray[np.int8]:
    """Return the set of cells as rows and columns of 0 and 1."""
    bits = [marks >> cell & 1 for cell in range(rules.cells)]
    return np.array(bits, dtype=np.int8).reshape(rules.rows, rules.columns)
