"""How much may be asked for, by one connection or by all of an address."""

_ROUNDING = 1e-6
"""What is missing to a whole one by the sums of floats."""


class TokenBucket:
    """A token bucket: `burst` at once, and `per_second` again and again.

    Times are seconds on any clock that does not go back. Kept is only when it will be full, on a
    clock that ticks as fast as tokens come back: each frame comes by here.
    """

    __slots__ = ("_burst", "_full_at", "_per_second")

    def __init__(self, per_second: float, burst: float, now: float) -> None:
        self._per_second = per_second
        self._burst = burst + _ROUNDING
        self._full_at = now * per_second

    def is_half_full(self, now: float) -> bool:
        """Whether at least half of it is there."""
        return (self._full_at - now * self._per_second) * 2 <= self._burst

    def spend(self, now: float, amount: float = 1) -> bool:
        """Takes one, or `amount`, if it is there."""
        now *= self._per_second
        full_at = self._full_at
        if full_at < now:  # noqa: PLR1730 - max() is slower
            full_at = now
        full_at += amount
        if full_at - now > self._burst:
            return False
        self._full_at = full_at
        return True

    def refund(self) -> None:
        """Gives back the one that was taken last."""
        self._full_at -= 1
