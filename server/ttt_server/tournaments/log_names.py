"""The names of the logs of tournaments, in the store that they share with the rooms."""

from ttt_protocol.state import RoomName
from ttt_protocol.tournament.settings import TournamentName

_PREFIX = "event/"
"""No room has a name with a slash, so that no log has two owners."""


def log_name(name: TournamentName) -> RoomName:
    """Return the name under which the store keeps the log of a tournament."""
    return RoomName(f"{_PREFIX}{name}")


def tournament_name(name: RoomName) -> TournamentName:
    """Return the tournament of a log, by the name that the store has for it."""
    return TournamentName(name.removeprefix(_PREFIX))


def is_tournament(name: RoomName) -> bool:
    """Return whether a log of the store is that of a tournament."""
    return name.startswith(_PREFIX)
