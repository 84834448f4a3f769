"""A seat taken at once: the same as the common way, without a task in between."""

import asyncio

import pytest

from tests.server.examples import NAME, NOW
from tests.server.fakes import FragileStore, RecordingListener, Time
from tests.server.hubs import AI_IN_O, Hubs, TestMember, join_room, refused, two_players
from ttt_protocol.codes import CloseCode
from ttt_protocol.commands import Join, Leave
from ttt_protocol.state import ClockSetting, GivenSettings, Mark, Role, RoomName, Token
from ttt_server.rooms import joining as arrivals
from ttt_server.rooms import live_room as live_module
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.live_room import LiveRoom, Member


class Coming:
    """Someone who says a `join` that takes the fast lane."""

    def __init__(
        self, hub: Hub, join: Join | None = None, *, room: str = NAME, address: str = "here"
    ) -> None:
        self.hub = hub
        self.ear = RecordingListener()
        self.member: Member | None = None
        self.joins_the_common_way = False
        self._has_ended = asyncio.Event()
        hub.arrivals.take_in(RoomName(room), join or Join(name="ada"), self.ear, address, self)

    def came_in(self, member: Member) -> None:
        self.member = member
        self._has_ended.set()

    def has_to_join(self) -> None:
        self.joins_the_common_way = True
        self._has_ended.set()

    async def is_in(self) -> bool:
        """Whether they came in, at the end."""
        await asyncio.wait_for(self._has_ended.wait(), 10)
        assert self.joins_the_common_way != (self.member is not None)
        return self.member is not None

    async def as_person(self) -> TestMember:
        assert await self.is_in()
        assert self.member is not None
        return TestMember(self.hub, self.member, self.ear)


async def test_two_who_come_are_kept_welcomed_and_told_of(hub: Hub, store: FragileStore) -> None:
    ada = await Coming(hub).as_person()
    bob = await Coming(hub, Join(name="bob")).as_person()
    assert store.appends == [("created", "seated"), ("seated", "started")]
    assert store.loads == 0
    assert (ada.you["seat"], bob.you["seat"]) == ("X", "O")
    assert ada.ear.kinds == ["seated", "started"]
    assert [message["type"] for message in bob.ear.messages] == ["welcome"]
    assert bob.ear.of("welcome")[0]["room"] == ada.ear.of("update")[0]["room"]
    await ada.plays(4)
    assert bob.ear.kinds == ["played"]


async def test_one_way_leaves_a_room_as_the_other_does(hubs: Hubs) -> None:
    time = Time(NOW)
    rooms = []
    for fast in (True, False):
        hub = hubs.open(time=time)
        for name in ("ada", "bob"):
            if fast:
                await Coming(hub, Join(name=name)).as_person()
            else:
                await join_room(hub, name)
        (live,) = hub.rooms
        assert (live.joining, live.opened_from, live.made_from) == (0, "here", "here")
        assert not live.is_stale
        assert not live.lock.locked()
        rooms.append(live.state.model_dump(exclude={"seats": {"X": {"id"}, "O": {"id"}}}))
    assert rooms[0] == rooms[1]


async def test_their_token_gives_them_their_seat_back(hub: Hub) -> None:
    ada = await Coming(hub, Join(name="ada", seat=Mark.O)).as_person()
    ada.exits()
    again = await join_room(hub, token=ada.token)
    assert again.you["seat"] == "O"
    assert again.you["id"] == ada.you["id"]


async def test_the_others_hear_of_the_step_before_they_hear_who_is_here(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_module, "PRESENCE_INTERVAL_S", 0)
    ada = await Coming(hub).as_person()
    await Coming(hub, Join(name="bob")).as_person()
    kinds = [message["type"] for message in ada.ear.messages]
    assert kinds == ["welcome", "presence", "update", "presence"]


async def test_a_room_is_of_those_who_opened_and_made_it(hub: Hub) -> None:
    assert await Coming(hub).is_in()
    assert await Coming(hub, Join(name="bob"), address="there").is_in()
    (live,) = hub.rooms
    assert (live.opened_from, live.made_from) == ("here", "here")


async def test_nobody_is_welcome_before_it_is_kept(hub: Hub, store: FragileStore) -> None:
    store.gate.clear()
    ada = Coming(hub)
    await store.next_write()
    (live,) = hub.rooms
    assert not ada.ear.messages
    assert live.joining == 1
    assert not live.room.seq
    store.gate.set()
    assert await ada.is_in()
    assert ada.ear.of("welcome")


