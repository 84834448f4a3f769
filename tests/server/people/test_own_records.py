"""All that is kept of a person: to hand it out, and to forget it."""

from tests.server.people.test_log_reader import (  # noqa: F401 - a fixture
    ANN,
    BEN,
    DEN,
    Log,
    games_of,
    seen,
    store,
    write,
)
from tests.server.storage.appends import append
from ttt_protocol.codec import encode_log
from ttt_protocol.events import Created, Renamed, Seated
from ttt_protocol.state import Mark, PersonId, Settings
from ttt_server.core.archive.anonymous import without
from ttt_server.core.archive.saved_room import restore, save
from ttt_server.core.evolve import evolve_all
from ttt_server.core.room import Room
from ttt_server.people import forgetting
from ttt_server.people.games import key_of
from ttt_server.storage.base import EventStore, Snapshot
from ttt_server.storage.people import TABLES, Statement

X_WINS = (0, 3, 1, 4, 2)
ANNS, BENS = PersonId("p1"), PersonId("p2")
FORGET = without(ANNS, "Ann", "somebody")


def test_each_table_is_shown_or_says_nothing_of_one() -> None:
    """A new table of people has a place in the export, or a reason to have none."""
    assert forgetting.tables_of_one() | forgetting.NOT_OF_ONE == set(TABLES)
    assert not forgetting.tables_of_one() & forgetting.NOT_OF_ONE


async def test_an_export_has_all(store: EventStore) -> None:  # noqa: F811
    await write(store, seen(Log().start(*X_WINS).end()))
    await store.people.transact([Statement("INSERT INTO blocks VALUES ($1, $2)", ("p1", "p2"))])
    found = await forgetting.export(store.people, ANNS)
    assert found is not None
    assert found["person"] == {"id": "p1", "name": "Ann", "since": 0, "seen": 0}
    assert [game["result"] for game in found["games"]] == ["won"]
    assert found["blocks"] == [{"person": "p1", "blocked": "p2"}]
    assert (found["has_phrase"], found["settings"], found["challenges"]) == (False, {}, [])
    assert await forgetting.export(store.people, PersonId("nobody")) is None


async def test_the_other_keeps_the_games(store: EventStore) -> None:  # noqa: F811
    await write(store, seen(Log().start(*X_WINS).end()))
    assert await forgetting.rooms_of(store.people, ANNS) == [DEN]
    await forgetting.forget_in_tables(store.people, ANNS, pseudonym="x")
    assert await forgetting.export(store.people, ANNS) is None
    assert await games_of(store, "p1") == []
    (game,) = await games_of(store, "p2")
    assert (game["opponent"], game["result"]) == ({"name": "somebody"}, "lost")
    assert [row["room"] for row in await games_of(store, "p2", opponent="Somebody")] == ["den"]
    rows = await store.people.transact(
        [Statement(f"SELECT * FROM {table}") for table in TABLES]  # noqa: S608 - ours
    )
    assert not [row for found in rows for row in found if "p1" in row or "Ann" in row]


async def test_a_log_loses_a_name_and_nothing_else(store: EventStore) -> None:  # noqa: F811
    log = Log().start(*X_WINS).end()
    log.add(Renamed, seat=Mark.X, name="Ann")
    room = log.steps()[-1][1]
    half = len(log.events) // 2
    await append(store, DEN, tuple(log.events[:half]))
    await append(store, DEN, tuple(log.events[half:]), Snapshot.of(room))
    await store.rewrite(DEN, FORGET)
    after = await store.load(DEN, 0)
    assert len(after.lines) == len(log.events)
    assert b"Ann" not in b"".join(after.lines)
    assert [new for new, old in zip(after.lines, encode_log(log.events), strict=True) if new == old]
    newest = await store.load(DEN)
    assert newest.start is not None
    forgotten = restore(DEN, newest.start)
    assert forgotten.seats.X is not None
    assert (forgotten.seats.X.name, forgotten.seats.O) == ("somebody", BEN)
    assert forgotten.seq == room.seq
    await store.rewrite(DEN, FORGET)
    assert (await store.load(DEN, 0)).lines == after.lines


def test_the_bytes_of_others_stay() -> None:
    seated = Seated(seq=2, at=2, seat=Mark.X, player=BEN)
    for event in (Created(seq=1, at=1, settings=Settings()), seated):
        (line,) = encode_log((event,))
        assert FORGET(line) is line
    (line,) = encode_log((Renamed(seq=3, at=3, seat=Mark.X, name="Anna"),))
    assert FORGET(line) == line
    room = evolve_all(Room(DEN), Log(ANN, BEN).events)
    assert b"Ann" not in FORGET(save(room))


def test_somebody_has_a_key_like_any_name() -> None:
    assert key_of("Somebody") == "somebody"
