"""The host of a room: the member who made it. Pure.

That is the spectator who made it, or else the first human in a seat, for good.
"""

from ttt_protocol.state import Human, Player, Role, SessionId
from ttt_server.core.room import Room

NO_HOST = SessionId("")
"""The host of a room that never has one, as that of a quick match."""


def founder(session: SessionId, role: Role) -> SessionId | None:
    """Return the host of a room that this session makes; `None` before the first human sits."""
    return session if role is Role.SPECTATOR else None


def host_once_seated(host: SessionId | None, player: Player) -> SessionId | None:
    """Return the host of a room in which a player sits down."""
    return player.id if host is None and isinstance(player, Human) else host


def is_host(room: Room, session: SessionId | None) -> bool:
    """Return whether this session, of a player or a spectator, is the host."""
    return bool(session) and session == room.host
