from ttt_client.library.enter import history, join, lobby, quick_match, rooms, watch
from ttt_client.library.errors import BadArgument, CommandRefused, RoomClosed, RoomError
from ttt_client.library.room import Room, Turn, WatchedRoom
from ttt_client.net.dial import CannotDial, Rejected, Unreachable, dial
from ttt_client.net.session import Ending, Heard, NotConnected, Note, RoomSession

__all__ = [
    "DEFAULT_SERVER",
    "BadArgument",
    "CannotDial",
    "CommandRefused",
    "Ending",
    "Heard",
    "NotConnected",
    "Note",
    "Rejected",
    "Room",
    "RoomClosed",
    "RoomError",
    "RoomSession",
    "Turn",
    "Unreachable",
    "WatchedRoom",
    "__version__",
    "dial",
    "history",
    "join",
    "lobby",
    "quick_match",
    "rooms",
    "watch",
]

__version__: str
DEFAULT_SERVER: str
