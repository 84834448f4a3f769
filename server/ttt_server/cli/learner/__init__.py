"""`ttt-server learner`: what the learner knows, and its training."""
