"""A Fischer clock as a value. All times are in milliseconds.

The side to move pays for the time that passes, and gets the increment when it has moved. `shifted`
gives back time during which nobody could play: the server was down, or the machine asleep.
"""

from dataclasses import dataclass, replace

from ttt_protocol.state import ClockSetting, Mark, TimeLeft


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


def start(setting: ClockSetting, now: int) -> GameClock:
    """Return the clock of a game that begins now."""
    initial = round(setting.initial_s * 1000)
    return GameClock(TimeLeft(X=initial, O=initial), now)


def after_move(clock: GameClock, setting: ClockSetting, mover: Mark, now: int) -> TimeLeft:
    """Return the time each side has after a move, with the increment."""
    left = clock.at(now, mover)
    return left.with_(mover, left[mover] + round(setting.increment_s * 1000))
