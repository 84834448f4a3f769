"""The games of two persons within a day, in every store."""

import asyncio
from dataclasses import replace

from tests.server.examples import NOW, duel
from tests.server.people.test_rating import P1, P2, of_persons
from ttt_protocol.state import PersonId, RoomName
from ttt_server.core.rated import DAY_MS
from ttt_server.core.room import Room, game_of
from ttt_server.people.ratings import RatedPairs
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.postgres.store import PostgresStore


def played(room: str = "den", number: int = 1, x: PersonId = P1, o: PersonId = P2) -> Room:
    before = of_persons(duel(), x, o)
    return before.replace(name=RoomName(room), game=replace(game_of(before), number=number))


async def test_games_are_numbered_over_rooms_and_seats() -> None:
    pairs = RatedPairs(MemoryStore().people)
    assert await pairs.number(played(), NOW) == 1
    assert await pairs.number(played("hall"), NOW + 1) == 2
    assert await pairs.number(played("hall", 2, P2, P1), NOW + 2) == 3
    assert await pairs.number(played(x=PersonId("p3")), NOW + 3) == 1


async def test_a_game_keeps_its_number() -> None:
    pairs = RatedPairs(MemoryStore().people)
    for _ in range(2):
        assert await pairs.number(played(), NOW) == 1
    assert await pairs.number(played(number=2), NOW + 1) == 2
    assert await pairs.number(played(), NOW + 2) == 1


async def test_a_day_later_they_begin_again() -> None:
    pairs = RatedPairs(MemoryStore().people)
    for number in (1, 2, 3):
        assert await pairs.number(played(number=number), NOW + number) == number
    assert await pairs.number(played(number=4), NOW + DAY_MS) == 4
    assert await pairs.number(played(number=5), NOW + DAY_MS + 3) == 2


async def test_games_that_end_at_once_on_two_servers_have_different_numbers(database: str) -> None:
    stores = [await PostgresStore.open(database) for _ in range(2)]
    try:
        numbers = await asyncio.gather(
            *(RatedPairs(stores[at % 2].people).number(played(f"room{at}"), NOW) for at in range(8))
        )
        assert sorted(numbers) == [*range(1, 9)]
    finally:
        for store in stores:
            await store.close()
