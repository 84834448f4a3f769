"""The games as a PettingZoo environment, for reinforcement learning: `pip install 'ttt-rooms[rl]'`.

import ttt_rl

env = ttt_rl.env(rules="7x6x4g", agents=("player_0", "player_1"))
"""

from ttt_rl.environment import BoardEnv, env, parallel_env, raw_env

__all__ = ["BoardEnv", "env", "parallel_env", "raw_env"]
