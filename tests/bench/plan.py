"""How much is measured, and of which server."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Plan:
    """Sizes are each one case; times are seconds."""

    server: str
    """The command."""
    folder: Path | None = None
    """Where data folders are made."""
    rounds: int = 5
    seconds: float = 1.0
    """Of one measurement."""
    warm_s: float = 0.3
    """Before it."""
    rooms: tuple[int, ...] = (50, 500, 5000)
    paced_rooms: tuple[int, ...] = (50, 500)
    think_s: float = 0.5
    """Before each move, where it is paced."""
    spectators: tuple[int, ...] = (10, 100, 1000)
    connections: int = 2000
    """For memory; half as many rooms."""
    ai_rooms: int = 20
    at_once: int = 16
    """Rooms that are made and filled at the same time."""
    listed_rooms: int = 10_000
    """Rooms on the list that is read."""
    list_readers: int = 20
    long_rooms: int = 100
    """Rooms that are joined again."""
    long_events: int = 3600
    """In the log of each."""
    long_logs: tuple[str, ...] = ("without snapshots", "with snapshots")


QUICK = {
    "rounds": 1,
    "seconds": 0.5,
    "warm_s": 0.1,
    "rooms": (5, 50),
    "paced_rooms": (20,),
    "think_s": 0.1,
    "spectators": (5, 50),
    "connections": 100,
    "ai_rooms": 5,
    "at_once": 4,
    "listed_rooms": 40,
    "list_readers": 3,
    "long_rooms": 4,
    "long_events": 120,
    "long_logs": ("without snapshots",),
}
"""What `--quick` sets: half a minute in all, to see that it works."""
