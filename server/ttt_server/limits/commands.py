"""The command limits of one connection, within those of its address."""

from dataclasses import dataclass

from ttt_server.limits.addresses import AddressAccount
from ttt_server.limits.token_bucket import TokenBucket


@dataclass(frozen=True, slots=True)
class CommandLimits:
    """The commands that one connection may send."""

    commands_per_s: float
    command_burst: int


class CommandLimiter:
    """Limits one connection. Times are on the loop's clock."""

    __slots__ = ("_account", "_commands", "_limits", "_refusals")

    def __init__(self, limits: CommandLimits, account: AddressAccount, now: float) -> None:
        self._account = account
        self._limits = limits
        self._commands = self._bucket(now)
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
            self._refusals = self._bucket(now)
        return self._refusals.spend(now)

    def guesses(self, now: float) -> bool:
        """Return whether one more token or password may be tried."""
        return self._account.guesses.spend(now)

    def knew(self) -> None:
        """Refund a guess: the token or password was right."""
        self._account.guesses.refund()

    def _bucket(self, now: float) -> TokenBucket:
        return TokenBucket(self._limits.commands_per_s, self._limits.command_burst, now)
