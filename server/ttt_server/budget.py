"""How much one connection may ask for."""


class Budget:
    """A token bucket: `burst` at once, and `per_second` again and again.

    Times are seconds on any clock that does not go back.
    """

    def __init__(self, per_second: float, burst: float, now: float) -> None:
        self._per_second = per_second
        self._burst = burst
        self._left = burst
        self._at = now

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
        self._left += 1
