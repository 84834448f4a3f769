"""The chat of one room, and whom its host muted or removed. In memory only."""

from collections import deque
from collections.abc import Callable, Iterable
from math import ceil, inf

from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import SessionId
from ttt_server.core.errors import Refused
from ttt_server.limits.expiring_keys import ExpiringKeys
from ttt_server.limits.rates import TokenBucket

FEED = 50
"""Lines that a new member is told."""

SAID_PER_S = 5000
"""Chat messages a second in one room, each counted once for everyone who is sent it."""
_SAID_AT_ONCE = 20_000

_MOST_MUTED = 64


class Chat:
    """The chat of one room. A member is known by the public id, `from` on the wire."""

    __slots__ = ("_clock", "_feed", "_muted", "_pace")

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` returns seconds, and does not go back."""
        self._clock = clock
        self._pace = TokenBucket(SAID_PER_S, _SAID_AT_ONCE, clock())
        self._feed: deque[tuple[SessionId, bytes]] = deque(maxlen=FEED)
        """The last lines and their speakers. As JSON, which takes a third of the memory."""
        self._muted: ExpiringKeys[SessionId] = ExpiringKeys(_MOST_MUTED)

    @property
    def feed(self) -> Iterable[bytes]:
        """The last lines, each a `Said` as JSON, oldest first."""
        return tuple(line for _, line in self._feed)

    def may_say(self, recipients: int) -> bool:
        """Return whether one more message may be said to that many recipients, and count it."""
        return self._pace.spend(self._clock(), min(recipients, _SAID_AT_ONCE))

    def add(self, speaker: SessionId, line: bytes) -> None:
        """Keep a line that was said."""
        self._feed.append((speaker, line))

    def clear(self) -> None:
        """Forget what was said."""
        self._feed.clear()

    def has_spoken(self, speaker: SessionId) -> bool:
        """Return whether a line of this speaker is kept."""
        return any(each == speaker for each, _ in self._feed)

    def mute(self, speaker: SessionId) -> None:
        self._muted.add(speaker, inf)

    def unmute(self, speaker: SessionId) -> None:
        self._muted.discard(speaker)

    @property
    def muted(self) -> tuple[SessionId, ...]:
        """The members who are muted, in the order in which they were."""
        return self._muted.all

    def is_muted(self, speaker: SessionId) -> bool:
        return self._muted.left_s(speaker, self._clock()) > 0


REMOVED_S = 600.0
"""How long a removed member stays out."""

_MOST = 64
"""Members, and addresses, of one room."""


class Removals:
    """The members whom the host removed from one room, and for how long they stay out."""

    __slots__ = ("_addresses", "_clock", "_members")

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` returns seconds, and does not go back."""
        self._clock = clock
        self._members: ExpiringKeys[SessionId] = ExpiringKeys(_MOST)
        self._addresses: ExpiringKeys[str] = ExpiringKeys(_MOST)

    def add(self, member: SessionId, addresses: Iterable[str]) -> None:
        """Keep a member out, and newcomers from the addresses of its connections."""
        until = self._clock() + REMOVED_S
        self._members.add(member, until)
        for address in addresses:
            self._addresses.add(address, until)

    def left_s(self, member: SessionId, newcomer_from: str | None) -> float:
        """Return for how long an applicant is kept out.

        Args:
            member: the public id, new or proved.
            newcomer_from: the address of an applicant that proves no id; `None` for others, who
                are known by what they prove.
        """
        now = self._clock()
        left_s = self._members.left_s(member, now)
        if newcomer_from is not None:
            left_s = max(left_s, self._addresses.left_s(newcomer_from, now))
        return left_s

    def require_admitted(self, member: SessionId, newcomer_from: str | None) -> None:
        """Check that an applicant may come in. See `left_s`.

        Raises:
            Refused: `not_allowed`.
        """
        left_s = self.left_s(member, newcomer_from)
        if left_s > 0:
            words = f"the host removed you from this room: come back in {ceil(left_s)} seconds"
            raise Refused(RefusalCode.NOT_ALLOWED, words)
