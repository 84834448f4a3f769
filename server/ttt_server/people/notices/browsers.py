"""Pushes to browsers: the server's key for them, and the requests to their services.

They need the extra `push`, whose library is imported when the first browser asks for the key or is
to be told: it takes 100 ms.
"""

import asyncio
import json
from collections.abc import Collection
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ttt_protocol.notices import Notice, PushSubscription
from ttt_server.people.notices.ledger import Claimed, Ledger
from ttt_server.people.notices.push_services import is_known

if TYPE_CHECKING:
    from ttt_server.people.notices.push import PushSender


class BadSubscription(ValueError):
    """A browser that cannot be used. The text says why."""


def has_library() -> bool:
    """Return whether the extra `push` is installed."""
    return find_spec("cryptography") is not None


@dataclass(eq=False, slots=True)
class Browsers:
    """The browsers that get pushes. Nothing is made until a key is needed."""

    ledger: Ledger
    """Keeps the browsers, and the key, for all servers."""
    services: Collection[str] = ()
    """Origins of push services beside those of the well-known browsers."""
    contact: str | None = None
    """An `https:` address of the operator's, for the services."""
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _sender: "PushSender | None" = None

    async def sender(self) -> "PushSender":
        """Return what makes the requests, with the key; make the key if there is none yet.

        Raises:
            StorageFailed: if it cannot be kept, or read.
        """
        async with self._lock:
            if self._sender is None:
                made = await asyncio.to_thread(_new_key)
                from ttt_server.people.notices.push import PushSender

                shared = await self.ledger.share_key(made)
                self._sender = PushSender(shared.encode(), self.contact)
            return self._sender

    async def add(self, person: str, wish: PushSubscription, now: int) -> None:
        """Notify a person in this browser, too.

        Raises:
            BadSubscription: if it is not of a known service, or its keys are none, or the person
                has too many browsers.
            StorageFailed: if it cannot be kept.
        """
        from ttt_server.people.notices.push import BadKeys, BrowserKeys

        if not is_known(wish.endpoint, self.services):
            raise BadSubscription("endpoint: this is not the push service of a known browser")
        try:
            BrowserKeys(wish.keys.p256dh, wish.keys.auth)
        except BadKeys as error:
            raise BadSubscription(f"keys: {error}") from None
        parts = urlsplit(wish.endpoint)
        if not await self.ledger.subscribe(person, f"{parts.scheme}://{parts.netloc}", wish, now):
            raise BadSubscription("too many browsers: switch one off first")

    async def request(
        self, claimed: Claimed, notice: Notice, now: int
    ) -> tuple[str, dict[str, str], bytes]:
        """Return the request that tells a notice. See `teller.Request`."""
        from ttt_server.people.notices.push import BrowserKeys

        sender = await self.sender()
        told = {"id": notice.id, "text": notice.text, "path": notice.path}
        message = json.dumps(told, ensure_ascii=False).encode()
        keys, now_s = BrowserKeys(claimed.p256dh, claimed.auth), now // 1000
        headers, body = sender.request(claimed.way, keys, message, topic=notice.id, now_s=now_s)
        return claimed.way, headers, body


def _new_key() -> str:
    from ttt_server.people.notices.push import new_key

    return new_key().decode()
