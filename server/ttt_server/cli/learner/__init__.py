"""`ttt-server learner`: train the learner, and measure what it knows.

`command` reads the arguments and trains; `report` writes the results. The learner itself stands
in `ttt_engine.learning.learner`, its memory and its training in `ttt_engine.learning`.
"""
