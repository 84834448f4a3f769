"""The rates that a connection, and all connections of an address, may not exceed."""

from math import inf
from typing import NamedTuple

from ttt_server.limits.client_address import Source

_ROUNDING = 1e-6
"""Sums of floats may fall this short of a whole token."""


class Rate(NamedTuple):
    """A token bucket's size, and how fast it gains."""

    per_second: float
    burst: float


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

    def is_full(self, now: float) -> bool:
        """Return whether all tokens are there."""
        return self._full_at <= now * self._per_second

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


class Budgets:
    """A bucket of tokens for each address, as long as it is not full."""

    _MOST = 10_000
    """Addresses before those whose buckets are full are forgotten."""

    def __init__(self, per_second: float, burst: float) -> None:
        self._per_second = per_second
        self._burst = burst
        self._buckets: dict[Source, TokenBucket] = {}

    def spend(self, source: Source, now: float) -> bool:
        """Take a token of an address; return `False` if there is none."""
        bucket = self._buckets.get(source)
        if bucket is None:
            if len(self._buckets) >= self._MOST:
                self._buckets = {
                    each: kept for each, kept in self._buckets.items() if not kept.is_full(now)
                }
            bucket = self._buckets[source] = TokenBucket(self._per_second, self._burst, now)
        return bucket.spend(now)

    def refund(self, source: Source) -> None:
        """Give back the last token of an address."""
        if (bucket := self._buckets.get(source)) is not None:
            bucket.refund()


class AddressLimits(NamedTuple):
    """The limits of all connections from one address together."""

    connections: int
    """At once."""
    connects: Rate
    commands: Rate
    guesses: Rate
    """Wrong tokens and passwords."""


class AddressAccount:
    """The connections of one address, and its token buckets."""

    def __init__(self, source: Source, limits: AddressLimits, now: float) -> None:
        self.source = source
        self.known = 0
        """Its connections, including those without a request yet."""
        self.let_in = 0
        self.relayed = 0
        """Those that another process of this server passes on, and counts."""
        self.connects = TokenBucket(*limits.connects, now)
        self.commands = TokenBucket(*limits.commands, now)
        self.guesses = TokenBucket(*limits.guesses, now)


class CommandLimiter:
    """Limits one connection. Times are on the loop's clock."""

    __slots__ = ("_account", "_commands", "_rate", "_refusals")

    def __init__(self, rate: Rate, account: AddressAccount, now: float) -> None:
        """`rate`: of the commands."""
        self._account = account
        self._rate = rate
        self._commands = TokenBucket(*rate, now)
        self._refusals: TokenBucket | None = None
        """`None` until a command is refused."""

    def takes(self, now: float) -> bool:
        """Return whether one more command may be carried out."""
        if not self._commands.spend(now):
            return False
        # While an address floods, its calm connections go on: they may be other people's.
        return self._account.commands.spend(now) or self._commands.is_half_full(now)

    def refuses(self, now: float) -> bool:
        """Return whether a command over the limit gets an answer.

        Beyond as many refusals as commands are allowed the connection is a flood, whatever it sends
        in between.
        """
        if self._refusals is None:
            self._refusals = TokenBucket(*self._rate, now)
        return self._refusals.spend(now)

    def guesses(self, now: float) -> bool:
        """Return whether one more token or password may be tried."""
        return self._account.guesses.spend(now)

    def knew(self) -> None:
        """Refund a guess: the token or password was right."""
        self._account.guesses.refund()
