"""The tables of notices, in SQLite and in PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import pytest

from ttt_protocol.notices import PushKeys, PushSubscription
from ttt_server.people.notices import ledger as ledgers
from ttt_server.people.notices.browsers import Browsers
from ttt_server.people.notices.ledger import (
    Claimed,
    Ledger,
    Settled,
    ToldAt,
    WaitingNotice,
    forgetting,
)
from ttt_server.storage.base import EventStore
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.people import PeopleTables, Statement
from ttt_server.storage.postgres.store import PostgresStore

NOW: Final = 1_800_000_000_000
DEN: Final = "rooms/den"
SERVICE: Final = "https://push.example"


@pytest.fixture(params=["sqlite", "postgres"])
async def tables(request: pytest.FixtureRequest) -> AsyncIterator[PeopleTables]:
    made: EventStore
    if request.param == "sqlite":
        made = MemoryStore()
    else:
        made = await PostgresStore.open(request.getfixturevalue("database"))
    keep = "INSERT INTO persons VALUES ($1, $2, $2, $3, $3, 0, NULL, 0, 0, $4)"
    await made.people.transact(
        [Statement(keep, ("ann", "Ann", NOW, "{}")), Statement(keep, ("bo", "Bo", NOW, "{}"))]
    )
    yield made.people
    await made.close()


@pytest.fixture
def ledger(tables: PeopleTables) -> Ledger:
    return Ledger(tables, is_shared=False)


def waiting(name: str, person: str = "ann", due: int = NOW) -> WaitingNotice:
    return WaitingNotice(name, person, f'{{"id": "{name}"}}', due)


async def settle(ledger: Ledger, *owed: WaitingNotice, kept: tuple[str, ...] = ()) -> None:
    await ledger.settle({DEN: Settled(owed, kept)})


def browser(name: str) -> PushSubscription:
    keys = PushKeys(p256dh=f"key of {name}", auth="auth")
    return PushSubscription(endpoint=f"{SERVICE}/{name}", keys=keys, language="de")


async def release(ledger: Ledger, *names: str, at: int = NOW) -> int:
    return (await ledger.release(names, at, webhook=True, push=True)).notices


async def due(ledger: Ledger, at: int = NOW) -> list[str]:
    return [each.id for each in await ledger.due(at)]


async def claim(ledger: Ledger, kind: ledgers.Kind = "webhook", at: int = NOW) -> list[Claimed]:
    return list(await ledger.claim(kind, at, ()))


async def test_a_notice_waits_until_it_is_due(ledger: Ledger) -> None:
    await settle(ledger, waiting("t1", due=NOW + 20_000))
    assert await ledger.next_due() == NOW + 20_000
    assert await due(ledger, NOW + 19_999) == []
    assert await due(ledger, NOW + 20_000) == ["t1"]


async def test_what_is_no_longer_owed_does_not_wait(ledger: Ledger) -> None:
    await settle(ledger, waiting("t1"), waiting("t2", "bo"))
    await ledger.add("rooms/other", [waiting("t3")])
    await settle(ledger, waiting("t2", "bo"))
    assert await due(ledger) == ["t2", "t3"]
    await settle(ledger)
    assert await due(ledger) == ["t3"]


async def test_what_is_kept_waits_only_if_it_did(ledger: Ledger) -> None:
    await settle(ledger, waiting("e1"))
    await settle(ledger, kept=("e1", "e2"))
    assert await due(ledger) == ["e1"]


async def test_a_second_absence_is_waited_for_from_its_start(ledger: Ledger) -> None:
    await settle(ledger, waiting("t1", due=NOW))
    await settle(ledger, waiting("t1", due=NOW + 5))
    await settle(ledger, waiting("t1", due=NOW + 3))
    assert await ledger.next_due() == NOW + 5


async def test_a_told_notice_never_waits_again(ledger: Ledger) -> None:
    await settle(ledger, waiting("t1"))
    assert await release(ledger, "t1") == 1
    await settle(ledger)
    await settle(ledger, waiting("t1", due=NOW + 9))
    assert await ledger.next_due() is None
    assert await release(ledger, "t1") == 0


async def test_quiet_notices_wait_longer(ledger: Ledger) -> None:
    await settle(ledger, waiting("t1"))
    await ledger.postpone({"t1": NOW + 60_000})
    assert (await due(ledger), await ledger.next_due()) == ([], NOW + 60_000)


async def test_a_notice_goes_all_ways(ledger: Ledger) -> None:
    assert await ledger.subscribe("ann", SERVICE, browser("phone"), NOW)
    assert await ledger.subscribe("ann", SERVICE, browser("desk"), NOW)
    assert await ledger.subscribe("bo", SERVICE, browser("other"), NOW)
    await ledger.add(DEN, [waiting("t1")])
    await release(ledger, "t1")
    (one,) = await claim(ledger)
    assert (one.id, one.way, one.service, one.person, one.name) == (
        *("t1", "webhook", "webhook"),
        *("ann", "Ann"),
    )
    pushes = await claim(ledger, "push")
    assert {each.way for each in pushes} == {f"{SERVICE}/phone", f"{SERVICE}/desk"}
    assert {(each.service, each.auth, each.language) for each in pushes} == {
        (SERVICE, "auth", "de")
    }


async def test_a_way_that_is_claimed_is_nobody_elses(tables: PeopleTables) -> None:
    first, second = (Ledger(tables, is_shared=True) for _ in range(2))
    await first.add(DEN, [waiting(f"t{number}") for number in range(30)])
    ids = [f"t{number}" for number in range(30)]
    both = await asyncio.gather(release(first, *ids), release(second, *ids))
    assert sum(both) == 30
    found = []
    while ways := await asyncio.gather(claim(first), claim(second)):
        found += [each.id for each in (*ways[0], *ways[1])]
        if not any(ways):
            break
    assert sorted(found) == sorted(ids)


async def test_a_claim_ends(ledger: Ledger) -> None:
    await ledger.add(DEN, [waiting("t1")])
    await release(ledger, "t1")
    assert len(await claim(ledger)) == 1
    assert await claim(ledger, at=NOW + ledgers.CLAIMED_MS - 1) == []
    assert len(await claim(ledger, at=NOW + ledgers.CLAIMED_MS)) == 1
    await ledger.void_claims()
    assert len(await claim(ledger)) == 1


async def test_a_way_that_was_told_is_done(ledger: Ledger) -> None:
    await ledger.add(DEN, [waiting("t1")])
    await release(ledger, "t1")
    (one,) = await claim(ledger)
    await ledger.taken(one)
    assert (await claim(ledger, at=NOW * 2), await ledger.left()) == ([], 0)


async def test_a_way_that_failed_is_tried_again_later(ledger: Ledger) -> None:
    await ledger.add(DEN, [waiting("t1"), waiting("t2")])
    await release(ledger, "t1", "t2")
    failed, *others = await claim(ledger)
    await ledger.again(failed, others, NOW + 5000, NOW)
    assert await ledger.next_way("webhook", ()) == NOW + 5000
    assert await claim(ledger, at=NOW + 4999) == []
    assert sorted(each.tries for each in await claim(ledger, at=NOW + 5000)) == [0, 1]


async def test_a_way_that_was_not_tried_is_given_back(ledger: Ledger) -> None:
    await ledger.add(DEN, [waiting("t1")])
    await release(ledger, "t1")
    await ledger.give_back(await claim(ledger), NOW)
    (again,) = await claim(ledger)
    assert again.tries == 0


async def test_a_service_that_rests_is_left_alone(ledger: Ledger) -> None:
    await ledger.subscribe("ann", SERVICE, browser("phone"), NOW)
    await ledger.add(DEN, [waiting("t1")])
    await release(ledger, "t1")
    assert await ledger.claim("push", NOW, [SERVICE, "https://other.example"]) == []
    assert await ledger.next_way("push", [SERVICE]) is None
    assert await ledger.next_way("push", ()) == NOW
    assert len(await ledger.claim("push", NOW, ["https://other.example"])) == 1


async def test_what_is_left_of_a_turn_that_is_over_is_not_sent(ledger: Ledger) -> None:
    await settle(ledger, waiting("t1"), waiting("e1"))
    await release(ledger, "t1", "e1")
    await settle(ledger)
    assert [each.id for each in await claim(ledger)] == ["e1"]


async def test_a_browser_that_is_gone_is_forgotten(ledger: Ledger) -> None:
    await ledger.subscribe("ann", SERVICE, browser("phone"), NOW)
    await ledger.add(DEN, [waiting("t1"), waiting("t2")])
    await release(ledger, "t1", "t2")
    first, _ = await claim(ledger, "push")
    await ledger.gone(first.way)
    assert await claim(ledger, "push", at=NOW * 2) == []
    await ledger.add(DEN, [waiting("t3")])
    await release(ledger, "t3")
    assert await claim(ledger, "push") == []


async def test_a_browser_is_its_owners_alone(ledger: Ledger) -> None:
    await ledger.subscribe("ann", SERVICE, browser("phone"), NOW)
    await ledger.unsubscribe("bo", f"{SERVICE}/phone")
    await ledger.add(DEN, [waiting("t1")])
    await release(ledger, "t1")
    assert len(await claim(ledger, "push")) == 1
    await ledger.unsubscribe("ann", f"{SERVICE}/phone")
    await ledger.add(DEN, [waiting("t2")])
    await release(ledger, "t2")
    assert await claim(ledger, "push", at=NOW * 2) == []


async def test_a_person_has_few_browsers(ledger: Ledger) -> None:
    for number in range(ledgers.MOST_BROWSERS):
        assert await ledger.subscribe("ann", SERVICE, browser(str(number)), NOW)
    assert not await ledger.subscribe("ann", SERVICE, browser("more"), NOW)
    assert await ledger.subscribe("ann", SERVICE, browser("0"), NOW)
    assert await ledger.subscribe("bo", SERVICE, browser("more"), NOW)


async def test_a_person_reads_what_was_told_in_order(ledger: Ledger) -> None:
    await ledger.add(DEN, [waiting("t1"), waiting("t2"), waiting("b", "bo"), waiting("t3")])
    await release(ledger, "t2", "t1", "b")
    await release(ledger, "t3", at=NOW + 1)
    found = await ledger.told("ann", ToldAt(NOW - 1), NOW + 1)
    assert [each.place for each in found] == [
        *(ToldAt(NOW, "t1"), ToldAt(NOW, "t2")),
        ToldAt(NOW + 1, "t3"),
    ]
    assert found[0].notice == '{"id": "t1"}'
    after = await ledger.told("ann", ToldAt(NOW, "t1"), NOW + 1)
    assert [each.place.id for each in after] == ["t2", "t3"]


async def test_where_servers_share_the_tables_the_newest_are_read_a_little_later(
    tables: PeopleTables,
) -> None:
    ledger = Ledger(tables, is_shared=True)
    await ledger.add(DEN, [waiting("t1")])
    await release(ledger, "t1")
    assert await ledger.told("ann", ToldAt(0), NOW) == []
    assert len(await ledger.told("ann", ToldAt(0), NOW + 1000)) == 1


async def test_the_oldest_ways_are_dropped_beyond_a_bound(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledgers, "MOST_LEFT", 2)
    await ledger.add(DEN, [waiting(f"t{number}") for number in range(3)])
    for number in range(2):
        await release(ledger, f"t{number}", at=NOW + number)
    released = await ledger.release(["t2"], NOW + 2, webhook=True, push=True)
    assert (released.dropped, set(released.persons)) == (1, {"ann"})
    assert [each.id for each in await claim(ledger, at=NOW + 2)] == ["t1", "t2"]


async def test_what_is_old_is_swept(ledger: Ledger) -> None:
    await ledger.subscribe("ann", SERVICE, browser("phone"), NOW)
    await ledger.add(DEN, [waiting("t1")])
    await release(ledger, "t1")
    (push,) = await claim(ledger, "push")
    await ledger.given_up(push, NOW)
    assert await ledger.sweep(NOW + ledgers.LEFT_KEPT_MS) == 0
    assert await ledger.sweep(NOW + ledgers.LEFT_KEPT_MS + 1) == 1
    assert await ledger.told("ann", ToldAt(0), NOW) == []
    await ledger.add(DEN, [waiting("t1")])
    assert await release(ledger, "t1") == 0
    await ledger.sweep(NOW + ledgers.TOLD_KEPT_MS + 1)
    await ledger.add(DEN, [waiting("t1")])
    assert await release(ledger, "t1") == 1
    await ledger.add(DEN, [waiting("t2")])
    assert await release(ledger, "t2") == 1
    assert await claim(ledger, "push") == []  # its browser took nothing for too long


async def test_a_browser_that_works_again_is_kept(ledger: Ledger) -> None:
    await ledger.subscribe("ann", SERVICE, browser("phone"), NOW)
    await ledger.add(DEN, [waiting("t1"), waiting("t2")])
    await release(ledger, "t1", "t2")
    first, second = await claim(ledger, "push")
    await ledger.given_up(first, NOW)
    await ledger.taken(second)
    await ledger.sweep(NOW + ledgers.FAILING_KEPT_MS + 1)
    await ledger.add(DEN, [waiting("t3")])
    await release(ledger, "t3")
    assert len(await claim(ledger, "push")) == 1


async def test_a_person_is_forgotten(tables: PeopleTables, ledger: Ledger) -> None:
    await ledger.subscribe("ann", SERVICE, browser("phone"), NOW)
    await ledger.add(DEN, [waiting("t1"), waiting("t2"), waiting("b", "bo")])
    await release(ledger, "t1")
    await tables.transact(forgetting("ann"))
    assert (await due(ledger), await ledger.left()) == (["b"], 0)


async def test_the_key_of_pushes_is_kept_with_the_browsers(tables: PeopleTables) -> None:
    """So backups and copies have it, and all servers the same."""
    keys = {
        (await Browsers(Ledger(tables, is_shared=is_shared)).sender()).public_key
        for is_shared in (True, False, True)
    }
    assert len(keys) == 1
