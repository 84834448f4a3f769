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
        self._left = min(self._burst, self._left + (now - self._at) * self._per_second)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def refund(self) -> None:
        """Gives back the one that was taken last."""
        self._left = min(self._burst, self._left + 1)
