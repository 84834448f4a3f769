"""The rooms in memory: what happens, and in which order."""
