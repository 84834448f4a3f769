"""Tells notices as they become due: to the person's own programs, the webhook and browsers.

Three tasks, which nobody waits for: one releases what is due, one sends to the webhook, and one to
browsers. The last two send one request at a time, so that after a kill one notice at most is told
again each way.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from pydantic import ValidationError

from ttt_protocol.notices import Notice, NoticePerson, QuietTime
from ttt_server.people.notices import ledger, posting
from ttt_server.people.notices.ledger import Claimed, Kind, Ledger, NoticeCounters, Told, ToldAt
from ttt_server.people.notices.posting import Fate
from ttt_server.people.notices.rules import DEFAULT, UnknownZone, quiet_until, text_of
from ttt_server.storage.base import StorageFailed

logger = logging.getLogger(__name__)

QUIET_LOOK_MS: Final = 60_000
"""How long a notice waits in a quiet time before it is looked at again: the person may end it."""

SHARED_LOOK_S: Final = 5.0
"""The longest time between two looks at what other servers may have left."""

ALONE_LOOK_S: Final = 60.0

_LEAST_REST_S: Final = 0.05

_SHARED_NEWS_S: Final = 1.0
"""The longest time between two looks at what other servers have told a person who listens."""

PACE_S: Final = 0.01
"""The pause between two requests, so that moves go first."""

_AGAIN_S: Final = 2.0
"""The time between two attempts to read, after a failure."""

_SWEEP_S: Final = 3600.0


Request = Callable[[Claimed, Notice, int], Awaitable[tuple[str, dict[str, str], bytes]]]
"""Returns the address, the headers and the body that tell a notice at a time in Unix ms."""


@dataclass(eq=False, slots=True)
class Teller:
    """Tells notices, once the tasks run."""

    ledger: Ledger
    now: Callable[[], int]
    """Returns Unix ms."""
    chance: Callable[[], float]
    """A source of random numbers from 0 to 1."""
    requests: dict[Kind, Request]
    """How to tell each way; those that are missing are not told."""
    public_url: str | None
    """The address of the page, if the server knows it."""
    is_shared: bool
    """Whether other servers tell the same notices."""
    counters: NoticeCounters = field(default_factory=NoticeCounters)
    _due_at: int = 0
    """When to look at what waits, in Unix ms."""
    _is_due: asyncio.Event = field(default_factory=asyncio.Event)
    _is_left: dict[Kind, asyncio.Event] = field(init=False)
    _resting: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The services that failed: how often, and until when to avoid them."""
    _listening: dict[str, set[asyncio.Event]] = field(default_factory=dict)
    """Set with each notice of a person: those of the programs that wait for one."""
    _is_listened_to: bool = True

    def __post_init__(self) -> None:
        self._is_left = {kind: asyncio.Event() for kind in self.requests}

    @property
    def _look_s(self) -> float:
        return SHARED_LOOK_S if self.is_shared else ALONE_LOOK_S

    # What waits

    def note_waiting(self, due: int) -> None:
        """Look at what waits at this time, in Unix ms."""
        if due < self._due_at:
            self._due_at = due
            self._is_due.set()

    async def run(self) -> None:
        """Tell what is due, and what an earlier server has left, until cancelled."""
        while not self.is_shared:
            try:
                await self.ledger.void_claims()
                break
            except StorageFailed as error:
                logger.debug("could not read notices; retrying: %s", error)
                await asyncio.sleep(_AGAIN_S)
        async with asyncio.TaskGroup() as group:
            group.create_task(self.release_all())
            group.create_task(self.sweep_all())
            for kind in self.requests:
                group.create_task(self.send_all(kind))

    async def release_all(self) -> None:
        """Release what is due, until cancelled."""
        while True:
            try:
                self._due_at = await self._release()
            except StorageFailed as error:
                logger.debug("could not read notices; retrying: %s", error)
                self._due_at = self.now() + round(_AGAIN_S * 1000)
            self._is_due.clear()
            await _wait(self._is_due, (self._due_at - self.now()) / 1000)

    async def _release(self) -> int:
        """Release what is due; return when to look again, in Unix ms."""
        self._due_at = now = self.now()
        latest = now + round(self._look_s * 1000)
        due = await self.ledger.due(now)
        later = {each.id: until for each in due if (until := _waits_until(each, now)) is not None}
        if later:
            await self.ledger.postpone(later)
        for person in {each.person for each in due if each.settings is None}:
            await self.ledger.forget(person)  # forgotten meanwhile
        ids = [each.id for each in due if each.id not in later and each.settings is not None]
        if ids:
            released = await self.ledger.release(
                ids, now, webhook="webhook" in self.requests, push="push" in self.requests
            )
            self.counters.told += released.notices
            self.counters.dropped += released.dropped
            for event in self._is_left.values():
                event.set()
            for person in released.persons:
                for news in self._listening.get(person, ()):
                    news.set()
        if len(due) == ledger.AT_ONCE:
            return now
        next_due = await self.ledger.next_due()
        return latest if next_due is None else min(latest, next_due)

    # The person's own programs

    def shown(self, kept: str, language: str = DEFAULT) -> Notice:
        """Return a notice, as it is kept, with its text and its address if that is known."""
        notice = Notice.model_validate_json(kept)
        told = {"text": text_of(notice, language)}
        if self.public_url is not None:
            told["url"] = f"{self.public_url.rstrip('/')}/{notice.path}"
        return notice.model_copy(update=told)

    def stop_listening(self) -> None:
        """Answer everyone who waits for a notice."""
        self._is_listened_to = False
        for listening in self._listening.values():
            for news in listening:
                news.set()

    async def told(self, person: str, after: ToldAt, wait_s: float) -> Sequence[Told]:
        """Return the notices that a person was told after a place; wait for one if there is none.

        Raises:
            StorageFailed: if they cannot be read.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + wait_s
        news = asyncio.Event()
        listening = self._listening.setdefault(person, set())
        listening.add(news)
        try:
            while True:
                news.clear()
                found = await self.ledger.told(person, after, self.now())
                left = until - loop.time()
                if found or left <= 0 or not self._is_listened_to:
                    return found
                await _wait(news, min(left, _SHARED_NEWS_S) if self.is_shared else left)
        finally:
            listening.discard(news)
            if not listening:
                self._listening.pop(person, None)

    # The ways

    async def send_all(self, kind: Kind) -> None:
        """Tell one kind of way, until cancelled."""
        is_left = self._is_left[kind]
        while True:
            is_left.clear()
            try:
                if await self._send_some(kind):
                    continue
                rest_s = await self._rest_s(kind)
            except StorageFailed as error:
                logger.debug("could not send notices; retrying: %s", error)
                rest_s = _AGAIN_S
            await _wait(is_left, rest_s)

    async def _rest_s(self, kind: Kind) -> float:
        now, resting = self.now(), self._who_rests()
        due = await self.ledger.next_way(kind, resting)
        ends = [until for _, until in self._resting.values() if until > now]
        next_at = min([*ends, *([] if due is None else [due])], default=None)
        if next_at is None:
            return self._look_s
        return min(max((next_at - now) / 1000, _LEAST_REST_S), self._look_s)

    def _who_rests(self) -> list[str]:
        now = self.now()
        return [service for service, (_, until) in self._resting.items() if until > now]

    async def _send_some(self, kind: Kind) -> bool:
        """Claim some ways and tell them; return whether there were any."""
        begun = self.now()
        ways = list(await self.ledger.claim(kind, begun, self._who_rests()))
        is_any = bool(ways)
        while ways:
            if self.now() - begun > ledger.CLAIMED_MS / 2 - posting.POST_S * 1000:
                await self.ledger.give_back(ways, self.now())
                break
            way = ways.pop(0)
            until = await self._send(kind, way)
            if until is not None:
                others = [each for each in ways if each.service == way.service]
                ways = [each for each in ways if each.service != way.service]
                await self._keep(partial(self.ledger.again, way, others, until, self.now()))
            await asyncio.sleep(PACE_S)
        return is_any

    async def _send(self, kind: Kind, way: Claimed) -> int | None:
        """Send to one way; return until when to avoid its service if that failed."""
        now = self.now()
        notice = self.shown(way.notice, way.language)
        if kind == "webhook":
            whom = NoticePerson(id=way.person, name=way.name)
            notice = notice.model_copy(update={"person": whom})
        url, headers, body = await self.requests[kind](way, notice, now)
        answer: posting.HttpAnswer | None = None
        try:
            answer = await posting.post(url, headers, body)
            result, why = posting.verdict(answer.status), f"HTTP {answer.status}"
        except posting.NotReached as error:
            result, why = Fate.AGAIN, str(error)
        self.counters.requests[kind, result.value] += 1
        if result is Fate.AGAIN:
            return self._rest(way.service, why, answer)
        if self._resting.pop(way.service, None) is not None:
            logger.info("notices: %s works again", way.service)
        if result is Fate.TOLD:
            await self._keep(partial(self.ledger.taken, way))
        elif result is Fate.GONE and kind == "push":
            await self._keep(partial(self.ledger.gone, way.way))
        else:
            logger.warning("notices: %s rejected one, which is dropped: %s", way.service, why)
            await self._keep(partial(self.ledger.given_up, way, self.now()))
        return None

    def _rest(self, service: str, why: str, answer: posting.HttpAnswer | None) -> int:
        """Avoid a service that has failed; return until when, in Unix ms."""
        now = self.now()
        failures, _ = self._resting.get(service, (0, 0))
        rest_s = posting.pause_s(failures + 1, self.chance())
        if answer is not None and (asked_s := answer.wait_s(now / 1000)) is not None:
            rest_s = max(rest_s, asked_s)
        if not failures:
            logger.warning("notices: %s fails; retrying with growing pauses: %s", service, why)
        until = now + round(rest_s * 1000)
        self._resting[service] = failures + 1, until
        return until

    async def _keep(self, write: Callable[[], Awaitable[None]]) -> None:
        """Write until it succeeds, so that nothing is sent twice."""
        while True:
            try:
                return await write()
            except StorageFailed as error:
                logger.debug("could not record a sent notice; retrying: %s", error)
                await asyncio.sleep(_AGAIN_S)

    # The rest

    async def sweep_all(self) -> None:
        """Delete what is old, until cancelled."""
        while True:
            try:
                self.counters.dropped += await self.ledger.sweep(self.now())
            except StorageFailed as error:
                logger.debug("could not delete old notices; retrying: %s", error)
            await asyncio.sleep(_SWEEP_S)


def _waits_until(due: ledger.Due, now: int) -> int | None:
    """Return when to look again at a notice that a quiet time delays; `None` if none does."""
    quiet = None if due.settings is None else json.loads(due.settings).get("quiet")
    if quiet is None:
        return None
    try:
        until = quiet_until(QuietTime.model_validate_json(json.dumps(quiet)), now)
    except (ValidationError, UnknownZone):
        return None  # of another version, or another machine
    return None if until is None else min(until, now + QUIET_LOOK_MS)


async def _wait(event: asyncio.Event, most_s: float) -> None:
    """Wait for an event, but not longer than this."""
    with suppress(TimeoutError):
        async with asyncio.timeout(max(most_s, 0)):
            await event.wait()
