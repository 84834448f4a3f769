"""A room in memory: its value beside the log, and its timers."""

from collections.abc import AsyncIterator

import pytest

from tests.server.examples import ADA, NAME, NOW, against_ai, duel, founded, moved
from tests.server.fakes import RecordingListener
from ttt_protocol.state import ClockSetting
from ttt_server.core.room import Room
from ttt_server.rooms.live_room import LiveRoom, Member

MINUTE = ClockSetting(initial_s=60)


class Now:
    """The Unix time in ms."""

    def __init__(self) -> None:
        self.ms = NOW

    def __call__(self) -> int:
        return self.ms


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
async def den(now: Now) -> AsyncIterator[LiveRoom]:
    den = LiveRoom(Room(NAME), now)
    yield den
    den.timers.close()


async def test_nothing_is_known_of_a_new_room(den: LiveRoom) -> None:
    assert den.is_stale
    assert den.room == Room(NAME)
    assert den.is_deserted
    assert den.is_void


async def test_a_write_that_is_under_way_makes_it_stale(den: LiveRoom) -> None:
    den.follow(duel())
    assert not den.is_stale
    den.begin_write()
    assert den.is_stale
    assert den.room == duel()
    den.advance(duel(4))
    assert den.room == duel(4)
    assert not den.is_stale


async def test_a_clock_that_is_set_during_a_write(den: LiveRoom) -> None:
    den.follow(duel(clock=MINUTE))
    den.begin_write()
    den.shift(9000)
    assert den.room.flag_falls_at == NOW + 69_000
    den.advance(duel(4, clock=MINUTE))
    assert den.room.flag_falls_at == NOW + 69_000, "O's, as of the same time"
    den.shift(1000)
    den.advance(moved(duel(4, clock=MINUTE), 0))
    assert den.room.flag_falls_at == NOW + 70_000
    den.begin_write()
    den.advance(duel(clock=MINUTE))
    assert den.room.flag_falls_at == NOW + 60_000, "it was set before"


async def test_a_room_that_is_deleted(den: LiveRoom) -> None:
    den.follow(duel(4))
    den.reset()
    assert den.room == Room(NAME)


async def test_what_the_side_to_move_has_left(den: LiveRoom, now: Now) -> None:
    den.follow(duel())
    assert den.left_to_move_s is None
    den.follow(duel(clock=MINUTE))
    now.ms += 1000
    assert den.left_to_move_s == 59
    now.ms += 10**6
    assert den.left_to_move_s == 0


@pytest.mark.parametrize(
    ("room", "is_left"),
    [
        (founded(), False),
        (duel(), True),
        (duel(0, 3, 1, 4, 2), False),
        (against_ai(), True),
        (against_ai(4), False),
    ],
    ids=["waiting", "playing", "finished", "the human to move", "the AI to move"],
)
async def test_a_game_that_all_have_left(den: LiveRoom, room: Room, is_left: bool) -> None:
    den.follow(room)
    assert den.is_left == is_left
    den.members.enter(Member(RecordingListener(), den, "eve"))
    assert not den.is_left


async def test_since_when_it_was_left(den: LiveRoom) -> None:
    den.follow(duel())
    assert den.left_at == NOW, "since it changed"
    member = Member(RecordingListener(), den, "eve")
    den.members.enter(member)
    den.members.exit(member, den.room, NOW + 2000)
    assert den.left_at == NOW + 2000


async def test_a_void_room(den: LiveRoom) -> None:
    den.follow(founded())
    assert den.is_void
    den.members.enter(Member(RecordingListener(), den, "eve"))
    assert not den.is_void
    den.follow(duel())
    assert not den.is_void


async def test_the_state_is_as_of_now(den: LiveRoom, now: Now) -> None:
    den.follow(duel(clock=MINUTE))
    den.members.enter(Member(RecordingListener(), den, "ada", ADA))
    now.ms += 1000
    state = den.state
    assert state.game is not None
    assert state.game.clock is not None
    assert state.game.clock.X == 59_000
    assert state.seats.X is not None
    assert state.seats.X.connected
    assert den.encode().startswith(b'{"name":')
