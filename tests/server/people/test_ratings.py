"""Ratings in every store: the same games give the same, in whatever order they are found."""

import asyncio
from collections.abc import Sequence
from random import Random

import pytest

from tests.server.examples import NOW, O, X, duel
from tests.server.people.test_rating import of_persons, over
from ttt_protocol.state import ClockSetting, PersonId
from ttt_server.core.snapshot import Here, room_state
from ttt_server.people.rating import GamePlace, KeptRating, RatedGame, rate, rated_game
from ttt_server.people.ratings import RatedGames, Ratings, noted
from ttt_server.storage.base import EventStore
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.people import Row, Statement
from ttt_server.storage.postgres.store import PostgresStore

GAINS = "SELECT at, room, number, x_gain, o_gain FROM rated_games ORDER BY at, room, number"
RATINGS = "SELECT person, points, deviation, games FROM ratings ORDER BY person"


@pytest.fixture
def store(each_store: EventStore) -> EventStore:
    return each_store


def some_games(number: int, seed: int = 1) -> list[RatedGame]:
    random, games = Random(seed), []
    for at in range(number):
        x, o = random.sample("abcde", 2)
        place = GamePlace(NOW + at // 2, random.choice(["den", "hall"]), at)
        games.append(RatedGame(place, "3x3x3", "fast", x, o, random.randrange(3)))
    return sorted(games)


async def read(store: EventStore, sql: str) -> list[Row]:
    (rows,) = await store.people.transact([Statement(sql)])
    return list(rows)


async def note(store: EventStore, games: list[RatedGame]) -> None:
    await store.people.transact(tuple(noted(games)))


def expected_gains(games: list[RatedGame]) -> list[Row]:
    return [(*each.game.place, *each.gained) for each in rate(games, {})]


async def test_the_order_in_which_games_are_found_changes_nothing(store: EventStore) -> None:
    games, ratings = some_games(40), Ratings(store.people)
    found = Random(7).sample(games, len(games))
    for start in range(0, len(found), 9):
        await note(store, found[start : start + 9])
        await ratings.count()
    assert await read(store, GAINS) == expected_gains(games)
    latest: dict[str, KeptRating] = {}
    for each in rate(games, {}):
        latest |= {each.game.X: each.X, each.game.O: each.O}
    told = [(who, at.points, at.deviation, at.games) for who, at in sorted(latest.items())]
    assert await read(store, RATINGS) == told

    await store.people.transact(RatedGames.clear)
    await note(store, games)
    await ratings.count()
    assert await read(store, RATINGS) == told


async def test_a_late_game_among_many_has_all_after_it_counted_again() -> None:
    store = MemoryStore()
    games, ratings = some_games(500), Ratings(store.people)
    await note(store, games[1:])
    await ratings.count()
    await note(store, games[:1])
    await ratings.count()
    assert await read(store, GAINS) == expected_gains(games)
    assert await read(store, "SELECT 1 FROM rated_games WHERE x_gain IS NULL") == []


async def test_boards_and_paces_have_ratings_of_their_own() -> None:
    store = MemoryStore()
    ratings = Ratings(store.people)
    game = some_games(1)[0]
    await note(store, [game, game._replace(place=GamePlace(NOW, "x", 1), pace="slow")])
    await ratings.count()
    assert [games for *_, games in await read(store, RATINGS)] == [1, 1, 1, 1]


async def test_two_servers_count_each_game_once(database: str) -> None:
    games = some_games(16)
    one, other = [await PostgresStore.open(database) for _ in range(2)]

    async def find(store: PostgresStore, seed: int) -> None:
        for game in Random(seed).sample(games, len(games)):
            await note(store, [game])
            await Ratings(store.people).count()

    try:
        await asyncio.gather(find(one, 1), find(other, 2))
        assert await read(one, GAINS) == expected_gains(games)
        assert sum(int(row[3] or 0) for row in await read(one, RATINGS)) == 2 * len(games)
    finally:
        await one.close()
        await other.close()


KEEP = "INSERT INTO persons VALUES ($1, $2, $2, $3, $3, 0, NULL, 0, 0, $4)"


async def test_the_ladder_has_the_best_first_and_provisional_ones_last(store: EventStore) -> None:
    ratings = Ratings(store.people)
    games = [
        RatedGame(GamePlace(NOW + at, "den", at), "3x3x3", "fast", *pair, at % 3)
        for at, pair in enumerate([("a", "b")] * 59 + [("e", "a")])
    ]
    settings = {"a": "{}", "b": "{}", "c": "{}", "e": '{"hidden": null}', "d": '{"hidden": true}'}
    kept = [Statement(KEEP, (each, each.upper(), NOW, said)) for each, said in settings.items()]
    await store.people.transact(kept)
    hidden = RatedGame(GamePlace(NOW + 99, "den", 99), "3x3x3", "fast", "d", "c", 2)
    slow = hidden._replace(place=GamePlace(NOW, "hall", 1), pace="slow")
    await note(store, [*games, hidden, slow])
    await ratings.count()
    told = await ratings.ladder("3x3x3", "fast")
    assert [name for name, _ in told][2:] == ["E", "C"]
    assert [shown.is_provisional for _, shown in told] == [False, False, True, True]
    assert told[0][1].points > told[1][1].points
    assert [name for name, _ in await ratings.ladder("3x3x3", "slow")] == ["C"]
    assert await ratings.pools() == [("3x3x3", "fast", 5), ("3x3x3", "slow", 2)]
    assert list(await ratings.of(PersonId("c"))) == [("3x3x3", "fast"), ("3x3x3", "slow")]
    await store.people.transact([Ratings.forget(PersonId("c"))])
    assert await ratings.of(PersonId("c")) == {}


async def test_a_room_shows_what_its_players_had_and_then_have() -> None:
    store = MemoryStore()
    ratings = Ratings(store.people)
    room = of_persons(duel(clock=ClockSetting(initial_s=60)))
    here = Here(True, True)
    before = await ratings.in_room(room_state(room, here, 0, NOW))
    assert {mark: each.gained for mark, each in before.items()} == {X: None, O: None}
    assert before[X].shown.points == 1_500_000
    game = rated_game(over(room, O), room.seats)
    assert game is not None
    await note(store, [game])
    await ratings.count()
    after = await ratings.in_room(room_state(over(room, O), here, 0, NOW))
    assert (after[X].gained, after[O].gained) == (-162_311, 162_311)
    assert after[O].shown.points == 1_662_311
    assert after[O].shown.games == 1
    guest = of_persons(room, None)
    assert list(await ratings.in_room(room_state(guest, here, 0, NOW))) == [O]
    assert await ratings.in_room(room_state(of_persons(duel()), here, 0, NOW)) == {}


async def test_a_game_that_is_noted_in_the_middle_of_a_count_does_no_harm() -> None:
    store = MemoryStore()
    games, ratings = some_games(6), Ratings(store.people)
    late, *others = games

    class Interrupted:
        """Tables into which another server notes a game when the games to count are known."""

        async def transact(self, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
            found = await store.people.transact(statements)
            if "ORDER BY at, room, number LIMIT 200" in statements[0].sql:
                await note(store, [late])
            return found

    await note(store, others)
    await Ratings(Interrupted()).count()
    await ratings.count()
    assert await read(store, GAINS) == expected_gains(games)
