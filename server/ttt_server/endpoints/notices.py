"""Notices over HTTP: those that a person was told, and the browsers that are told."""

import re
from dataclasses import dataclass
from typing import Final

from ttt_protocol.base import FromServer
from ttt_protocol.notices import NoticeList, PushEnd, PushKey, PushSubscription
from ttt_server.endpoints.asking import Ask, Route
from ttt_server.endpoints.people import Methods, PeopleApi, read_body
from ttt_server.people.notices.browsers import BadSubscription, Browsers
from ttt_server.people.notices.ledger import LEFT_KEPT_MS, ToldAt
from ttt_server.people.notices.notifier import Notifier
from ttt_server.transport.responses import HttpError

WAIT_S: Final = 8.0
"""How long a request waits for a notice: less than the time that any request may take."""

_AFTER: Final = re.compile(r"(?:^|&)after=([^&]*)")
_PLACE: Final = re.compile(r"([0-9]{1,15})(?:\.([A-Za-z0-9_-]{1,32}))?")


class Switched(FromServer):
    """Whether a browser is told from now on."""

    push: bool


@dataclass(eq=False, slots=True)
class NoticesApi:
    """Answers requests about notices, beside those of `PeopleApi`."""

    notices: Notifier

    @property
    def routes(self) -> tuple[Route[Methods], ...]:
        """The paths, and what each method does."""
        return (
            Route.to("/api/me/notices", {"GET": self.told}),
            Route.to("/api/me/push", {"POST": self.switch_on, "DELETE": self.switch_off}),
            Route.to("/api/push-key", {"GET": self.key}),
        )

    async def told(self, people: PeopleApi, ask: Ask) -> FromServer:
        person = await people.require(ask)
        found = _AFTER.search(ask.url.query)
        if found is not None and found[1] == "now":
            return NoticeList(notices=(), next=str(self.notices.teller.now()))
        after, wait_s = ToldAt(self.notices.teller.now() - LEFT_KEPT_MS), 0.0
        if found is not None:
            after, wait_s = _place(found[1]), WAIT_S
        told = await self.notices.teller.told(person.id, after, wait_s)
        last = told[-1].place if told else after
        return NoticeList(
            notices=tuple(self.notices.teller.shown(each.notice) for each in told),
            next=f"{last.at}.{last.id}" if last.id else str(last.at),
        )

    async def key(self, people: PeopleApi, ask: Ask) -> FromServer:  # noqa: ARG002 - for everyone
        return PushKey(key=(await self._browsers.sender()).public_key)

    async def switch_on(self, people: PeopleApi, ask: Ask) -> FromServer:
        person = await people.require(ask)
        wish = read_body(PushSubscription, ask.body)
        try:
            await self._browsers.add(person.id, wish, self.notices.teller.now())
        except BadSubscription as error:
            raise HttpError(400, str(error)) from None
        return Switched(push=True)

    async def switch_off(self, people: PeopleApi, ask: Ask) -> FromServer:
        person = await people.require(ask)
        await self.notices.ledger.unsubscribe(person.id, read_body(PushEnd, ask.body).endpoint)
        return Switched(push=False)

    @property
    def _browsers(self) -> Browsers:
        if self.notices.browsers is None:
            raise HttpError(404, "this server sends no pushes")
        return self.notices.browsers


def _place(text: str) -> ToldAt:
    """Return the place after which a person would like to read.

    Raises:
        HttpError: 400 if it is none.
    """
    place = _PLACE.fullmatch(text)
    if place is None:
        raise HttpError(400, "after is `now`, or the `next` of an answer before")
    return ToldAt(int(place[1]), place[2] or "")
