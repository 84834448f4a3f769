"""Rooms in other forms than their logs: saved between games, and made of imported games. Pure."""
