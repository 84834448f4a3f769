"""The event of a game, as its board shows it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Occasion:
    """An event, and the board's place among the player's boards. Times are the screen's."""

    title: str
    words: str = ""
    """News of the event; empty if its clock says it."""
    ends_at: float | None = None
    """The time when an arena ends; None for other forms."""
    paused_at: float | None = None
    """Since when a pause has stopped all clocks; None without a pause."""
    number: int | None = None
    """The number of this board, from 1; None when its game is over."""
    boards: int = 1
    """The number of the player's boards whose games are under way."""
    waiting: int = 0
    """The number of the player's boards that wait for a move."""

    def left_s(self, now: float) -> float | None:
        """Return the seconds that the event has left; None in a pause and for other forms."""
        if self.ends_at is None or self.paused_at is not None:
            return None
        return self.ends_at - now
