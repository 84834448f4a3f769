"""The room server: rooms, seats, and the path of a move from a socket to the disk and to all."""

__version__ = "0.1.0"

SERVER = f"ttt-rooms/{__version__}"
"""Name and version, as `welcome` and the `Server` header tell them."""
