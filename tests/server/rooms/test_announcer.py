"""What members of a room and parts of the server are told, in which bytes and in which order."""

import asyncio
from collections.abc import AsyncIterator, Iterable

import pytest

from tests.server.examples import ADA, BOB, EVE, NAME, NOW, decided, duel
from tests.server.fakes import ImmediateBroadcaster, RecordingListener
from ttt_protocol.codec import encode_log
from ttt_protocol.commands import Play
from ttt_protocol.state import RoomName, SessionId, Token
from ttt_server.core.evolve import evolve_all
from ttt_server.core.room import Room
from ttt_server.rooms import announcer as announcer_module
from ttt_server.rooms import chat
from ttt_server.rooms.announcer import Announcer, Observers
from ttt_server.rooms.live_room import LiveRoom, Member, Recipient
from ttt_server.telemetry.build import SERVER


class CountingBroadcaster(ImmediateBroadcaster):
    """Counts what it is given."""

    def __init__(self) -> None:
        self.payloads: list[bytes] = []

    def add(
        self, listeners: Iterable[Recipient], payload: bytes, *, is_state: bool = False
    ) -> None:
        self.payloads.append(payload)
        super().add(listeners, payload, is_state=is_state)


@pytest.fixture
async def den() -> AsyncIterator[LiveRoom]:
    den = LiveRoom(Room(NAME), lambda: NOW)
    den.follow(duel())
    yield den
    den.timers.close()


@pytest.fixture
def broadcaster() -> CountingBroadcaster:
    return CountingBroadcaster()


@pytest.fixture
async def announcer(broadcaster: CountingBroadcaster) -> Announcer:
    return Announcer(broadcaster)


def enter(
    den: LiveRoom, session: SessionId | None = None, name: str = "guest"
) -> RecordingListener:
    return entered(den, session, name)[0]


def entered(
    den: LiveRoom, session: SessionId | None = None, name: str = "guest"
) -> tuple[RecordingListener, Member]:
    ear = RecordingListener()
    watcher = EVE if session is None else None
    member = Member(ear, den, name, session, watcher)
    den.members.enter(member)
    return ear, member


def presence(x: bool, o: bool, spectators: int) -> dict[str, object]:
    return {"type": "presence", "seats": {"X": x, "O": o}, "spectators": spectators}


async def test_a_welcome_tells_a_member_who_it_is(den: LiveRoom, announcer: Announcer) -> None:
    ear, member = entered(den, ADA, "ada")
    announcer.welcome(member, Token("secret"))
    told, came = ear.messages
    assert told["protocol"] == "ttt.v1"
    assert told["server"] == SERVER
    assert told["you"] == {
        "id": ADA,
        "role": "player",
        "seat": "X",
        "name": "ada",
        "token": "secret",
        "from": ADA,
        "host": True,
    }
    assert told["at"] == NOW
    assert told["room"]["seats"]["X"]["connected"]
    assert not told["room"]["seats"]["O"]["connected"]
    assert came == presence(x=True, o=False, spectators=0)


async def test_after_a_welcome_all_are_told_who_is_here(
    den: LiveRoom, announcer: Announcer
) -> None:
    ada = enter(den, ADA)
    bob, member = entered(den, BOB, "bob")
    announcer.welcome(member, Token("secret"))
    assert [message["type"] for message in bob.messages] == ["welcome", "presence"]
    assert ada.messages == [presence(x=True, o=True, spectators=0)]
    announcer.welcome(member, Token("secret"))
    assert bob.messages[2:] == bob.of("welcome")[1:], "it is told later, to all"
    assert len(ada.messages) == 1
    assert "presence" in den.timers


async def test_a_spectator_has_no_seat(den: LiveRoom, announcer: Announcer) -> None:
    ear, member = entered(den)
    announcer.welcome(member, Token("secret"))
    assert ear.messages[0]["you"] == {
        "id": None,
        "role": "spectator",
        "seat": None,
        "name": "guest",
        "token": None,
        "from": EVE,
        "watch": "secret",
    }
    assert ear.messages[0]["room"]["spectators"] == 1


