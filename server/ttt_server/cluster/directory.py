"""The public rooms of all servers, read page by page when somebody asks."""

from collections.abc import Callable, Mapping
from typing import Final
from uuid import UUID

from ttt_protocol.state import RoomName
from ttt_server.cluster.lease import Lease, now
from ttt_server.cluster.ownership import Adoption
from ttt_server.lobby.room_list import INTERVAL_S, Page, PageWish, PublicRooms
from ttt_server.rooms.hub import Hub
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.connecting import Readers

_PAGES: Final = 8
"""Pages to keep for a second."""


class Directory:
    """This server's own list of rooms together with the others', which the database has.

    Nothing is read while nobody asks.
    """

    def __init__(
        self, hub: Hub, own: PublicRooms, lease: Lease, readers: Readers, adoption: Adoption
    ) -> None:
        """`adoption` knows the rooms that this server has taken over and not opened yet."""
        self._hub = hub
        self._own = own
        self._lease = lease
        self._readers = readers
        self._adoption = adoption
        self._others: Mapping[UUID, int] = {}
        """The other servers, and how many public rooms each has."""
        self._pages: dict[PageWish, tuple[float, Page]] = {}
        """Pages, and when each was read, by `now`."""

    @property
    def is_healthy(self) -> bool:
        """Whether the database can be written and the lease holds.

        A server without rooms writes only its lease, so a failed renewal shows first.
        """
        lease = self._lease
        return self._hub.is_healthy and lease.has_session and lease.owner is not None

    @property
    def listed(self) -> int:
        """The number of public rooms of this server."""
        in_memory = sum(live.is_public for live in self._hub.rooms)
        return in_memory + sum(self._adoption.waiting.values())

    def meet(self, others: Mapping[UUID, int]) -> None:
        """Note the other servers, each with the number of its public rooms."""
        self._others = others

    def subscribe(self, call: Callable[[], None]) -> None:
        """Call `call` when the rooms of this server have changed since a page was asked for."""
        self._own.subscribe(call)

    async def page(self, wish: PageWish) -> Page:
        """Return a page of the list.

        Raises:
            StorageFailed: if the other servers' rooms cannot be read.
        """
        me = self._lease.owner
        if me is None or not (self._others or self._adoption.waiting):
            return await self._own.page(wish)
        at, page = self._pages.get(wish, (0.0, None))
        if page is not None and now() - at < INTERVAL_S:
            return page
        own = await self._own.page(PageWish(wish.limit + 1, wish.after))
        rooms = sorted({**await self._read(wish, me), **own.rooms}.items())
        page = Page.cut(wish, rooms, self.listed + sum(self._others.values()))
        if len(self._pages) >= _PAGES:
            self._pages.clear()
        self._pages[wish] = now(), page
        return page

    async def _read(self, wish: PageWish, me: UUID) -> Mapping[RoomName, bytes]:
        """Return rooms that this server does not have in memory: one more than the limit."""
        found: dict[RoomName, bytes] = {}
        after, most = wish.after or "", wish.limit + 1
        owners = [str(owner) for owner in self._others] + [str(me)] * bool(self._adoption.waiting)
        while len(found) < most:
            rows = await self._readers.fetch(statements.LISTED, after, owners, most)
            for name, owner, listed in rows:
                if owner != me or name in self._adoption.waiting:
                    found[name] = listed.encode()
            if len(rows) < most:
                break
            after = rows[-1]["name"]
        return found
