"""Hubs, and people in their rooms."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import pytest

from tests.server.examples import NAME
from tests.server.fakes import ImmediateBroadcaster, RecordingListener, Time
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Command, Join, Play
from ttt_protocol.state import (
    AiSetting,
    GivenSettings,
    Mark,
    Role,
    RoomName,
    SeatSettings,
    Summary,
    Token,
)
from ttt_server.ai.runner import StrategyRunner
from ttt_server.concurrency.tasks import CallbackFuture
from ttt_server.concurrency.wall_clock import WallClock
from ttt_server.core.errors import Refused
from ttt_server.core.seating import KeptName
from ttt_server.rooms.admission import Admission
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.live_room import LiveRoom, Member
from ttt_server.rooms.rated_end import CountsGames
from ttt_server.rooms.registry import RoomLimits
from ttt_server.rooms.tokens import TokenSigner
from ttt_server.storage.base import EventStore
from ttt_server.storage.memory import MemoryStore

SECRET = b"s" * 32
SIGNER = TokenSigner(SECRET)
RANDOM = AiSetting(strategy="random")
TWO_AIS = GivenSettings(seats=SeatSettings(X=RANDOM, O=RANDOM), pace_s=0)
AI_IN_O = GivenSettings(seats=SeatSettings(O=RANDOM))
AI_IN_X = GivenSettings(seats=SeatSettings(X=RANDOM))


class TestMember:
    """Someone who has joined a room: what they hear, and what they say."""

    __test__ = False  # pytest collects classes whose names begin with Test

    def __init__(self, hub: Hub, member: Member, ear: RecordingListener) -> None:
        self.hub = hub
        self.member = member
        self.ear = ear

    @property
    def you(self) -> dict[str, Any]:
        you: dict[str, Any] = self.ear.of("welcome")[0]["you"]
        return you

    @property
    def token(self) -> Token:
        return Token(self.you["token"])

    async def says(self, command: Command) -> None:
        await run(self.hub, self.member, command)

    async def plays(self, *cells: int) -> None:
        """Plays these cells one after the other, as of the newest state."""
        for cell in cells:
            game = self.member.live.room.game
            assert game is not None
            await self.says(Play(game=game.number, ply=game.ply, cell=cell))

    def exits(self) -> None:
        self.hub.exit(self.member)


async def run(hub: Hub, member: Member, command: Command) -> None:
    """Carries out a command of a member, and waits for its outcome."""
    outcome = CallbackFuture()
    hub.submit(member, command, outcome.settle)
    await outcome.future


class Joiner:
    """A connection that joins a room, and what becomes of it."""

    def __init__(
        self,
        hub: Hub,
        join: Join | None = None,
        *,
        room: str = NAME,
        address: str = "here",
        person: KeptName | None = None,
    ) -> None:
        self.hub = hub
        self.ear = RecordingListener()
        self.outcome: asyncio.Future[Member] = asyncio.get_running_loop().create_future()
        join = join or Join(name="ada")
        hub.joining.join(RoomName(room), join, self.ear, address, self._joined, person)

    def _joined(self, member: Member | None, error: BaseException | None) -> None:
        assert (member is None) != (error is None)
        if self.outcome.cancelled():
            if member is not None:
                self.hub.exit(member)
        elif member is not None:
            self.outcome.set_result(member)
        else:
            assert error is not None
            self.outcome.set_exception(error)

    async def is_in(self) -> bool:
        """Whether it has joined, at the end."""
        await asyncio.wait([self.outcome], timeout=10)
        return self.outcome.exception() is None

    async def member(self) -> TestMember:
        return TestMember(self.hub, await self.outcome, self.ear)


async def join_room(
    hub: Hub,
    name: str = "ada",
    *,
    room: str = NAME,
    address: str = "here",
    person: KeptName | None = None,
    **join: Any,
) -> TestMember:
    """Joins as a player."""
    joining = Join(name=name, **join)
    return await Joiner(hub, joining, room=room, address=address, person=person).member()


async def spectate(hub: Hub, *, room: str = NAME, **join: Any) -> TestMember:
    return await join_room(hub, "eve", room=room, role=Role.SPECTATOR, **join)


async def refused(work: Awaitable[object]) -> RefusalCode:
    with pytest.raises(Refused) as caught:
        await work
    return caught.value.code


async def two_players(
    hub: Hub, *cells: int, room: str = NAME, **join: Any
) -> tuple[TestMember, TestMember]:
    """Ada in X and Bob in O, after `cells` were played."""
    ada, bob = await join_room(hub, room=room, **join), await join_room(hub, "bob", room=room)
    for cell, person in zip(cells, itertools.cycle((ada, bob)), strict=False):
        await person.plays(cell)
    return ada, bob


class Hubs:
    """Makes hubs, and closes them in the end."""

    def __init__(self) -> None:
        self.made: list[Hub] = []

    def open(
        self,
        store: EventStore | None = None,
        *,
        runner: StrategyRunner | None = None,
        max_rooms: int = 9,
        max_rooms_per_address: int = 9,
        room_idle_s: float = 60,
        room_abandon_s: float = 3600,
        time: Time | None = None,
        rated: CountsGames | None = None,
    ) -> Hub:
        limits = RoomLimits(max_rooms, max_rooms_per_address, room_idle_s, room_abandon_s)
        clock = WallClock() if time is None else time.clock
        runner = runner or StrategyRunner(1, Random(0))
        hub = Hub(
            store or MemoryStore(),
            Admission(SECRET),
            runner,
            limits,
            ImmediateBroadcaster(),
            clock,
            rated=rated,
        )
        self.made.append(hub)
        return hub

    async def close(self) -> None:
        for hub in self.made:
            await hub.close()


def public_rooms(hub: Hub) -> tuple[Summary, ...]:
    """The rooms of the list."""
    listed = (hub.registry.summary(live.room.name) for live in hub.registry.all)
    return tuple(each for each in listed if each is not None)


async def changed(hub: Hub, is_so: Callable[[], bool]) -> None:
    """Waits until it is so; looks whenever the hub tells of a change."""
    event = asyncio.Event()
    hub.observers.subscribe(lambda _: event.set())
    async with asyncio.timeout(10):
        while not is_so():
            await event.wait()
            event.clear()


async def settle(hub: Hub, live: LiveRoom) -> None:
    """Has what is overdue happen, as a timer does, and waits for it."""
    hub.timers.settle_overdue(live)
    async with live.lock:
        pass


def maker_of(hub: Hub, live: LiveRoom) -> str | None:
    """The address for which a room counts."""
    return hub.registry._makers.get(live)


def seat(person: TestMember) -> Mark | None:
    return person.member.live.room.seats.of(person.member.session)
