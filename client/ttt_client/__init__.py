"""The client of ttt-rooms: a terminal program, and a library for bots.

    from ttt_client import join

    async with join("ws://127.0.0.1:8765", "room42", name="ada") as room:
        async for turn in room.turns():
            await turn.play(turn.legal[0])

It draws what the server reports and knows no rules of the game. The public names are those of
`__all__`; each is imported on first use, so that `ttt-client --help` does not wait for them.
"""

from importlib import import_module

__version__ = "0.2.0"

DEFAULT_SERVER = "ws://127.0.0.1:8765"

_NAMES = {
    "library.enter": ("history", "join", "lobby", "quick_match", "rooms", "watch"),
    "library.errors": ("BadArgument", "CommandRefused", "RoomClosed", "RoomError"),
    "library.room": ("Room", "Turn", "WatchedRoom"),
    "net.dial": ("CannotDial", "Rejected", "Unreachable", "dial"),
    "net.session": ("Ending", "Heard", "NotConnected", "Note", "RoomSession"),
}
_HOMES = {name: f"ttt_client.{module}" for module, names in _NAMES.items() for name in names}
"""The public names, with the module of each. `__init__.pyi` gives their types."""

__all__ = ["DEFAULT_SERVER", "__version__", *_HOMES]  # noqa: PLE0604 - strings


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    """Import a public name on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
