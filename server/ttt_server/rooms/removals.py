"""Whom the host removed from one room. In memory only."""

from collections.abc import Callable, Iterable
from math import ceil

from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import SessionId
from ttt_server.core.errors import Refused
from ttt_server.limits.expiring_keys import ExpiringKeys

REMOVED_S = 600.0
"""How long a removed member stays out."""

_MOST = 64
"""The most members, and the most addresses, kept for one room."""


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
        """Return for how many more seconds an applicant is kept out; 0 if not at all.

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
