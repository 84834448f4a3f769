"""The facade of notices for the rest of the server."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

from ttt_protocol.codec import encode_message
from ttt_protocol.notices import Notice
from ttt_protocol.state import PersonId, RoomName
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.people.notices.browsers import Browsers, has_library
from ttt_server.people.notices.ledger import Claimed, Kind, Ledger, WaitingNotice
from ttt_server.people.notices.rules import notice_id
from ttt_server.people.notices.teller import Request, Teller
from ttt_server.people.notices.watch import NoticeWatch
from ttt_server.people.notices.webhook import Webhook
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.storage.base import EventStore


class NoticeSettings(NamedTuple):
    """The operator's settings for notices."""

    webhook: Webhook | None = None
    push_services: tuple[str, ...] = ()
    """Origins beside those of the well-known browsers."""
    public_url: str | None = None
    """The address of the page."""
    is_shared: bool = False
    """Whether other servers use the same tables."""


class Notifier:
    """Tells persons what happens while they are away."""

    def __init__(
        self,
        store: EventStore,
        in_memory: Callable[[RoomName], LiveRoom | None],
        load: Callable[[RoomName], Awaitable[LiveRoom | None]],
        settings: NoticeSettings,
        now: Callable[[], int],
        chance: Callable[[], float],
    ) -> None:
        """Do nothing until `start`.

        Args:
            store: has the tables.
            in_memory: returns a room if it is in memory.
            load: loads a room, and returns it; `None` if another server has it.
            settings: the operator's.
            now: returns Unix ms.
            chance: a source of random numbers from 0 to 1.
        """
        self.ledger = ledger = Ledger(store.people, is_shared=settings.is_shared)
        self._tasks = TaskOwner()
        url = settings.public_url
        contact = url if url is not None and url.startswith("https:") else None
        services = settings.push_services
        self.browsers = Browsers(ledger, services, contact) if has_library() else None
        """`None` without the extra `push`."""
        requests: dict[Kind, Request] = {}
        if settings.webhook is not None:
            requests["webhook"] = partial(_to, settings.webhook)
        if self.browsers is not None:
            requests["push"] = self.browsers.request
        self.teller = Teller(
            ledger, now, chance, requests=requests, public_url=url, is_shared=settings.is_shared
        )
        self.counters = self.teller.counters
        self.watch = NoticeWatch(
            ledger, in_memory, load, self.teller.note_waiting, now, self.counters
        )

    def start(self) -> None:
        """Tell what is due from now on, and what an earlier server has left."""
        self._tasks.start(self.watch.run())
        self._tasks.start(self.watch.look_for_missed())
        self._tasks.start(self.teller.run())

    async def close(self) -> None:
        """Stop. What was not told waits in the tables."""
        self.watch.close()
        await self._tasks.close()

    async def challenge(
        self, person: PersonId, challenge: str, challenger: str, path: str, at: int
    ) -> None:
        """Tell a person of a challenge.

        Args:
            person: who is challenged.
            challenge: its id.
            challenger: a name.
            path: the page where it is answered, like `me`.
            at: when it was made, in Unix ms.

        Raises:
            StorageFailed: if it is not told.
        """
        notice = Notice(
            id=notice_id("challenge", person, challenge),
            kind="challenge",
            at=at,
            text="",
            path=path,
            opponent=challenger,
            challenge=challenge,
        )
        text = encode_message(notice).decode()
        await self.ledger.add(path, [WaitingNotice(notice.id, person, text, at)])
        self.teller.note_waiting(at)


async def _to(
    webhook: Webhook, _: Claimed, notice: Notice, now: int
) -> tuple[str, dict[str, str], bytes]:
    return webhook.url, *webhook.request(notice, now)
