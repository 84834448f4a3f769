"""A Fischer clock, as a value and functions of `now`. All times are milliseconds.

The side to move pays for the time that passes, and gets the increment when it has moved. What
passed while nobody could play, as the server was down or the machine asleep, is given back by
`shifted`.
"""

from dataclasses import dataclass, replace

from ttt_protocol.state import ClockSetting, Mark, TimeLeft


@dataclass(frozen=True, slots=True)
class Clock:
    """What each side had left at `since` (Unix time), when the side to move began to pay."""

    left: TimeLeft
    since: int

    def at(self, now: int, running: Mark | None) -> TimeLeft:
        """What each side has left at `now` if `running` is to move; not below 0."""
        if running is None:
            return self.left
        spent = max(0, now - self.since)
        return self.left.with_(running, max(0, self.left[running] - spent))

    def falls_at(self, running: Mark) -> int:
        """When the flag of `running` falls, if it does not move."""
        return self.since + self.left[running]

    def shifted(self, by: int) -> "Clock":
        """As if everything had begun `by` later."""
        return replace(self, since=self.since + by)


def start(setting: ClockSetting, now: int) -> Clock:
    """The clock of a game that begins now."""
    initial = round(setting.initial_s * 1000)
    return Clock(TimeLeft(X=initial, O=initial), now)


def after_move(clock: Clock, setting: ClockSetting, mover: Mark, now: int) -> TimeLeft:
    """What each side has left when `mover` has moved: its time spent, its increment gained."""
    left = clock.at(now, mover)
    return left.with_(mover, left[mover] + round(setting.increment_s * 1000))
