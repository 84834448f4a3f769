"""People who come back: who they are, their games, their ratings."""
