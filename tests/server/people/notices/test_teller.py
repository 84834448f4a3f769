"""What becomes of notices that are due. Each step is taken by hand, at a time of its own."""

import asyncio
import json
from collections.abc import AsyncIterator
from functools import partial
from typing import Final

import pytest

from tests.hooks import HANG_UP, STALL, Hook
from ttt_protocol.codec import encode_message
from ttt_protocol.notices import Notice, PushKeys, PushSubscription
from ttt_server.people.notices import posting
from ttt_server.people.notices import teller as tellers
from ttt_server.people.notices.ledger import (
    Claimed,
    Kind,
    Ledger,
    ToldAt,
    WaitingNotice,
)
from ttt_server.people.notices.posting import HttpAnswer, post
from ttt_server.people.notices.teller import Request, Teller
from ttt_server.storage.base import StorageFailed
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.people import PeopleTables, Statement

NOW: Final = 1_800_000_000_000
DAY_MS: Final = 86_400_000


class Desk:
    """A teller, its tables, and a hook that takes what it sends."""

    def __init__(self, tables: PeopleTables, hook: Hook) -> None:
        self.tables = tables
        self.ledger = Ledger(tables, is_shared=False)
        self.hook = hook
        self.now = NOW
        requests: dict[Kind, Request] = {"webhook": self._request, "push": self._request}
        self.teller = Teller(
            self.ledger,
            lambda: self.now,
            lambda: 0.5,
            requests=requests,
            public_url="https://play.example.org",
            is_shared=False,
        )

    async def _request(
        self, claimed: Claimed, notice: Notice, now: int
    ) -> tuple[str, dict[str, str], bytes]:
        url = self.hook.origin if claimed.way == "webhook" else claimed.way
        return url, {"X-At": str(now)}, encode_message(notice)

    async def owe(self, *names: str, person: str = "ann", due: int = NOW) -> None:
        for name in names:
            notice = Notice(id=name, kind="turn", at=NOW, text="", path="rooms/den", opponent="Bo")
            waiting = WaitingNotice(name, person, encode_message(notice).decode(), due)
            await self.ledger.add("rooms/den", [waiting])

    async def subscribe(self, name: str) -> None:
        origin = self.hook.origin
        keys = PushKeys(p256dh="p", auth="a")
        wish = PushSubscription(endpoint=f"{origin}/{name}", keys=keys, language="de")
        await self.ledger.subscribe("ann", origin, wish, NOW)

    async def set_quiet(self, quiet: object) -> None:
        sql = "UPDATE persons SET settings = $1 WHERE id = 'ann'"
        await self.tables.transact([Statement(sql, (json.dumps({"quiet": quiet}),))])

    async def release(self) -> int:
        return await self.teller._release()

    async def send(self, kind: Kind = "webhook") -> bool:
        return await self.teller._send_some(kind)

    @property
    def taken(self) -> list[str]:
        """The ids of the notices that the hook took."""
        return [json.loads(taken.body)["id"] for taken in self.hook.taken]

    def requests(self, kind: Kind = "webhook") -> dict[str, int]:
        counted = self.teller.counters.requests
        return {result: number for (of, result), number in counted.items() if of == kind}


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tellers, "PACE_S", 0)
    monkeypatch.setattr(tellers, "_AGAIN_S", 0)
    monkeypatch.setattr(posting, "post", partial(post, timeout_s=0.5))


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    store = MemoryStore()
    keep = "INSERT INTO persons VALUES ($1, $2, $2, $3, $3, 0, NULL, 0, 0, '{}')"
    await store.people.transact(
        [Statement(keep, ("ann", "Ann", NOW)), Statement(keep, ("bo", "Bo", NOW))]
    )
    async with Hook.serve() as hook:
        yield Desk(store.people, hook)
    await store.close()


