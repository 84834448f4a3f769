"""How much may be asked for, by one connection or by all of an address."""


class Budget:
    """A token bucket: `burst` at once, and `per_second` again and again.

    Times are seconds on any clock that does not go back.
    """

    __slots__ = ("_at", "_burst", "_left", "_per_second")

    def __init__(self, per_second: float, burst: float, now: float) -> None:
        self._per_second = per_second
        self._burst = burst
        self._left = burst
        self._at = now

    @property
    def is_half_full(self) -> bool:
        """Whether, after what was spent last, at least half of it is there."""
        return self._left * 2 >= self._burst

    def spend(self, now: float) -> bool:
        """Takes one, if there is one."""
        left = self._left
        if now != self._at:
            left += (now - self._at) * self._per_second
            if left > self._burst:  # noqa: PLR1730 - each frame comes by here, and min() is slower
                left = self._burst
            self._at = now
        is_there = left >= 1
        self._left = left - 1 if is_there else left
        return is_there

    def refund(self) -> None:
        """Gives back the one that was taken last."""
        self._left = min(self._burst, self._left + 1)
