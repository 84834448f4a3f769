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

_HOMES = {
    "BadArgument": "ttt_client.library.errors",
    "CannotDial": "ttt_client.net.dial",
    "CommandRefused": "ttt_client.library.errors",
    "Ending": "ttt_client.net.session",
    "Heard": "ttt_client.net.session",
    "NotConnected": "ttt_client.net.session",
    "Note": "ttt_client.net.session",
    "Rejected": "ttt_client.net.dial",
    "Room": "ttt_client.library.room",
    "RoomClosed": "ttt_client.library.errors",
    "RoomError": "ttt_client.library.errors",
    "RoomSession": "ttt_client.net.session",
    "Turn": "ttt_client.library.turn",
    "Unreachable": "ttt_client.net.dial",
    "WatchedRoom": "ttt_client.library.watched",
    "dial": "ttt_client.net.dial",
    "history": "ttt_client.library.lobby",
    "join": "ttt_client.library.enter",
    "lobby": "ttt_client.library.lobby",
    "quick_match": "ttt_client.library.lobby",
    "rooms": "ttt_client.library.lobby",
    "watch": "ttt_client.library.enter",
}
"""The public names, with the module of each. `__init__.pyi` gives their types."""

__all__ = ["DEFAULT_SERVER", "__version__", *_HOMES]  # noqa: PLE0604 - strings


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    """Import a public name on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
