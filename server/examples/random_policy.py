"""Count how a random policy that learns its first move fares against a uniform one."""

import numpy as np

from ttt_rl import BoardEnv

env = BoardEnv("3x3x3")
random = np.random.default_rng(seed=7)
won, played = np.ones(9), np.full(9, 2.0)
for _ in range(2000):
    env.reset()
    opening = int(np.argmax(random.beta(won, played - won + 1)))  # Thompson sampling
    first = True
    for agent in env.agent_iter():
        observation, reward, termination, _, _ = env.last()
        if termination and agent == "X":
            won[opening] += reward > 0
            played[opening] += 1
        legal = np.flatnonzero(observation["action_mask"])
        env.step(None if termination else opening if first else int(random.choice(legal)))
        first = False
print("best first cell:", int(np.argmax(won / played)), "won", np.round(won / played, 2))
