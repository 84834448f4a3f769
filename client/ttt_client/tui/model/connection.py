"""The connection of a screen, and how long it has been silent or lost."""

from dataclasses import dataclass

SILENT_S = 7.0
"""Seconds without a sign of the server after which the screen says so: it is asked every 5 s."""


@dataclass(frozen=True, slots=True)
class Connecting:
    """Connecting, or reconnecting."""


@dataclass(frozen=True, slots=True)
class Live:
    """There is a connection; `round_trip_s` is None until it is measured."""

    round_trip_s: float | None = None
    heard_at: float | None = None
    """When the server was last heard; None if nothing asks it."""

    def silent_s(self, now: float) -> float | None:
        """Return how long the server has been silent, once that is long."""
        if self.heard_at is None or now < self.heard_at + SILENT_S:
            return None
        return now - self.heard_at


@dataclass(frozen=True, slots=True)
class Lost:
    """There is no connection; the next try is at `until`."""

    words: str
    until: float
    since: float = 0.0
    """The time when the connection was lost. The clocks stop then."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """There is no connection to a recorded game."""


Connection = Connecting | Live | Lost | Recorded


def lost_again(before: Connection, words: str, until: float, now: float) -> Lost:
    """Return the lost connection after another one; the next try is at `until`."""
    return Lost(words, until, before.since if isinstance(before, Lost) else now)


def changes_in(connection: Connection, now: float) -> list[float]:
    """Return the seconds until its words change by themselves, if they do."""
    if isinstance(connection, Live) and connection.heard_at is not None:
        return [max(connection.heard_at + SILENT_S - now, 0.0) or 1.0]
    return [1.0] if isinstance(connection, Lost) else []