async def test_a_welcome_and_who_is_here_are_one_write(
    den: LiveRoom, announcer: Announcer, broadcaster: CountingBroadcaster
) -> None:
    writes: list[None] = []
    ear, member = entered(den, ADA)
    ear.on_send = lambda: writes.append(None)
    announcer.welcome(member, Token("secret"))
    assert [message["type"] for message in ear.messages] == ["welcome", "presence"]
    assert len(writes) == 1
    assert not broadcaster.payloads, "no one else is here"


async def test_an_update_is_the_same_bytes_for_all(
    den: LiveRoom, announcer: Announcer, broadcaster: CountingBroadcaster
) -> None:
    ears = [enter(den, ADA), enter(den, BOB), *(enter(den) for _ in range(20))]
    events = decided(den.room, ADA, Play(game=1, ply=0, cell=4))
    den.follow(evolve_all(den.room, events))
    announcer.update(den, encode_log(events))
    (payload,) = broadcaster.payloads
    assert all(ear.states == [payload] for ear in ears)
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


async def test_a_member_that_knows_it_already_is_not_told(
    den: LiveRoom, announcer: Announcer
) -> None:
    ear, member = entered(den, ADA)
    other = enter(den)
    announcer.update(den, (), besides=member)
    assert not ear.states
    assert len(other.states) == 1


