"""The members that the host removed from a room, and for how long they may not come back."""

import json
from collections.abc import Iterable
from math import ceil

from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import SessionId
from ttt_server.core.errors import Refused
from ttt_server.limits.remembered import Remembered

REMOVED_S = 600.0
"""How long a removed member may not come back to the room."""

_MOST = 64
"""Members, and addresses, of one room. In memory only."""


class Removals:
    """The removed members of one room. Times are seconds on a clock that does not go back."""

    __slots__ = ("_addresses", "_members")

    def __init__(self) -> None:
        self._members: Remembered[SessionId] = Remembered(_MOST)
        self._addresses: Remembered[str] = Remembered(_MOST)

    def add(self, member: SessionId, addresses: tuple[str, ...], now: float) -> None:
        """Keep a member out, and newcomers from the addresses of its connections."""
        self._members.add(member, now + REMOVED_S)
        for address in addresses:
            self._addresses.add(address, now + REMOVED_S)

    def require_admitted(self, member: SessionId, newcomer_from: str | None, now: float) -> None:
        """Check that an applicant may come in.

        Args:
            member: the public id, new or proved.
            newcomer_from: the address of an applicant that proves no id; `None` for others, who
                are known by what they prove.
            now: the time.

        Raises:
            Refused: `not_allowed`.
        """
        left_s = self.left_s(member, newcomer_from, now)
        if left_s > 0:
            words = f"the host removed you from this room: come back in {ceil(left_s)} seconds"
            raise Refused(RefusalCode.NOT_ALLOWED, words)

    def left_s(self, member: SessionId, newcomer_from: str | None, now: float) -> float:
        """Return for how long an applicant is kept out; see `require_admitted`."""
        left_s = self._members.left_s(member, now)
        if newcomer_from is not None:
            left_s = max(left_s, self._addresses.left_s(newcomer_from, now))
        return left_s


def notice(members: Iterable[SessionId]) -> bytes:
    """Return what the servers are told that serve spectators of the room: who must not watch."""
    return json.dumps({"type": "removed", "members": list(members)}, separators=(",", ":")).encode()
