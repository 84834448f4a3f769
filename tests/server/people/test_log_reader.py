"""The games of persons, as they follow from the events of their rooms."""

import asyncio
from collections.abc import Iterable, Sequence
from time import perf_counter, time_ns
from typing import Any

import pytest

from tests.server.storage.appends import append
from ttt_protocol.codec import EncodedEvents, encode_log
from ttt_protocol.codes import Reason
from ttt_protocol.events import Created, Ended, Event, Left, Played, Seated, Started
from ttt_protocol.state import (
    Ai,
    ClockSetting,
    Human,
    Mark,
    Outcome,
    PersonId,
    Player,
    RoomName,
    Rules,
    SessionId,
    Settings,
)
from ttt_server.core.evolve import evolve
from ttt_server.core.room import Room
from ttt_server.people import games as index
from ttt_server.people import log_reader
from ttt_server.people.games import Cursor, GameIndex, GamesWish, listed, page
from ttt_server.people.log_reader import LEFT_MS, LogReader, SeenGames, read_games
from ttt_server.rooms.feed import GATHER_S, NOTE_AGAIN_MS, Feed
from ttt_server.storage.base import EventStore, Snapshot, StorageFailed
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.people import Statement
from ttt_server.storage.sqlite.store import SqliteStore
from ttt_server.storage.sqlite.tables import EventTables

DEN, LAIR = RoomName("den"), RoomName("lair")
X, O = Mark.X, Mark.O  # noqa: E741 - its name on the board
ANN = Human(id=SessionId("s1"), name="Ann", person=PersonId("p1"))
BEN = Human(id=SessionId("s2"), name="Ben", person=PersonId("p2"))
EVE = Human(id=SessionId("s3"), name="Eve")
MINIMAX = Ai(name="minimax 9", strategy="minimax", level=9)
X_WINS = (0, 3, 1, 4, 2)
LINE = Outcome(winner=X, reason=Reason.LINE, line=(0, 1, 2))
KEEP = "INSERT INTO persons VALUES ($1, $2, $2, 0, 0, 0, NULL, 0, 0, '{}')"


class Log:
    """A log that is being written."""

    def __init__(self, x: Player = ANN, o: Player = BEN, **settings: Any) -> None:
        self.events: list[Event] = []
        self.game = self.ply = 0
        self.add(Created, settings=Settings(**settings))
        self.add(Seated, seat=X, player=x)
        self.add(Seated, seat=O, player=o)

    def add(self, kind: Any, **fields: Any) -> "Log":
        seq = len(self.events) + 1
        self.events.append(kind(seq=seq, at=1000 * seq, **fields))
        return self

    def start(self, *cells: int) -> "Log":
        self.game, self.ply = self.game + 1, 0
        return self.add(Started, game=self.game).play(*cells)

    def play(self, *cells: int) -> "Log":
        for cell in cells:
            fields = {"game": self.game, "ply": self.ply, "cell": cell}
            self.add(Played, seat=O if self.ply % 2 else X, **fields)
            self.ply += 1
        return self

    def end(self, outcome: Outcome = LINE) -> "Log":
        return self.add(Ended, game=self.game, outcome=outcome)

    def leave(self, seat: Mark) -> "Log":
        return self.add(Left, seat=seat)

    def steps(self, name: RoomName = DEN, sizes: Sequence[int] = ()) -> list[tuple[Room, Room]]:
        """The room before and after each decision; those of `sizes` are the last ones."""
        room, found, rest = Room(name), list[tuple[Room, Room]](), len(self.events) - sum(sizes)
        events = iter(self.events)
        for size in (*[1] * rest, *sizes):
            before = room
            for _ in range(size):
                room = evolve(room, next(events))
            found.append((before, room))
        return found


def seen(log: Log, sizes: Sequence[int] = ()) -> SeenGames:
    games = SeenGames()
    for before, after in log.steps(sizes=sizes):
        games.see(before, after)
    return games


@pytest.fixture
async def store(each_store: EventStore) -> EventStore:
    both = [Statement(KEEP, ("p1", "Ann")), Statement(KEEP, ("p2", "Ben"))]
    await each_store.people.transact(both)
    return each_store


