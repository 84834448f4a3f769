"""How many rooms were made from each address and are still in memory."""

from collections import Counter

from ttt_protocol.codes import RefusalCode
from ttt_server.core.errors import Refused
from ttt_server.rooms.live_room import LiveRoom


class Census:
    """Counts rooms by the address of who made them, up to a limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._made_from: Counter[str] = Counter()

    def charge(self, live: LiveRoom, address: str) -> None:
        """Counts a room for who makes it: before it is written, as others are made meanwhile.

        Raises:
            Refused: `server_full`.
        """
        if live.made_from == address:
            return
        if self._made_from[address] >= self._limit:
            raise Refused(RefusalCode.SERVER_FULL, "too many rooms were made from this address")
        self.discharge(live)
        live.made_from = address
        self._made_from[address] += 1

    def discharge(self, live: LiveRoom) -> None:
        """The room is gone."""
        if not live.made_from:
            return
        self._made_from[live.made_from] -= 1
        if not self._made_from[live.made_from]:
            del self._made_from[live.made_from]
        live.made_from = ""
