"""The games as a PettingZoo environment, for reinforcement learning: `pip install 'ttt-rooms[rl]'`.

from ttt_rl import BoardEnv

env = BoardEnv("7x6x4g")
"""

from ttt_rl.environment import BoardEnv

__all__ = ["BoardEnv"]
