"""The memory of the strategy `learner`, and its training.

`memory` counts how games ended. `training` plays games to learn from, and has the best opponent of
a learner: the `Punisher` trains one, and measures one.
"""
