from collections.abc import AsyncIterator

import pytest

from tests.server.examples import (
    ADA,
    BOB,
    EVE,
    NAME,
    NOW,
    X,
    against_ai,
    decided,
    duel,
    founded,
    seated,
)
from tests.server.fakes import ImmediateBroadcaster, RecordingListener
from ttt_protocol.codes import CloseCode
from ttt_protocol.commands import Play
from ttt_protocol.state import SessionId, Token
from ttt_server import SERVER
from ttt_server.core.events import encode_log
from ttt_server.core.evolve import evolve_all
from ttt_server.core.room import Room
from ttt_server.rooms import live_room
from ttt_server.rooms.live_room import LiveRoom, Member


@pytest.fixture
async def den() -> AsyncIterator[LiveRoom]:
    den = LiveRoom(NAME, lambda: NOW, ImmediateBroadcaster())
    den.room = duel()
    yield den
    den.close()


def enter(
    den: LiveRoom, session: SessionId | None = None, name: str = "guest"
) -> RecordingListener:
    return entered(den, session, name)[0]


def entered(
    den: LiveRoom, session: SessionId | None = None, name: str = "guest"
) -> tuple[RecordingListener, Member]:
    ear = RecordingListener()
    member = Member(ear, den, name, session)
    den.enter(member)
    return ear, member


def presence(x: bool, o: bool, spectators: int) -> dict[str, object]:
    return {"type": "presence", "seats": {"X": x, "O": o}, "spectators": spectators}


async def test_a_welcome_tells_who_one_is(den: LiveRoom) -> None:
    ear, member = entered(den, ADA, "someone")
    den.welcome(member, Token("secret"))
    told, came = ear.messages
    assert told["protocol"] == "ttt.v1"
    assert told["server"] == SERVER
    assert told["you"] == {
        "id": ADA,
        "role": "player",
        "seat": "X",
        "name": "ada",
        "token": "secret",
    }
    assert told["room"]["seats"]["X"]["connected"]
    assert not told["room"]["seats"]["O"]["connected"]
    assert came == presence(x=True, o=False, spectators=0)


async def test_a_welcome_and_who_is_here_are_one_write(den: LiveRoom) -> None:
    ada, bob = enter(den, ADA), RecordingListener()
    member, posts = Member(bob, den, "bob", BOB), []
    den.enter(member)
    bob.on_post = lambda: posts.append(len(bob.payloads))
    den.welcome(member, None)
    assert posts == [0]
    assert [message["type"] for message in bob.messages] == ["welcome", "presence"]
    assert ada.messages == [presence(x=True, o=True, spectators=0)]
    den.welcome(member, None)
    assert posts == [0, 2]
    assert bob.messages[2:] == bob.of("welcome")[1:], "it is told later, to all"
    assert len(ada.messages) == 1
    assert den.awaits("presence")


async def test_a_spectator_has_no_seat(den: LiveRoom) -> None:
    ear, member = entered(den)
    den.welcome(member, None)
    assert ear.messages[0]["you"] == {
        "id": None,
        "role": "spectator",
        "seat": None,
        "name": "guest",
        "token": None,
    }
    assert ear.messages[0]["room"]["spectators"] == 1


async def test_an_update_is_the_same_bytes_for_all(den: LiveRoom) -> None:
    ears = [enter(den, ADA), enter(den, BOB), enter(den), enter(den)]
    events = decided(den.room, ADA, Play(game=1, ply=0, cell=4))
    den.room = evolve_all(den.room, events)
    den.publish(encode_log(events))
    (frame,) = ears[0].states
    assert all(ear.states[0] is frame for ear in ears)
    (update,) = ears[0].of("update")
    assert update["events"] == [
        {
            "type": "played",
            "seq": 5,
            "at": NOW,
            "game": 1,
            "ply": 0,
            "seat": "X",
            "cell": 4,
        }
    ]
    assert update["room"]["seq"] == 5


async def test_who_knows_it_already_is_not_told(den: LiveRoom) -> None:
    ear, member = entered(den, ADA)
    other = enter(den)
    den.publish((), besides=member)
    assert not ear.states
    assert len(other.states) == 1


async def test_who_waits_for_it_is_told_first(den: LiveRoom) -> None:
    told: list[str] = []

    def join_room(name: str, session: SessionId | None) -> Member:
        ear, member = entered(den, session, name)
        ear.on_post = lambda: told.append(name)
        return member

    ada, bob, eve = join_room("ada", ADA), join_room("bob", BOB), join_room("eve", None)
    for first in (ada, bob, eve, bob, None):
        den.publish((), first)
    assert told[:6] == ["ada", "bob", "eve", "bob", "ada", "eve"]
    assert told[6:] == ["eve", "ada", "bob", "bob", "ada", "eve", "ada", "bob", "eve"]
    told.clear()
    den.exit(bob)
    den.publish((), bob)
    den.publish((), eve)
    assert told == ["ada", "eve", "eve", "ada"], "nobody hears of it who has gone"


