"""Challenges: one of each pair at a time, for a day, and none from those who are blocked."""

import asyncio

import pytest

from tests.server.examples import NOW
from ttt_protocol.state import PersonId
from ttt_server.people.challenges import (
    LASTS_MS,
    MOST_RECEIVED,
    MOST_SENT,
    ChallengeOver,
    Challenges,
    ChallengeState,
    NoSuchChallenge,
    NotSent,
)
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.people import Statement
from ttt_server.storage.postgres.store import PostgresStore

KEEP = "INSERT INTO persons VALUES ($1, $2, $2, $3, $3, 0, NULL, 0, 0, '{}')"
ANN, BOB, EVE = PersonId("p1"), PersonId("p2"), PersonId("p3")


class Scene:
    """Challenges at a time that a test sets."""

    def __init__(self, store: MemoryStore | PostgresStore) -> None:
        self.now = NOW
        self.tables = store.people
        self.challenges = Challenges(store.people, lambda: self.now)

    async def keep(self, *persons: tuple[PersonId, str]) -> None:
        await self.tables.transact([Statement(KEEP, (*person, NOW)) for person in persons])


@pytest.fixture
async def scene() -> Scene:
    scene = Scene(MemoryStore())
    await scene.keep((ANN, "Ann"), (BOB, "Bob"), (EVE, "Eve"))
    return scene


async def test_both_see_a_challenge_for_a_day(scene: Scene) -> None:
    sent = await scene.challenges.send(ANN, BOB, "{}")
    assert (sent.challenger_name, sent.challenged_name) == ("Ann", "Bob")
    assert sent.state is ChallengeState.OPEN
    assert sent.expires == NOW + LASTS_MS
    assert await scene.challenges.of(ANN) == await scene.challenges.of(BOB) == [sent]
    assert await scene.challenges.of(EVE) == []
    scene.now += LASTS_MS
    assert await scene.challenges.of(ANN) == []


@pytest.mark.parametrize("accept", [True, False])
async def test_an_answer_may_be_given_again_but_not_changed(scene: Scene, accept: bool) -> None:
    sent = await scene.challenges.send(ANN, BOB, "{}")
    for _ in range(2):
        told = await scene.challenges.answer(BOB, sent.id, accept=accept)
        assert told.state is (ChallengeState.ACCEPTED if accept else ChallengeState.DECLINED)
    with pytest.raises(ChallengeOver, match=f"you have {told.state} this challenge"):
        await scene.challenges.answer(BOB, sent.id, accept=not accept)
    assert [each.state for each in await scene.challenges.of(ANN)] == [told.state]


async def test_only_the_challenged_answers_and_only_in_time(scene: Scene) -> None:
    sent = await scene.challenges.send(ANN, BOB, "{}")
    for person, id_ in ((ANN, sent.id), (EVE, sent.id), (BOB, "nothing")):
        with pytest.raises(NoSuchChallenge):
            await scene.challenges.answer(person, id_, accept=True)
    scene.now += LASTS_MS
    with pytest.raises(ChallengeOver, match="open for a day"):
        await scene.challenges.answer(BOB, sent.id, accept=True)


async def test_there_is_one_at_a_time_and_none_to_oneself(scene: Scene) -> None:
    sent = await scene.challenges.send(ANN, BOB, "{}")
    with pytest.raises(NotSent, match="already"):
        await scene.challenges.send(ANN, BOB, "{}")
    with pytest.raises(NotSent, match="yourself"):
        await scene.challenges.send(ANN, ANN, "{}")
    await scene.challenges.answer(BOB, sent.id, accept=False)
    again = await scene.challenges.send(ANN, BOB, "{}")
    scene.now += LASTS_MS
    await scene.challenges.send(ANN, BOB, "{}")
    assert again.room != sent.room


async def test_a_blocked_person_cannot_challenge(scene: Scene) -> None:
    await scene.challenges.send(ANN, BOB, "{}")
    await scene.challenges.block(BOB, ANN)
    assert await scene.challenges.of(BOB) == []
    assert await scene.challenges.blocked(BOB) == ["Ann"]
    with pytest.raises(NotSent, match="does not accept challenges from you"):
        await scene.challenges.send(ANN, BOB, "{}")
    await scene.challenges.send(BOB, ANN, "{}")
    await scene.challenges.unblock(BOB, ANN)
    await scene.challenges.send(ANN, BOB, "{}")


async def test_there_is_a_limit_to_what_waits(scene: Scene) -> None:
    others = [(PersonId(f"o{at}"), f"other {at}") for at in range(MOST_RECEIVED + 1)]
    await scene.keep(*others)
    for other, _ in others[:MOST_SENT]:
        await scene.challenges.send(ANN, other, "{}")
    with pytest.raises(NotSent, match="too many"):
        await scene.challenges.send(ANN, BOB, "{}")
    for other, _ in others[:MOST_RECEIVED]:
        await scene.challenges.send(other, BOB, "{}")
    with pytest.raises(NotSent, match="too many"):
        await scene.challenges.send(others[-1][0], BOB, "{}")


async def test_who_is_forgotten_leaves_nothing(scene: Scene) -> None:
    await scene.challenges.send(ANN, BOB, "{}")
    await scene.challenges.block(EVE, ANN)
    await scene.tables.transact(Challenges.forget(ANN))
    assert await scene.challenges.of(BOB) == []
    assert await scene.challenges.blocked(EVE) == []


async def test_two_at_once_on_postgresql_are_one(database: str) -> None:
    store = await PostgresStore.open(database)
    try:
        scene = Scene(store)
        await scene.keep((ANN, "Ann"), (BOB, "Bob"))
        both = await asyncio.gather(
            *(scene.challenges.send(ANN, BOB, "{}") for _ in range(2)), return_exceptions=True
        )
        assert sum(isinstance(each, NotSent) for each in both) == 1
        (sent,) = await scene.challenges.of(BOB)
        await scene.challenges.answer(BOB, sent.id, accept=True)
        await scene.challenges.block(BOB, ANN)
        with pytest.raises(NotSent):
            await scene.challenges.send(ANN, BOB, "{}")
    finally:
        await store.close()
