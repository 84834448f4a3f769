"""The games of persons, as they follow from the events of their rooms."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from time import perf_counter, time_ns
from typing import Any

import pytest

from tests.server.fakes import RecordingListener
from tests.server.storage.appends import append
from ttt_protocol.codec import encode_log
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
from ttt_server.core.room import Room, Seats
from ttt_server.people import games as index
from ttt_server.people import log_reader
from ttt_server.people.games import Cursor, GameIndex, GamesWish, listed, page
from ttt_server.people.log_reader import LEFT_MS, LogReader, SeenGames, read_games
from ttt_server.rooms.event_log import Feed, go_on
from ttt_server.rooms.live_room import LiveRoom, Member
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


async def notes(store: EventStore) -> list[int]:
    (rows,) = await store.people.transact([Statement("SELECT at FROM unread")])
    return [int(at or 0) for (at,) in rows]


class Server:
    """What a server does with a log: it notes the room, keeps the events, and tells."""

    def __init__(
        self,
        store: EventStore,
        name: RoomName = DEN,
        *,
        is_alone: bool = True,
    ) -> None:
        self.now = 1_000_000
        self.store = store
        self.feed = Feed(store)
        self.reader = LogReader(store, (GameIndex(),), self.feed, is_alone=is_alone)
        self.live = LiveRoom(Room(name), lambda: self.now)
        for session in (SessionId("s1"), SessionId("s2")):
            self.live.members.enter(Member(RecordingListener(), self.live, "", session))
        self.told: list[tuple[int, int]] = []
        self.feed.subscribe(lambda before, after, _: self.told.append((before.seq, after.seq)))

    async def play(self, log: Log, after: int = 0, *, tells: bool = True) -> None:
        """Do as `rooms.change` does. Not `tells`: it is killed before."""
        name, live = self.live.room.name, self.live
        for (before, room), event in list(zip(log.steps(name), log.events, strict=True))[after:]:
            lines = encode_log((event,))
            is_told = not (live.is_followed and go_on(lines))
            if is_told:
                self.feed.begin(live, self.now)
            live.begin_write()
            await append(self.store, name, (event,))
            if tells:
                live.advance(room)
            if tells and is_told:
                self.feed.kept(before, room, lines)
                self.feed.follow(live)


async def test_moves_of_those_who_are_there_are_not_told(store: EventStore) -> None:
    server = Server(store)
    await server.play(log := Log().start(0, 1, 2))
    begun = [(seq, seq + 1) for seq in range(len(log.events) - 3)]
    assert server.told == begun
    assert server.live.room.seq == len(log.events)
    log.play(3, 4, 5, 6).end()
    await server.play(log, after=len(log.events) - 5)
    assert server.told == [*begun, (len(log.events) - 1, len(log.events))]


async def test_moves_are_told_while_somebody_is_away(store: EventStore) -> None:
    server = Server(store)
    await server.play(log := Log().start(0))
    (member, _) = server.live.members
    server.live.members.exit(member, server.live.room, server.now)
    server.feed.entered(server.live)
    await server.play(log.play(1, 2), after=5)
    assert server.told[-2:] == [(5, 6), (6, 7)]
    server.live.members.enter(member)
    server.feed.entered(server.live)
    await server.play(log.play(3, 4), after=7)
    assert server.told[-1] == (7, 8), "and then no more"


async def test_a_room_is_noted_once_until_the_note_is_taken(store: EventStore) -> None:
    if isinstance(store, MemoryStore):
        return  # keeps no notes
    server = Server(store)
    await server.play(log := Log().start(0, 1))
    (note,) = await notes(store)
    server.now += 60_000
    await server.play(log.play(2), after=6)
    assert await notes(store) == [note]
    assert server.feed.take_note(DEN) == note
    await server.play(log.play(3), after=7)
    (second,) = await notes(store)
    assert second > note


async def test_an_event_that_may_not_be_kept_is_noted_again(store: EventStore) -> None:
    server = Server(store)
    server.feed.begin(server.live, server.now)
    server.feed.begin(server.live, server.now)  # the first was not kept
    assert server.feed.take_note(DEN) == server.now + 1


async def test_a_list_has_the_last_move_at_once(store: EventStore) -> None:
    server = Server(store)
    await server.play(log := Log().start(4))
    await server.reader.catch_up("p2")
    assert [row["state"] for row in await games_of(store, "p2")] == ["turn"]
    await server.play(log.play(0), after=5)
    assert len(server.told) == 4, "of none of the moves"
    await server.reader.catch_up("p1")
    (row,) = await games_of(store, "p1")
    assert (row["state"], row["ply"]) == ("turn", 2)


async def test_a_list_has_what_is_played_at_another_server(store: EventStore) -> None:
    if isinstance(store, MemoryStore):
        return  # has no other servers
    server = Server(store, is_alone=False)
    other = Server(store, LAIR, is_alone=False)
    for each in (server, other):
        await each.play(Log().start(4))
        await each.reader.catch_up("p1")
    await server.play(Log().start(4, 0), after=5)
    await other.reader.catch_up("p1")
    found = {row["room"]: (row["state"], row["ply"]) for row in await games_of(store, "p1")}
    assert found == {"den": ("turn", 2), "lair": ("running", 1)}
    assert len(await notes(store)) == 2, "they go on"


async def test_a_forgotten_name_does_not_come_back(store: EventStore) -> None:
    server = Server(store)
    await server.play(log := Log().start(4))
    await server.reader.catch_up("p2")
    nobody = replace(ANN, name="somebody", person=None)
    room = log.steps()[-1][1]
    server.live.follow(room.replace(seats=Seats(nobody, BEN)))
    await server.play(log.play(0), after=5, tells=False)
    server.live.advance(evolve(server.live.room, log.events[-1]))
    await server.reader.catch_up("p2")
    assert [row["opponent"] for row in await games_of(store, "p2")] == [{"name": "somebody"}]


async def test_a_room_is_let_go_once_it_is_quiet(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_reader, "QUIET_S", 0.0)
    server = Server(store)
    await server.play(Log().start(4))
    server.live.begin_write()
    await server.reader._look()
    assert server.reader._followed, "an event is on its way"
    server.live.advance(server.live.room)
    await server.reader._look()
    assert not server.reader._followed
    assert not await notes(store)
    assert not server.live.is_followed
    assert [row["state"] for row in await games_of(store, "p1")] == ["running"]


async def test_a_living_server_renews_its_notes(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    if isinstance(store, MemoryStore):
        return  # keeps no notes
    monkeypatch.setattr(log_reader, "RENEW_S", 0.0)
    server = Server(store, is_alone=False)
    await server.play(log := Log().start(4))
    before = time_ns() // 1_000_000
    await server.reader._look()
    (note,) = await notes(store)
    assert note >= before
    assert server.feed.take_note(DEN) == note
    await server.play(log.play(0), after=5)
    await server.reader.finish()
    assert await notes(store) == []


async def test_what_is_kept_is_in_the_index_soon(store: EventStore) -> None:
    server = Server(store)
    await server.play(Log().start(*X_WINS).end())
    await server.reader.finish()
    assert [row["result"] for row in await games_of(store, "p2")] == ["lost"]
    assert await notes(store) == []


async def test_what_a_killed_server_left_is_read_from_the_log(store: EventStore) -> None:
    log = Log().start(*X_WINS)
    server = Server(store)
    await server.play(log)
    await server.reader.finish()
    await server.play(log.end().start(4), after=9, tells=False)  # it is killed then
    if isinstance(store, MemoryStore):
        return  # the logs are gone, too
    assert len(await notes(store)) == 1
    second = Server(store)
    await second.reader.read_left(0)
    assert [(row["game"], row["state"]) for row in await games_of(store, "p1")] == [
        (2, "turn"),
        (1, "finished"),
    ]
    assert await notes(store) == []


async def test_a_living_server_reads_its_own_rooms(store: EventStore) -> None:
    """Another one waits until a note is so old that its server must have died."""
    if isinstance(store, MemoryStore):
        return  # has no other servers
    server, other = Server(store, is_alone=False), Server(store, is_alone=False)
    server.now = time_ns() // 1_000_000
    await server.play(Log().start(4), tells=False)
    await other.reader.read_left(LEFT_MS)
    assert len(await notes(store)) == 1
    assert await games_of(store, "p1") == []
    age = Statement("UPDATE unread SET at = at - CAST($1 AS BIGINT)", (2 * LEFT_MS,))
    await store.people.transact([age])
    await other.reader.read_left(LEFT_MS)
    assert [row["state"] for row in await games_of(store, "p2")] == ["turn"]
    assert await notes(store) == []


async def test_a_note_that_is_renewed_meanwhile_stays(store: EventStore) -> None:
    if isinstance(store, MemoryStore):
        return  # keeps no notes
    server = Server(store)
    await server.play(log := Log().start(4))
    noted = server.feed.take_note(DEN)
    await server.play(log.play(0), after=5, tells=False)
    await server.reader._keep((), ((DEN, noted),))
    assert len(await notes(store)) == 1


async def test_all_is_rebuilt_from_the_logs(store: EventStore) -> None:
    server = Server(store)
    await server.play(Log().start(*X_WINS).end().start(4))
    await server.reader.finish()
    expected = await games_of(store, "p1")
    await store.people.transact([Statement("UPDATE games SET stage = 0, facts = $1", ("{}",))])
    assert await server.reader.read_all() == 2
    assert await games_of(store, "p1") == expected


async def test_games_go_with_their_log(store: EventStore) -> None:
    server = Server(store)
    await server.play(Log().start(*X_WINS).end().start(4))
    await server.reader.finish()
    assert len(await games_of(store, "p1")) == 2
    server.feed.begin(server.live, server.now)
    await store.delete(DEN)
    assert await games_of(store, "p1") == []
    assert await notes(store) == []


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
    assert server.reader.dropped == 5
    await server.reader.finish()
    assert await games_of(store, "p1") == []
    if not isinstance(store, MemoryStore):
        await server.reader.read_left(0)
        assert len(await games_of(store, "p1")) == 1


def test_keys_are_the_same_for_any_case_and_spaces() -> None:
    assert index.key_of("  ANN  Lee ") == index.key_of("ann lee")
