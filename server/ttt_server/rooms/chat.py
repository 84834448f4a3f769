"""The chat of one room, and whom its host muted. In memory only."""

from collections import deque
from collections.abc import Callable, Iterable
from math import inf

from ttt_protocol.state import SessionId
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