async def test_of_many_who_come_at_once_two_take_the_seats(hub: Hub, store: FragileStore) -> None:
    coming = [Coming(hub, Join(name=name)) for name in ("ada", "bob", "eve")]
    assert [await each.is_in() for each in coming] == [True, True, False]
    assert store.appends == [("created", "seated"), ("seated", "started")], "one after the other"
    (live,) = hub.rooms
    assert live.joining == 0
    assert live.room.game is not None
    assert await refused(join_room(hub, "eve")) == "room_full"


async def test_a_room_with_settings_of_its_own(hub: Hub) -> None:
    await join_room(hub, settings=GivenSettings(clock=ClockSetting(initial_s=60)))
    bob = await Coming(hub, Join(name="bob")).as_person()
    assert bob.ear.of("welcome")[0]["room"]["game"]["clock"]["running"] == "X"
    assert bob.member.live.awaits("flag")


async def test_a_room_in_which_hints_are_given_is_expected_to_ask(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected: list[object] = []
    monkeypatch.setattr(hub._runner, "expect_to_evaluate", expected.append)
    await join_room(hub, settings=GivenSettings(hints=True))
    assert await Coming(hub, Join(name="bob")).is_in()
    assert len(expected) == 2


async def test_an_ai_that_is_to_move_does(hub: Hub) -> None:
    ada = await join_room(hub, settings=AI_IN_O.model_copy(update={"pace_s": 0}))
    await ada.says(Leave())
    ada.exits()
    bob = await Coming(hub, Join(name="bob", seat=Mark.X)).as_person()
    await bob.plays(4)
    await bob.ear.learns("played", 2)


@pytest.mark.parametrize(
    "join",
    [
        Join(name="eve", role=Role.SPECTATOR),
        Join(name="eve", token=Token("forged")),
        Join(name="eve", password="swordfish"),
        Join(name="eve", settings=GivenSettings()),
    ],
    ids=["a spectator", "a token", "a password", "settings"],
)
async def test_whoever_asks_for_more_than_a_seat(hub: Hub, join: Join) -> None:
    assert not await Coming(hub, join).is_in()
    assert not hub.rooms


@pytest.mark.parametrize(
    ("room", "join"),
    [
        (GivenSettings(password="swordfish"), Join(name="bob")),
        (AI_IN_O, Join(name="bob")),
        (GivenSettings(), Join(name="bob", seat=Mark.X)),
    ],
    ids=["a password", "a full room", "a seat that is taken"],
)
async def test_whoever_may_not_have_the_seat(
    hub: Hub, store: FragileStore, room: GivenSettings, join: Join
) -> None:
    await join_room(hub, settings=room)
    writes = len(store.appends)
    bob = Coming(hub, join)
    assert not await bob.is_in()
    assert not bob.ear.messages
    (live,) = hub.rooms
    assert not live.joining
    assert len(live.listeners) == 1
    assert len(store.appends) == writes


async def test_a_room_of_which_only_the_log_knows(
    hubs: Hubs, hub: Hub, store: FragileStore
) -> None:
    await two_players(hub)
    restarted = hubs.open(store)
    bob = Coming(restarted)
    assert not await bob.is_in()
    assert not bob.ear.messages
    assert await refused(join_room(restarted)) == "room_full"
    (live,) = restarted.rooms
    assert not live.made_from, "it was made by others"


async def test_a_log_that_may_be_ahead_is_read_first(hub: Hub) -> None:
    ada = await join_room(hub)
    ada.member.live.is_stale = True
    assert not await Coming(hub, Join(name="bob")).is_in()


@pytest.mark.parametrize("by", [3_600_000, -3_600_000])
async def test_a_clock_that_was_set_is_nobodys_loss(hubs: Hubs, by: int) -> None:
    time = Time(NOW)
    hub = hubs.open(time=time)
    ada, bob = await two_players(hub, settings=GivenSettings(clock=ClockSetting(initial_s=60)))
    await bob.says(Leave())
    time.jumps(by)
    eve = await Coming(hub, Join(name="eve")).as_person()
    assert eve.ear.of("welcome")[0]["room"]["game"]["clock"]["X"] == 60_000
    assert ada.member.live.left_to_move_s == 60


@pytest.mark.parametrize("by", [3_600_000, -3_600_000])
async def test_a_clock_that_was_set_while_the_first_game_was_written(
    hubs: Hubs, store: FragileStore, by: int
) -> None:
    time = Time(NOW)
    hub = hubs.open(store, time=time)
    ada = await join_room(hub, settings=GivenSettings(clock=ClockSetting(initial_s=60)))
    store.hold()
    bob = Coming(hub, Join(name="bob"))
    await store.next_write()
    time.jumps(by)
    assert hub._rooms.now() == NOW + by, "somebody looks at it"
    store.gate.set()
    told = (await bob.as_person()).ear.of("welcome")[0]["room"]["game"]["clock"]
    assert (told["X"], told["O"]) == (60_000, 60_000)
    assert ada.member.live.left_to_move_s == 60


async def test_a_full_server(hubs: Hubs) -> None:
    hub = hubs.open(max_rooms=1)
    assert await Coming(hub).is_in()
    assert not await Coming(hub, room="lair").is_in()
    assert await Coming(hub).is_in()


async def test_too_many_rooms_of_an_address(hubs: Hubs) -> None:
    hub = hubs.open(max_rooms_per_address=1)
    assert await Coming(hub).is_in()
    assert not await Coming(hub, room="lair").is_in()
    assert await Coming(hub, room="lair", address="there").is_in()


async def test_where_it_cannot_be_kept_nobody_is_in(hub: Hub, store: FragileStore) -> None:
    store.failures = 1
    ada = Coming(hub)
    (live,) = hub.rooms
    assert not await ada.is_in()
    assert not ada.ear.messages
    assert not live.made_from
    assert not live.lock.locked()
    assert live.is_deserted
    again = await join_room(hub)
    assert again.you["seat"] == "X"


async def test_who_stands_in_the_line_comes_after_one_who_failed(
    hub: Hub, store: FragileStore
) -> None:
    store.failures = 1
    ada, bob = Coming(hub), Coming(hub, Join(name="bob"), address="there")
    assert not await ada.is_in()
    assert (await bob.as_person()).you["seat"] == "X"
    (live,) = hub.rooms
    assert live.made_from == "there"


def fault(*_: object, **__: object) -> None:
    raise RuntimeError


async def test_a_fault_before_anything_was_done(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(arrivals, "transition", fault)
        assert not await Coming(hub).is_in()
    assert [record.getMessage() for record in caplog.records] == ["room den: a join failed"]
    assert await Coming(hub).is_in()


async def test_one_who_cannot_be_welcomed_has_to_go(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(LiveRoom, "welcome", fault)
        ada = await Coming(hub).as_person()
    assert ada.ear.dismissed is CloseCode.SERVER_FAULT
    assert [record.getMessage() for record in caplog.records] == ["room den: a join failed"]
    live = ada.member.live
    assert (live.joining, live.lock.locked()) == (0, False)
    ada.exits()
    assert live.is_empty


@pytest.mark.parametrize("fails", [False, True])
async def test_nobody_is_let_in_once_the_server_has_stopped(
    hub: Hub, store: FragileStore, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    monkeypatch.setattr(hub._runner, "expect_to_evaluate", fault)
    store.failures = fails
    ada = Coming(hub, room="lair")
    bob = Coming(hub, Join(name="bob"), room="lair")
    await hub.close()
    (live,) = hub.rooms
    await asyncio.wait_for(live.lock.acquire(), 10)  # behind both of them
    assert len(store.appends) == 1, "no seat is kept for one who would not hear of it"
    for each in (ada, bob):
        assert not each.ear.messages
        assert not each.joins_the_common_way
        assert each.member is None
    assert live.is_deserted


@pytest.mark.parametrize("password", [None, "swordfish"])
async def test_nobody_is_admitted_while_the_server_stops(
    hub: Hub, store: FragileStore, password: str | None
) -> None:
    settings = None if password is None else GivenSettings(password=password)
    coming = asyncio.create_task(refused(join_room(hub, settings=settings)))
    if password is not None:
        await asyncio.sleep(0)  # it is being hashed
        assert hub.rooms
    hub.arrivals.stop()
    assert await coming == "server_full"
    assert not await Coming(hub, room="lair").is_in()
    assert not store.appends


async def test_the_lobby_is_told(hub: Hub) -> None:
    changes = []
    hub.on_change = lambda: changes.append(hub.public_rooms())
    assert await Coming(hub).is_in()
    assert [room.seats.X for (room,) in changes] == ["ada"]
