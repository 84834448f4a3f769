"""Events in the terminal: watch one, take part and play its games, organise it, export it."""
