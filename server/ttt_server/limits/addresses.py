"""The limits of an address: connections, commands, wrong tokens and passwords."""

from dataclasses import dataclass

from ttt_server.limits.client_address import Source
from ttt_server.limits.token_bucket import TokenBucket


@dataclass(frozen=True, slots=True)
class AddressLimits:
    """The limits of all connections from one address together."""

    connections: int
    """At once."""
    connects_per_s: float
    connect_burst: float
    commands_per_s: float
    command_burst: float
    guesses_per_s: float
    """Wrong tokens and passwords."""
    guess_burst: float


class AddressAccount:
    """The connections of one address, and its token buckets."""

    def __init__(self, source: Source, limits: AddressLimits, now: float) -> None:
        self.source = source
        self.known = 0
        """Its connections, including those without a request yet."""
        self.let_in = 0
        self.connects = TokenBucket(limits.connects_per_s, limits.connect_burst, now)
        self.commands = TokenBucket(limits.commands_per_s, limits.command_burst, now)
        self.guesses = TokenBucket(limits.guesses_per_s, limits.guess_burst, now)
