"""Checks of foreign logs, imports of games, saved rooms. Pure."""