async def test_a_notice_is_told_once_it_is_due(desk: Desk) -> None:
    await desk.owe("t1", due=NOW + 20_000)
    assert await desk.release() == NOW + 20_000
    assert not await desk.send()
    desk.now += 20_000
    await desk.release()
    assert await desk.send()
    assert not await desk.send()
    (taken,) = desk.hook.taken
    assert json.loads(taken.body) == {
        "id": "t1",
        "kind": "turn",
        "at": NOW,
        "text": "It is your turn against Bo.",
        "path": "rooms/den",
        "url": "https://play.example.org/rooms/den",
        "person": {"id": "ann", "name": "Ann"},
        "opponent": "Bo",
    }
    assert (desk.teller.counters.told, desk.requests()) == (1, {"told": 1})


async def test_a_browser_is_told_in_its_language_and_nothing_of_the_person(desk: Desk) -> None:
    await desk.subscribe("phone")
    await desk.owe("t1")
    await desk.release()
    await desk.send("push")
    (taken,) = desk.hook.taken
    body = json.loads(taken.body)
    assert (taken.path, body["text"]) == ("/phone", "Du bist am Zug gegen Bo.")
    assert "person" not in body


async def test_a_server_that_fails_is_tried_again_with_growing_pauses(desk: Desk) -> None:
    desk.hook.answers.extend(["500 Oh", HANG_UP, STALL])
    await desk.owe("t1", "t2")
    await desk.release()
    for pause_ms in (1000, 2000, 4000):
        assert await desk.send()
        desk.now += pause_ms - 1
        assert not await desk.send()
        desk.now += 1
    assert await desk.send()
    assert desk.taken == ["t1", "t1", "t1", "t1", "t2"]
    assert desk.requests() == {"again": 3, "told": 2}
    desk.hook.answers.append("500 Oh")
    await desk.owe("t3")
    await desk.release()
    await desk.send()
    desk.now += 1000  # it had worked: the pauses begin anew
    assert await desk.send()


async def test_a_server_says_when_to_try_again(desk: Desk) -> None:
    desk.hook.answers.append("429 Too Many Requests\r\nRetry-After: 30")
    await desk.owe("t1")
    await desk.release()
    await desk.send()
    desk.now += 29_999
    assert not await desk.send()
    desk.now += 1
    assert await desk.send()
    assert desk.taken == ["t1", "t1"]


@pytest.mark.parametrize(
    "answer", ["302 Found\r\nLocation: http://127.0.0.1:1/", "400 Bad Request", "410 Gone"]
)
async def test_what_a_webhook_refuses_is_not_sent_again(desk: Desk, answer: str) -> None:
    desk.hook.answers.append(answer)
    await desk.owe("t1", "t2")
    await desk.release()
    await desk.send()
    desk.now += DAY_MS
    assert not await desk.send()
    assert desk.taken == ["t1", "t2"]


@pytest.mark.parametrize("answer", ["404 Not Found", "410 Gone"])
async def test_a_browser_that_is_gone_goes(desk: Desk, answer: str) -> None:
    desk.hook.answers.append(answer)
    await desk.subscribe("phone")
    await desk.owe("t1")
    await desk.release()
    await desk.send("push")
    await desk.owe("t2")
    await desk.release()
    desk.now += DAY_MS
    assert not await desk.send("push")
    assert desk.requests("push") == {"gone": 1}


async def test_a_browser_whose_service_refuses_stays_for_a_while(desk: Desk) -> None:
    desk.hook.answers.append("308 Permanent Redirect\r\nLocation: http://127.0.0.1:1/")
    await desk.subscribe("phone")
    await desk.owe("t1", "t2")
    await desk.release()
    await desk.send("push")
    assert desk.requests("push") == {"refused": 1, "told": 1}


async def test_services_rest_by_themselves(desk: Desk) -> None:
    async with Hook.serve() as other:
        await desk.subscribe("phone")
        keys = PushKeys(p256dh="p", auth="a")
        wish = PushSubscription(endpoint=f"{other.origin}/desk", keys=keys)
        await desk.ledger.subscribe("ann", other.origin, wish, NOW)
        other.answers.append(STALL)
        await desk.owe("t1", "t2", "t3")
        await desk.release()
        await desk.send("push")
        assert len(desk.hook.taken) == 3
        assert len(other.taken) == 1
        desk.now += 1000
        await desk.send("push")
        assert len(other.taken) == 4


