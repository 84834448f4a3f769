"""A room and its messages as lines of text. Pure."""
