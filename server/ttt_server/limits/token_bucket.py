"""A rate limit, for one connection or for all connections of an address."""

from math import inf

_ROUNDING = 1e-6
"""Sums of floats may fall this short of a whole token."""


class TokenBucket:
    """A bucket of `burst` tokens that gains `per_second`; full at first.

    A GCRA: the only state is the time at which the bucket will be full, in units of one token, so
    that `spend`, which runs for each frame, needs no division.

    Times are seconds on any clock that does not go back.
    """

    __slots__ = ("_burst", "_full_at", "_per_second")

    def __init__(self, per_second: float, burst: float, now: float) -> None:
        self._per_second = per_second
        self._burst = burst + _ROUNDING
        self._full_at = now * per_second

    def fill(self) -> None:
        """Refill."""
        self._full_at = -inf

    def is_half_full(self, now: float) -> bool:
        """Return whether at least half of the tokens are there."""
        return (self._full_at - now * self._per_second) * 2 <= self._burst

    def spend(self, now: float, amount: float = 1.0) -> bool:
        """Take one token, or `amount` up to `burst`; return `False` if there are too few."""
        now *= self._per_second
        if self._full_at <= now:  # full, as nearly always
            self._full_at = now + amount
            return True
        full_at = self._full_at + amount
        if full_at - now > self._burst:
            return False
        self._full_at = full_at
        return True

    def refund(self) -> None:
        """Give the last token back."""
        self._full_at -= 1
