"""Connections that watch a page of the list of rooms: the whole page first, then changes."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.lobby.room_list import INTERVAL_S, MOST_WATCHED, Page, PageWish, RoomPages
from ttt_server.rooms.live_room import Recipient
from ttt_server.storage.base import StorageFailed

logger = logging.getLogger(__name__)

BYTES_A_ROUND: Final = 262_144
"""The most bytes sent in one round of the loop: more would hold up all rooms."""

MOST_PAGES: Final = 64
"""Pages that are watched at once, besides the first: each is read once a second."""

_NOTHING: Final = b"[]"

FIRST: Final = PageWish(MOST_WATCHED).to_watch


class Lobby:
    """Sends each listener its page, and later the changes or the page again."""

    def __init__(self, rooms: RoomPages, seeking: Callable[[], Awaitable[bytes]]) -> None:
        """`seeking` returns the `seeking` of `Rooms` as JSON, or raises `StorageFailed`."""
        self._rooms = rooms
        self._seeking = seeking
        self._sought = _NOTHING
        self._watched: dict[PageWish, _Watched] = {}
        self._of: dict[Recipient, PageWish] = {}
        """The page of each listener."""
        self._wake = asyncio.Event()
        self._told_at = 0.0
        """When news were told last, on the loop's clock."""
        self._sent = 0
        """Bytes sent in this round of the loop."""
        self._telling = TaskOwner()
        self._task: asyncio.Task[None] | None = None
        rooms.subscribe(self._wake.set)

    def has_place(self, wish: PageWish) -> bool:
        """Return whether one more may watch this page."""
        return wish == FIRST or wish in self._watched or len(self._watched) < MOST_PAGES

    def enter(
        self, listener: Recipient, wish: PageWish = FIRST, *, wants_changes: bool = False
    ) -> None:
        """Send a page, and news of it from now on: only changes, or the whole page again."""
        self._of[listener] = wish
        self._watched.setdefault(wish, _Watched()).coming[listener] = wants_changes
        self._wake.set()
        if self._task is None or self._task.done():
            self._task = self._telling.start(self._run())

    def exit(self, listener: Recipient) -> None:
        wish = self._of.pop(listener, None)
        if wish is None:
            return
        watched = self._watched[wish]
        watched.forget(listener)
        if not watched.coming and not watched.listeners:
            del self._watched[wish]
            self._wake.set()

    async def close(self) -> None:
        """Stop sending."""
        await self._telling.close()

    async def _run(self) -> None:
        """Look at the pages while anybody watches: at once after a change, or once a second."""
        while self._watched:
            began = asyncio.get_running_loop().time()
            is_due = began >= self._told_at + INTERVAL_S
            self._wake.clear()
            if is_due:
                with suppress(StorageFailed):
                    self._sought = await self._seeking()
            for wish, watched in tuple(self._watched.items()):
                if is_due or watched.coming:
                    await self._look(wish, watched, is_due=is_due)
            until = max(self._told_at, began if is_due else 0) + INTERVAL_S
            with suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await self._wake.wait()

    async def _look(self, wish: PageWish, watched: "_Watched", *, is_due: bool) -> None:
        """Tell the listeners of a page what has changed, and newcomers all of it."""
        changes = None
        if is_due or watched.page is None:
            try:
                changes = watched.take(await self._rooms.page(wish), self._sought)
            except StorageFailed as error:
                logger.debug("the list of rooms could not be read: %s", error)
        if changes is not None:
            self._told_at = asyncio.get_running_loop().time()
            for listener, wants_changes in tuple(watched.listeners.items()):
                if wants_changes and not listener.is_behind and listener not in watched.owed:
                    await self._send(watched, listener, changes)
                elif listener in watched.listeners:
                    watched.owed[listener] = None
        page = watched.page
        if page is None:
            return
        watched.listeners |= watched.coming
        watched.owed |= dict.fromkeys(watched.coming)
        watched.coming.clear()
        for listener in [each for each in watched.owed if not each.is_behind]:
            watched.owed.pop(listener, None)
            await self._send(watched, listener, watched.list(page))

    async def _send(self, watched: "_Watched", listener: Recipient, payload: bytes) -> None:
        wants_changes = watched.listeners.get(listener)
        if wants_changes is None:
            return  # it has left
        listener.send(payload, is_state=not wants_changes)
        self._sent += len(payload)
        if self._sent > BYTES_A_ROUND:
            self._sent = 0
            await asyncio.sleep(0)


class _Watched:
    """A page that is watched, as it was told last."""

    def __init__(self) -> None:
        self.page: Page | None = None
        self.seeking = _NOTHING
        self.coming: dict[Recipient, bool] = {}
        """Listeners without their first list, and whether each wants changes after it."""
        self.listeners: dict[Recipient, bool] = {}
        """The same for listeners that have it."""
        self.owed: dict[Recipient, None] = {}
        """Listeners that are owed the list, in order. They may be behind: changes waiting for them
        might be dropped."""
        self._list: bytes | None = None

    def forget(self, listener: Recipient) -> None:
        for listeners in (self.coming, self.listeners, self.owed):
            listeners.pop(listener, None)

    def take(self, page: Page, seeking: bytes) -> bytes | None:
        """Take the page as it is now; return a `RoomsChanged`, or `None` if nothing has changed."""
        before, self.page = self.page, page
        is_same, self.seeking = seeking == self.seeking, seeking
        if before is page and is_same:
            return None
        self._list = None
        if before is None:
            return None
        changed = [room for name, room in page.rooms.items() if before.rooms.get(name) != room]
        # No name has a character that JSON escapes.
        gone = [b'"%b"' % name.encode() for name in before.rooms if name not in page.rooms]
        if not changed and not gone and page.total == before.total and is_same:
            return None
        return b'{"type":"rooms_changed","rooms":[%b],"gone":[%b],"total":%d%b}' % (
            b",".join(changed),
            b",".join(gone),
            page.total,
            b"" if is_same else _told(seeking),
        )

    def list(self, page: Page) -> bytes:
        """Return the page as a `Rooms`, encoded anew only after a change."""
        if self._list is None:
            rooms = b",".join(page.rooms.values())
            told = rooms, page.total, _told(self.seeking) if self.seeking != _NOTHING else b""
            self._list = b'{"type":"rooms","rooms":[%b],"total":%d%b}' % told
        return self._list


def _told(seeking: bytes) -> bytes:
    return b',"seeking":%b' % seeking
