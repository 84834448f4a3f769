"""The variants of the game, one a file; `ttt_engine.variant` finds them by name."""
