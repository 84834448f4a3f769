"""A Fischer clock, or days for each move, as a value. All times are in milliseconds.

The side to act pays for the time that passes. With a Fischer clock it gets the increment when it
has moved; with days, each move has all of them. `shifted` gives back time during which nobody could
play: the server was down, or the machine asleep. Days are never given back.
"""

from dataclasses import dataclass, replace

from ttt_protocol.state import DAY_S, ClockSetting, Mark, Settings, TimeLeft


@dataclass(frozen=True, slots=True)
class GameClock:
    """The time each side had left at `since` (Unix time), when the side to move began to pay."""

    left: TimeLeft
    since: int

    def at(self, now: int, running: Mark | None) -> TimeLeft:
        """Return the time each side has at `now`, at least 0, if `running` is to move."""
        if running is None:
            return self.left
        spent = max(0, now - self.since)
        return self.left.with_(running, max(0, self.left[running] - spent))

    def falls_at(self, running: Mark) -> int:
        """Return when the flag of `running` falls unless it moves."""
        return self.since + self.left[running]

    def shifted(self, by: int) -> "GameClock":
        """Return the clock as if everything had begun `by` later."""
        return replace(self, since=self.since + by)


def start(settings: Settings, now: int) -> GameClock | None:
    """Return the clock of a game that begins now; `None` without one."""
    if settings.days is not None:
        return GameClock(days(settings.days), now)
    if settings.clock is None:
        return None
    initial = round(settings.clock.initial_s * 1000)
    return GameClock(TimeLeft(X=initial, O=initial), now)


def days(number: int) -> TimeLeft:
    """Return the time of both sides when a move has been made in a game of days."""
    each = number * DAY_S * 1000
    return TimeLeft(X=each, O=each)


def after_move(clock: GameClock, setting: ClockSetting, mover: Mark, now: int) -> TimeLeft:
    """Return the time each side has after a move, with the increment."""
    left = clock.at(now, mover)
    return left.with_(mover, left[mover] + round(setting.increment_s * 1000))
