"""How much one peer may still ask for: of its own limits, and of its address's."""

from dataclasses import dataclass

from ttt_server.limits.connections import AddressAccount
from ttt_server.limits.token_bucket import TokenBucket


@dataclass(frozen=True, slots=True)
class CommandLimits:
    """What one connection may ask for."""

    commands_per_s: float
    command_burst: int


class CommandLimiter:
    """Of one connection. Times are on the loop's clock."""

    __slots__ = ("_account", "_commands", "_limits", "_refusals")

    def __init__(self, limits: CommandLimits, account: AddressAccount, now: float) -> None:
        self._account = account
        self._limits = limits
        self._commands = self._budget(now)
        self._refusals: TokenBucket | None = None
        """If anything ever was refused."""

    def takes(self, now: float) -> bool:
        """Whether one more command may be heard."""
        if not self._commands.spend(now):
            return False
        # Where an address floods, those who spoke little go on: they may be other people.
        return self._account.commands.spend(now) or self._commands.is_half_full(now)

    def refuses(self, now: float) -> bool:
        """Whether one that may not be heard is worth an answer."""
        # As many again are refused. One that is heard now and then is no excuse for a flood.
        if self._refusals is None:
            self._refusals = self._budget(now)
        return self._refusals.spend(now)

    def guesses(self, now: float) -> bool:
        """Whether one more token or password may be tried."""
        return self._account.guesses.spend(now)

    def knew(self) -> None:
        """What was taken for a guess was none."""
        self._account.guesses.refund()

    def _budget(self, now: float) -> TokenBucket:
        return TokenBucket(self._limits.commands_per_s, self._limits.command_burst, now)