async def games_of(store: EventStore, person: str, **wish: Any) -> list[dict[str, Any]]:
    found = await store.people.transact(page(person, GamesWish(**wish)))
    return [game.fields for game in listed(row for rows in found for row in rows)]


async def write(store: EventStore, games: Iterable[log_reader.SeenGame]) -> None:
    statements = [each for game in games for each in GameIndex().statements(game)]
    await store.people.transact(statements)


def test_a_game_has_the_persons_in_its_seats() -> None:
    (game,) = seen(Log(ANN, EVE).start(4))
    assert game.persons == {"p1": X}
    assert (game.seq, game.is_over, game.to_act) == (5, False, "")  # a guest is to move
    assert [each.to_act for each in seen(Log(EVE, ANN).start(4))] == ["p1"]


def test_a_room_of_guests_has_no_games() -> None:
    assert list(seen(Log(EVE, MINIMAX).start(*X_WINS).end())) == []


def test_a_player_who_leaves_has_the_game_that_ends_by_it() -> None:
    resigned = Outcome(winner=O, reason=Reason.RESIGNATION)
    (game,) = seen(Log(ANN, EVE).start(4).end(resigned).leave(X), sizes=(2,))
    assert game.persons == {"p1": X}
    assert game.is_over
    assert game.seats.X == ANN


def test_who_sits_down_after_the_end_has_not_played() -> None:
    log = Log(ANN, EVE).start(*X_WINS).end().leave(O)
    (game,) = seen(log.add(Seated, seat=O, player=BEN))
    assert game.persons == {"p1": X}
    assert game.seats.O == EVE


def test_who_is_stood_in_for_has_the_game_to_its_end() -> None:
    log = Log(ANN, EVE).start(0, 3).add(Seated, seat=X, player=MINIMAX)
    assert [each.to_act for each in seen(log)] == [""]
    (game,) = seen(log.play(1, 4, 2).end())
    assert game.persons == {"p1": X}
    assert game.is_over


def test_players_who_change_seats_have_the_seat_of_each_game() -> None:
    first, second = seen(Log().start(*X_WINS).end().start(4))
    assert first.persons == {"p1": X, "p2": O}
    assert second.persons == {"p1": O, "p2": X}


async def test_rows_are_the_same_whatever_is_written_twice_or_late(store: EventStore) -> None:
    log = Log().start(*X_WINS).end().start(4)
    late = [list(seen(_begun(log, length))) for length in range(5, len(log.events))]
    await write(store, seen(log))
    rows = await games_of(store, "p1")
    for games in late:
        await write(store, games)
    assert await games_of(store, "p1") == rows
    assert [(row["game"], row["state"]) for row in rows] == [(2, "turn"), (1, "finished")]
    assert rows[1]["result"] == "won"
    assert [row.get("result") for row in await games_of(store, "p2")] == [None, "lost"]


def _begun(log: Log, length: int) -> Log:
    begun = Log()
    begun.events = log.events[:length]
    return begun


async def test_a_forgotten_person_gets_no_rows(store: EventStore) -> None:
    await store.people.transact([Statement("DELETE FROM persons WHERE id = $1", ("p1",))])
    await write(store, seen(Log().start(4)))
    assert await games_of(store, "p1") == []
    assert len(await games_of(store, "p2")) == 1


async def test_a_row_tells_the_opponent_the_board_and_the_end(store: EventStore) -> None:
    await write(
        store, seen(Log(ANN, MINIMAX, clock=ClockSetting(initial_s=60)).start(*X_WINS).end())
    )
    (row,) = await games_of(store, "p1")
    assert row.pop("at") == 10_000
    assert row.pop("rules") == {"columns": 3, "rows": 3, "in_a_row": 3, "gravity": False}
    assert row == {
        "room": "den",
        "game": 1,
        "state": "finished",
        "seat": "X",
        "opponent": {"name": "minimax 9", "strategy": "minimax", "level": 9},
        "public": True,
        "ply": 5,
        "board": "XXXOO....",
        "outcome": {"winner": "X", "reason": "line", "line": [0, 1, 2]},
        "result": "won",
    }


