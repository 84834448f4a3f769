"""The memory of the strategy `learner`, and its training.

`memory` counts how games ended, `training` plays games to learn from, and `punisher` is the best
opponent of a learner: it trains one, and measures one.
"""
