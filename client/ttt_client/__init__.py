"""The terminal client: it draws what the server tells it, and knows no rules of the game."""

__version__ = "0.1.0"

DEFAULT_SERVER = "ws://127.0.0.1:8765"