async def test_a_crowd_does_not_wait_for_the_end_of_the_round(den: LiveRoom) -> None:
    ada = enter(den, ADA)
    watchers = [enter(den) for _ in range(8)]
    writes = den._writes
    assert isinstance(writes, ImmediateBroadcaster)
    den.publish(())
    assert writes.soon == 1
    enter(den)
    den.publish(())
    assert writes.soon == 1
    assert {len(ear.states) for ear in (ada, *watchers)} == {2}


async def test_what_is_said_is_heard_by_all(den: LiveRoom) -> None:
    ear, member = entered(den)
    other = enter(den, ADA)
    den.say(member, "hello")
    told = {"type": "said", "name": "guest", "role": "spectator", "text": "hello"}
    assert ear.of("said") == other.of("said") == [told]
    assert not ear.states, "it is not to be skipped for a newer one"


async def test_too_much_for_so_many_is_not_said(
    den: LiveRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_room, "_SAID_AT_ONCE", 10)
    ear, member = entered(den)
    others = [enter(den) for _ in range(4)]
    assert den.say(member, "one")
    assert den.say(member, "two")
    assert not den.say(member, "three")
    assert {len(each.of("said")) for each in (ear, *others)} == {2}


async def test_in_a_crowd_one_thing_can_be_said(
    den: LiveRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_room, "_SAID_AT_ONCE", 3)
    _, member = entered(den)
    for _ in range(9):
        enter(den)
    assert den.say(member, "one")
    assert not den.say(member, "two")


async def test_those_who_have_no_seat_are_forgotten(den: LiveRoom) -> None:
    _, ada = entered(den, ADA)
    _, eve = entered(den, EVE)
    for member in (ada, eve):
        den.exit(member)
    assert set(den._gone_at) == {ADA}
    den.room = founded()
    _, other = entered(den, EVE)
    den.exit(other)
    assert not den._gone_at


async def test_what_is_shown_is_for_one(den: LiveRoom) -> None:
    ear, member = entered(den, ADA)
    other = enter(den, BOB)
    den.show(member)
    assert [update["events"] for update in ear.of("update")] == [[]]
    assert not other.of("update")


async def test_the_newest_connection_of_a_session_wins(den: LiveRoom) -> None:
    old, gone = entered(den, ADA)
    new = enter(den, ADA)
    assert old.dismissed is CloseCode.SEAT_TAKEN_OVER
    assert not den.exit(gone)
    assert den.state.seats[X] is not None
    assert new.dismissed is None
    assert not den.is_empty
    den.tell_presence()
    assert new.of("presence")
    assert not old.payloads


async def test_presence_is_told_at_once_and_then_at_its_pace(den: LiveRoom) -> None:
    ear = enter(den, ADA)
    den.tell_presence()
    assert ear.messages == [presence(x=True, o=False, spectators=0)]
    for _ in range(8):
        enter(den)
        den.tell_presence()
    enter(den, BOB)
    den.tell_presence()
    timer = den._timers["presence"]
    assert timer.when() == pytest.approx(den._told_presence_at + 0.5), "many changes become one"
    timer.cancel()
    den._tell_presence()
    assert ear.of("presence")[1:] == [presence(x=True, o=True, spectators=8)]


async def test_every_change_is_told_in_the_end(
    den: LiveRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_room, "PRESENCE_INTERVAL_S", 0.001)
    ear = enter(den, ADA)
    den.tell_presence()
    _, bob = entered(den, BOB)
    den.tell_presence()
    assert (await ear.hears("presence", 2))[1] == presence(x=True, o=True, spectators=0)
    den.exit(bob)
    den.tell_presence()
    assert (await ear.hears("presence", 3))[2] == presence(x=True, o=False, spectators=0)


async def test_closing_ends_the_timer(den: LiveRoom) -> None:
    enter(den)
    for _ in range(2):
        den.tell_presence()
    timer = den._timers["presence"]
    den.close()
    assert timer.cancelled()
    assert not den._timers


async def test_a_room_with_nobody_in_it(den: LiveRoom) -> None:
    assert den.is_empty
    _, spectator = entered(den)
    _, player = entered(den, ADA)
    assert set(den.members) == {spectator, player}
    assert den.exit(spectator)
    assert not den.is_empty
    for _ in range(2):
        den.tell_presence()
    assert den.exit(player)
    assert not den.exit(player)
    den.tell_presence()
    assert den.is_empty
    assert not den.awaits("presence"), "nobody is to be told"
    den.publish(())


@pytest.mark.parametrize(
    ("room", "here"),
    [
        (against_ai(), (True, True)),
        (against_ai(ai=X), (True, True)),
        (seated(founded(), BOB), (False, False)),
        (seated(seated(founded(), BOB), ADA), (False, True)),
        (duel(), (True, False)),
    ],
)
async def test_who_is_here(den: LiveRoom, room: Room, here: tuple[bool, bool]) -> None:
    den.room = room
    enter(den, ADA)
    assert here == (den._here.X, den._here.O)


async def test_whoever_left_is_not_told() -> None:
    den = LiveRoom(NAME, lambda: NOW, ImmediateBroadcaster())
    gone, member = entered(den)
    stays = enter(den)
    den.exit(member)
    den.tell_presence()
    assert stays.of("presence")
    assert not gone.payloads
