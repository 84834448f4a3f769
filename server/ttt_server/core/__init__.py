"""The rules of rooms: pure values and functions."""