async def test_a_welcome_has_the_state_that_the_others_were_told(
    den: LiveRoom, announcer: Announcer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert announcer.update(den, ()) is None, "nobody was told"
    ear, member = entered(den, ADA)
    other = enter(den)
    told = announcer.update(den, (), besides=member)
    assert told == den.encode()
    monkeypatch.setattr(LiveRoom, "encode", lambda _: b"it was encoded again")
    announcer.welcome(member, Token("secret"), told)
    assert told in ear.payloads[0]
    assert told in other.payloads[0]


async def test_a_member_that_waits_for_it_is_told_first(
    den: LiveRoom, announcer: Announcer
) -> None:
    told: list[str] = []

    def join_room(name: str, session: SessionId | None) -> Member:
        ear, member = entered(den, session, name)
        ear.on_send = lambda: told.append(name)
        return member

    ada, bob, eve = join_room("ada", ADA), join_room("bob", BOB), join_room("eve", None)
    for first in (ada, bob, eve, bob, None):
        announcer.update(den, (), first=first)
    assert told[:6] == ["ada", "bob", "eve", "bob", "ada", "eve"]
    assert told[6:] == ["eve", "ada", "bob", "bob", "ada", "eve", "ada", "bob", "eve"]
    told.clear()
    den.members.exit(bob, den.room, NOW)
    announcer.update(den, (), first=bob)
    announcer.update(den, (), first=eve)
    assert told == ["ada", "eve", "eve", "ada"], "a member that has gone hears nothing"


async def test_in_an_empty_room_nothing_is_encoded(
    den: LiveRoom, announcer: Announcer, broadcaster: CountingBroadcaster
) -> None:
    announcer.update(den, ())
    announcer.presence(den)
    assert not broadcaster.payloads


async def test_what_is_said_is_heard_by_all(den: LiveRoom, announcer: Announcer) -> None:
    ear, member = entered(den)
    other = enter(den, ADA)
    announcer.say(member, "hello")
    told: dict[str, object] = {"type": "said", "name": "guest", "role": "spectator"}
    told |= {"text": "hello", "from": EVE, "at": NOW}
    assert ear.of("said") == other.of("said") == [told]
    assert not ear.states, "it is not to be skipped for a newer one"


async def test_too_much_for_many_recipients_is_not_said(
    den: LiveRoom, announcer: Announcer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat, "_SAID_AT_ONCE", 10)
    loop = asyncio.get_running_loop()
    now = loop.time()
    monkeypatch.setattr(loop, "time", lambda: now)  # no time passes in which more could be said
    ear, member = entered(den)
    others = [enter(den) for _ in range(4)]
    assert announcer.say(member, "one")
    assert announcer.say(member, "two")
    assert not announcer.say(member, "three")
    assert {len(each.of("said")) for each in (ear, *others)} == {2}


async def test_in_a_crowd_one_thing_can_be_said(
    den: LiveRoom, announcer: Announcer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat, "_SAID_AT_ONCE", 3)
    loop = asyncio.get_running_loop()
    now = loop.time()
    monkeypatch.setattr(loop, "time", lambda: now)  # no time passes in which more could be said
    _, member = entered(den)
    for _ in range(9):
        enter(den)
    assert announcer.say(member, "one")
    assert not announcer.say(member, "two")


async def test_what_is_repeated_is_for_one(den: LiveRoom, announcer: Announcer) -> None:
    ear, member = entered(den, ADA)
    other = enter(den, BOB)
    announcer.repeat(member)
    assert [update["events"] for update in ear.of("update")] == [[]]
    assert len(ear.states) == 1
    assert not other.of("update")


async def test_presence_is_told_at_once_and_then_at_its_pace(
    den: LiveRoom, announcer: Announcer
) -> None:
    ear = enter(den, ADA)
    announcer.presence(den)
    assert ear.messages == [presence(x=True, o=False, spectators=0)]
    for _ in range(8):
        enter(den)
        announcer.presence(den)
    enter(den, BOB)
    announcer.presence(den)
    timer = den.timers._handles["presence"]
    assert timer.when() == pytest.approx(den.presence_at + 0.5), "many changes become one"
    timer.cancel()
    announcer._tell_presence(den)
    assert ear.of("presence")[1:] == [presence(x=True, o=True, spectators=8)]


async def test_every_change_is_told_in_the_end(
    den: LiveRoom, announcer: Announcer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(announcer_module, "PRESENCE_INTERVAL_S", 0.001)
    ear = enter(den, ADA)
    announcer.presence(den)
    _, bob = entered(den, BOB)
    announcer.presence(den)
    assert (await ear.hears("presence", 2))[1] == presence(x=True, o=True, spectators=0)
    den.members.exit(bob, den.room, NOW)
    announcer.presence(den)
    assert (await ear.hears("presence", 3))[2] == presence(x=True, o=False, spectators=0)


async def test_an_empty_room_waits_for_no_presence(den: LiveRoom, announcer: Announcer) -> None:
    _, ada = entered(den, ADA)
    for _ in range(2):
        announcer.presence(den)
    assert "presence" in den.timers
    den.members.exit(ada, den.room, NOW)
    announcer.presence(den)
    assert "presence" not in den.timers, "no one is to be told"


async def test_a_member_that_left_is_not_told(announcer: Announcer) -> None:
    den = LiveRoom(Room(NAME), lambda: NOW)
    gone, member = entered(den)
    stays = enter(den)
    den.members.exit(member, den.room, NOW)
    announcer.presence(den)
    assert stays.of("presence")
    assert not gone.payloads


async def test_subscribers_hear_of_all_rooms_and_observers_of_one() -> None:
    observers = Observers()
    told: list[RoomName] = []
    observed: list[LiveRoom] = []
    observers.subscribe(told.append)
    observers.observe(NAME, observed.append)
    den, lair = (LiveRoom(Room(name), lambda: NOW) for name in (NAME, RoomName("lair")))
    for live in (den, lair):
        observers.changed(live)
        observers.entered(live)
    assert told == [NAME, NAME, "lair", "lair"]
    assert observed == [den], "who comes or goes changes no room"
    assert observers.is_observed(NAME)
    observers.ignore(NAME)
    observers.ignore(NAME)
    observers.changed(den)
    assert observed == [den]
    assert not observers.is_observed(NAME)


async def test_the_end_of_a_game() -> None:
    observers = Observers()
    ended: list[LiveRoom] = []
    observers.call_on_end(ended.append)
    den = LiveRoom(Room(NAME), lambda: NOW)
    observers.changed(den)
    assert not ended
    observers.ended(den)
    assert ended == [den]