async def test_pages_follow_on_each_other_through_all_states(store: EventStore) -> None:
    for number in range(5):
        log = Log().start(4, 0) if number < 2 else Log().start(4)
        log = log if number < 3 else Log().start(*X_WINS).end()
        games = SeenGames()
        for before, room in log.steps(RoomName(f"room-{number}")):
            games.see(before, room)
        await write(store, games)
    expected = [(each["room"], each["state"]) for each in await games_of(store, "p1")]
    assert [state for _, state in expected] == ["turn"] * 2 + ["running"] + ["finished"] * 2
    after: Cursor | None = None
    pages: list[tuple[str, str]] = []
    while True:
        found = await store.people.transact(page("p1", GamesWish(after=after, limit=2)))
        rows = listed(row for rows in found for row in rows)
        pages += [(each.fields["room"], each.fields["state"]) for each in rows[:2]]
        if len(rows) <= 2:
            break
        after = Cursor.parse(str(rows[1].cursor))
    assert pages == expected


@pytest.mark.parametrize("text", ["", "1.2.den", "x.1.den.1", "1.-1.den.1", f"1.{'9' * 19}.den.1"])
def test_a_cursor_is_what_a_page_gave(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the words are the caller's
        Cursor.parse(text)


async def test_filters_by_state_board_and_opponent(store: EventStore) -> None:
    gravity = Rules(columns=7, rows=6, in_a_row=4, gravity=True)
    for name, log in {
        "one": Log(ANN, EVE).start(4),
        "two": Log(ANN, BEN, rules=gravity).start(38),
        "six": Log(ANN, BEN).start(*X_WINS).end(),
    }.items():
        games = SeenGames()
        for before, after in log.steps(RoomName(name)):
            games.see(before, after)
        await write(store, games)

    async def found(**wish: Any) -> list[str]:
        return [row["room"] for row in await games_of(store, "p1", **wish)]

    assert await found(opponent=" BEN ") == ["two", "six"]
    assert await found(board="7x6x4g") == ["two"]
    assert await found(board="3x3x3", opponent="ben", state="finished") == ["six"]
    assert await found(state="turn") == []


FILL = """
WITH RECURSIVE numbers (n) AS (
    SELECT CAST($1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < $2
)
INSERT INTO games
SELECT 'room-' || n, 1, 'p1', 9, 2, n, 'X', '3x3x3', 'Ben', 'ben', '', 1, '{}'
FROM numbers WHERE n % 1000 = 0
UNION ALL SELECT 'room-' || n, 1, 'p1', 9, 2, n, 'X', '3x3x3', 'Eve', 'eve', '', 1, '{}'
FROM numbers WHERE n % 1000 > 0
"""


@pytest.mark.slow
async def test_the_first_page_of_many_games_comes_at_once(store: EventStore) -> None:
    """Of 100 000 games of one person, within 50 ms: 2 to 8 ms on the machine of the figures."""
    for first in range(1, 100_000, 5_000):
        await store.people.transact([Statement(FILL, (first, first + 4_999))])
    for wish in (GamesWish(), GamesWish(opponent="ben"), GamesWish(board="7x6x4g")):
        took_s = 1.0
        async with asyncio.timeout(60):  # a busy machine leaves few tries alone
            while took_s > 0.05:
                began = perf_counter()
                found = await store.people.transact(page("p1", wish))
                listed(row for rows in found for row in rows)
                took_s = perf_counter() - began


async def test_others_see_nothing_of_private_rooms(store: EventStore) -> None:
    for name, settings in {
        "one": {},
        "two": {"public": False},
        "six": {"spectators": False},
    }.items():
        games = SeenGames()
        for before, after in Log(ANN, BEN, **settings).start(4).steps(RoomName(name)):
            games.see(before, after)
        await write(store, games)
    found = await store.people.transact(page("p1", GamesWish(), is_for_all=True))
    assert [game.fields["room"] for game in listed(row for rows in found for row in rows)] == [
        "one"
    ]


def reader(store: EventStore, feed: Feed, *, is_alone: bool = True) -> LogReader:
    return LogReader(store, (GameIndex(),), feed.take_note, is_alone=is_alone)


async def notes(store: EventStore) -> int:
    (rows,) = await store.people.transact([Statement("SELECT room FROM unread")])
    return len(rows)


class Server:
    """What a server does with a log: it notes the room, keeps the events, and tells."""

    def __init__(self, store: EventStore) -> None:
        self.now = 1_000_000
        self.store = store
        self.feed = Feed(store)
        self.reader = reader(store, self.feed)
        self.feed.subscribe(self.reader.see)

    async def play(self, log: Log, after: int = 0, *, tells: bool = True) -> None:
        for (before, room), event in list(zip(log.steps(), log.events, strict=True))[after:]:
            self.feed.begin(DEN, self.now)
            await append(self.store, DEN, (event,))
            if tells:
                self.feed.kept(before, room, encode_log((event,)))

    async def finish(self) -> None:
        self.feed.tell_moves()
        await self.reader.finish()


async def test_moves_that_follow_one_another_are_told_once(store: EventStore) -> None:
    server = Server(store)
    told: list[tuple[int, int]] = []
    server.feed.subscribe(lambda before, after, _: told.append((before.seq, after.seq)))
    await server.play(log := Log().start(0, 1, 2))
    begun = [(seq, seq + 1) for seq in range(len(log.events) - 3)]
    assert told == begun
    server.feed.tell_moves()
    assert told == [*begun, (len(log.events) - 1, len(log.events))]
    server.feed.tell_moves()
    assert len(told) == len(begun) + 1


async def test_moves_are_told_after_a_moment(store: EventStore) -> None:
    server = Server(store)
    is_told = asyncio.Event()
    log = Log().start(4)

    def call(_: Room, after: Room, __: EncodedEvents) -> None:
        if after.seq == len(log.events):
            is_told.set()

    server.feed.subscribe(call)
    await server.play(log)
    assert not is_told.is_set()
    async with asyncio.timeout(GATHER_S + 5):
        await is_told.wait()


async def test_the_end_of_a_game_is_told_at_once_and_no_earlier_move_after_it(
    store: EventStore,
) -> None:
    server = Server(store)
    told: list[int] = []
    server.feed.subscribe(lambda _, after, __: told.append(after.seq))
    await server.play(log := Log().start(4).end())
    assert told[-1] == len(log.events)
    server.feed.tell_moves()
    assert told[-1] == len(log.events)


async def test_a_note_is_taken_with_the_move_that_it_stands_for(store: EventStore) -> None:
    server = Server(store)
    await server.play(log := Log().start(4))
    await server.reader.finish()
    assert [row["state"] for row in await games_of(store, "p2")] == ["turn"], "of the move"
    assert await notes(store) == 0
    await server.play(log.play(0), after=len(log.events) - 1)
    await server.finish()
    assert [row["state"] for row in await games_of(store, "p1")] == ["turn"]


async def test_what_is_kept_is_in_the_index_soon(store: EventStore) -> None:
    server = Server(store)
    await server.play(Log().start(*X_WINS).end())
    await server.finish()
    assert [row["result"] for row in await games_of(store, "p2")] == ["lost"]
    assert await notes(store) == 0


async def test_what_a_killed_server_left_is_read_from_the_log(store: EventStore) -> None:
    log = Log().start(*X_WINS)
    server = Server(store)
    await server.play(log)
    await server.finish()
    await server.play(log.end().start(4), after=9, tells=False)  # it is killed then
    if isinstance(store, MemoryStore):
        return  # the logs are gone, too
    assert await notes(store) == 1
    second = Server(store)
    await second.reader.read_left(0)
    assert [(row["game"], row["state"]) for row in await games_of(store, "p1")] == [
        (2, "turn"),
        (1, "finished"),
    ]
    assert await notes(store) == 0


async def test_a_living_server_reads_its_own_rooms(store: EventStore) -> None:
    """Another one waits until a note is so old that its server must have died."""
    if isinstance(store, MemoryStore):
        return  # has no other servers
    server, other = Server(store), Server(store)
    server.now = time_ns() // 1_000_000
    await server.play(Log().start(4), tells=False)
    await other.reader.read_left(LEFT_MS)
    assert await notes(store) == 1
    assert await games_of(store, "p1") == []
    age = Statement("UPDATE unread SET at = at - CAST($1 AS BIGINT)", (LEFT_MS + 1,))
    await store.people.transact([age])
    await other.reader.read_left(LEFT_MS)
    assert [row["state"] for row in await games_of(store, "p2")] == ["turn"]
    assert await notes(store) == 0


async def test_a_note_that_is_renewed_meanwhile_stays(store: EventStore) -> None:
    if isinstance(store, MemoryStore):
        return  # keeps no notes
    server = Server(store)
    await server.play(log := Log().start(4))
    noted = server.feed.take_note(DEN)
    await server.play(log.play(0), after=5, tells=False)
    await server.reader._keep((), ((DEN, noted),))
    assert await notes(store) == 1


async def test_an_event_is_noted_again_after_a_while(store: EventStore) -> None:
    server = Server(store)
    server.feed.begin(DEN, server.now)
    first = server.feed._noted[DEN]
    server.now += NOTE_AGAIN_MS
    server.feed.begin(DEN, server.now)
    assert server.feed._noted[DEN] == first
    server.now += 1
    server.feed.begin(DEN, server.now)
    assert server.feed._noted[DEN] > first


async def test_all_is_rebuilt_from_the_logs(store: EventStore) -> None:
    server = Server(store)
    await server.play(Log().start(*X_WINS).end().start(4))
    await server.finish()
    expected = await games_of(store, "p1")
    await store.people.transact([Statement("UPDATE games SET stage = 0, facts = $1", ("{}",))])
    assert await server.reader.read_all() == 2
    assert await games_of(store, "p1") == expected


async def test_games_go_with_their_log(store: EventStore) -> None:
    server = Server(store)
    await server.play(Log().start(*X_WINS).end().start(4))
    await server.finish()
    assert len(await games_of(store, "p1")) == 2
    server.feed.begin(DEN, server.now)
    await store.delete(DEN)
    assert await games_of(store, "p1") == []
    assert await notes(store) == 0


async def test_games_go_with_old_events(store: EventStore) -> None:
    log = Log().start(*X_WINS).end()
    room = log.steps()[-1][1]
    await append(store, DEN, tuple(log.events), Snapshot.of(room))
    after = len(log.events)
    log = log.start(*X_WINS).end()
    second = log.steps()[-1][1]
    await append(store, DEN, tuple(log.events[after:]), Snapshot.of(second))
    await write(store, await read_games(store, DEN))
    assert [row["game"] for row in await games_of(store, "p1")] == [2, 1]
    if isinstance(store, SqliteStore):
        await store._perform(EventTables.settle, EventTables.settle)
    assert await store.trim(DEN, 1)
    assert [row["game"] for row in await games_of(store, "p1")] == [2]
    (game,) = await read_games(store, DEN)
    assert game.game.number == 2


async def test_the_reader_runs_on_after_a_failure(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GATHER_S", "_AGAIN_S", "QUIET_S"):
        monkeypatch.setattr(log_reader, name, 0.01)
    if isinstance(store, MemoryStore):
        return  # has no notes to read on from
    server = Server(store)
    transact, failures = store.people.transact, iter([True, True])

    async def failing(statements: Sequence[Statement]) -> Any:
        if len(statements) > 1 and next(failures, False):
            raise StorageFailed("out of order")
        return await transact(statements)

    monkeypatch.setattr(store.people, "transact", failing)
    written = asyncio.Event()
    server.reader.call_when_written(lambda game: written.set() if game.is_over else None)
    running = asyncio.create_task(server.reader.run())
    await server.play(Log().start(*X_WINS).end())
    await asyncio.wait_for(written.wait(), 10)
    running.cancel()
    assert [row["result"] for row in await games_of(store, "p1")] == ["won"]


async def test_rooms_beyond_the_queue_are_read_from_their_logs(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_reader, "_MOST_WAITING", 0)
    server = Server(store)
    await server.play(Log().start(4))
    server.feed.tell_moves()
    assert server.reader.dropped == 5
    await server.finish()
    assert await games_of(store, "p1") == []
    if not isinstance(store, MemoryStore):
        await server.reader.read_left(0)
        assert len(await games_of(store, "p1")) == 1


def test_keys_are_the_same_for_any_case_and_spaces() -> None:
    assert index.key_of("  ANN  Lee ") == index.key_of("ann lee")