async def test_notices_wait_in_a_quiet_time(desk: Desk) -> None:
    await desk.set_quiet({"from": "07:00", "until": "09:00", "zone": "UTC"})  # it is 08:00
    await desk.owe("t1")
    await desk.owe("b1", person="bo")
    await desk.release()
    await desk.send()
    desk.now += 3_600_000 - 1
    await desk.release()
    await desk.send()
    assert desk.taken == ["b1"]
    desk.now += 1
    await desk.release()
    await desk.send()
    assert desk.taken == ["b1", "t1"]


async def test_a_quiet_time_may_be_ended(desk: Desk) -> None:
    await desk.set_quiet({"from": "07:00", "until": "09:00", "zone": "UTC"})
    await desk.owe("t1")
    again = await desk.release()
    await desk.set_quiet(None)
    desk.now = again
    await desk.release()
    await desk.send()
    assert (again - NOW, desk.taken) == (60_000, ["t1"])


@pytest.mark.parametrize(
    "quiet", [{}, "night", {"from": "07:00", "until": "09:00", "zone": "Europe/Nowhere"}]
)
async def test_a_quiet_time_that_is_not_understood_is_none(desk: Desk, quiet: object) -> None:
    await desk.set_quiet(quiet)
    await desk.owe("t1")
    await desk.release()
    await desk.send()
    assert desk.taken == ["t1"]


async def test_nobody_is_told_who_was_forgotten(desk: Desk) -> None:
    await desk.owe("x1", person="gone")
    await desk.owe("t1")
    await desk.release()
    await desk.send()
    assert desk.taken == ["t1"]
    assert await desk.ledger.next_due() is None


async def test_what_is_left_is_told_after_a_restart(desk: Desk) -> None:
    desk.hook.answers.append("500 Oh")
    await desk.owe("t1")
    await desk.release()
    await desk.send()
    desk.teller._resting.clear()  # as of a new server
    desk.now += 1000
    assert await desk.teller._rest_s("webhook") == 0.05
    await desk.send()
    assert desk.taken == ["t1", "t1"]


async def test_ways_that_take_too_long_are_given_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await desk.owe("t1", "t2")
    await desk.release()

    async def slow_post(*_: object) -> HttpAnswer:
        desk.now += 30_000
        return HttpAnswer(200)

    monkeypatch.setattr(posting, "post", slow_post)
    assert await desk.send()
    assert await desk.ledger.left() == 1
    assert await desk.send()
    assert await desk.ledger.left() == 0


async def test_what_was_sent_is_noted_until_it_is_kept(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await desk.owe("t1")
    await desk.release()
    taken, failures = desk.ledger.taken, [StorageFailed("full"), StorageFailed("full")]

    async def fail_first(way: Claimed) -> None:
        if failures:
            raise failures.pop()
        await taken(way)

    monkeypatch.setattr(desk.ledger, "taken", fail_first)
    await desk.send()
    assert (desk.taken, await desk.ledger.left()) == (["t1"], 0)


async def test_a_person_hears_of_notices_at_once(desk: Desk) -> None:
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        listening = group.create_task(desk.teller.told("ann", ToldAt(NOW - 1), 9))
        other = group.create_task(desk.teller.told("bo", ToldAt(NOW - 1), 0))
        await other
        await desk.owe("t1")
        await desk.release()
    assert [told.place for told in listening.result()] == [ToldAt(NOW, "t1")]
    assert other.result() == []
    assert not desk.teller._listening


async def test_the_tasks_do_all_of_it(desk: Desk) -> None:
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(work)
            for work in (
                desk.teller.release_all(),
                desk.teller.send_all("webhook"),
                desk.teller.sweep_all(),
            )
        ]
        await desk.owe("t1")
        desk.teller.note_waiting(NOW)
        await desk.hook.have(1)
        await desk.owe("t2")
        desk.teller.note_waiting(NOW)
        await desk.hook.have(2)
        for task in tasks:
            task.cancel()
    assert desk.taken == ["t1", "t2"]
