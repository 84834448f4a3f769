"""The room server: rooms, seats, and the path of a move from a socket to the disk and to all."""

from importlib.metadata import version

SERVER = f"ttt-rooms/{version('ttt-rooms')}"
"""Name and version, as `welcome` and the `Server` header tell them."""
