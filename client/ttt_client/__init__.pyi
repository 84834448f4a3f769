from ttt_client.net.dial import CannotDial, Rejected, Unreachable, dial
from ttt_client.net.session import Ending, Heard, NotConnected, Note, RoomSession

__all__ = [
    "DEFAULT_SERVER",
    "CannotDial",
    "Ending",
    "Heard",
    "NotConnected",
    "Note",
    "Rejected",
    "RoomSession",
    "Unreachable",
    "__version__",
    "dial",
]

__version__: str
DEFAULT_SERVER: str
