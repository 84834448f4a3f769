"""When a conversation has a task, and when it is over. What is said is in the integration tests."""

import asyncio
import json
import logging
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import cast

import pytest
from websockets.protocol import State

from tests.server.examples import NAME
from tests.server.fakes import FragileStore, RecordingListener
from ttt_engine import Position
from ttt_engine.evaluation import Evaluation
from ttt_protocol.codec import encode_message
from ttt_protocol.codes import CloseCode
from ttt_protocol.state import FromServer
from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.endpoints.room import Common, RoomEndpoint
from ttt_server.limits.commands import CommandLimits
from ttt_server.limits.token_bucket import TokenBucket
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.joining import Joining
from ttt_server.telemetry.counters import Counters
from ttt_server.telemetry.logging import JsonFormatter
from ttt_server.transport.connection import Connection, Talk
from ttt_server.transport.frames import text_frame

JOIN = b'{"type":"join"}'


class Line(RecordingListener):
    """A peer, as far as a conversation needs it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.loop = asyncio.get_running_loop()
        budget = partial(TokenBucket, 1, 9, 0)
        self.account = SimpleNamespace(source="here", commands=budget(), guesses=budget())
        self.number = 1
        self.state = State.OPEN
        self.talk: Talk | None = None
        self.waiting: list[str | bytes] = []
        self.lane: Callable[[bytes], bool] | None = None

    @property
    def has_more(self) -> bool:
        return bool(self.waiting)

    @property
    def is_dismissed(self) -> bool:
        return self.dismissed is not None

    def post(self, frame: bytes, is_state: bool = False) -> None:
        if not self.is_dismissed:
            super().post(frame, is_state)

    def dismiss(self, code: CloseCode) -> None:
        if self.state is State.OPEN:
            self.state = State.CLOSING
            super().dismiss(code)

    def open_lane(self, take: Callable[[bytes], bool]) -> None:
        self.lane = take

    def tell(self, message: FromServer) -> None:
        self.post(text_frame(encode_message(message)))

    def take(self) -> str | bytes:
        return self.waiting.pop(0)

    def says(self, text: str | bytes) -> None:
        """The common way."""
        self.lane = None
        self.waiting.append(text)
        if self.talk is not None:
            self.talk.hear()

    def takes(self, text: bytes) -> bool:
        """The fast lane."""
        assert self.lane is not None
        return self.lane(text)

    async def joins(self) -> None:
        assert self.takes(JOIN)
        await self.hears("welcome")

    def goes(self) -> None:
        self.state = State.CLOSED
        talk, self.talk = self.talk, None
        if talk is not None:
            talk.end()


@pytest.fixture
async def tasks() -> TaskOwner:
    return TaskOwner()


@pytest.fixture
async def latecomers() -> Deadlines[RoomEndpoint]:
    return Deadlines(10, RoomEndpoint.be_late)


@pytest.fixture
async def line(hub: Hub, tasks: TaskOwner, latecomers: Deadlines[RoomEndpoint]) -> Line:
    """Somebody whose socket has been opened."""
    line = Line()
    common = Common(hub, CommandLimits(1, 9), Counters(), latecomers, tasks)
    RoomEndpoint(cast("Connection", line), NAME, common).begin()
    return line


@pytest.mark.parametrize("joins", [True, False])
async def test_nobody_who_has_gone_is_waited_for(
    line: Line, latecomers: Deadlines[RoomEndpoint], joins: bool
) -> None:
    talk = line.talk
    assert isinstance(talk, RoomEndpoint)
    assert talk in latecomers
    if joins:
        await line.joins()
        assert talk not in latecomers
    line.goes()
    assert talk not in latecomers


@pytest.mark.parametrize("is_fast", [True, False])
async def test_there_is_a_task_only_while_something_is_heard(
    line: Line, tasks: TaskOwner, hub: Hub, is_fast: bool
) -> None:
    assert not tasks._running
    if is_fast:
        assert line.takes(JOIN)
        assert not line.takes(JOIN), "one after the other"
    else:
        line.says(JOIN.decode())
    assert len(tasks._running) == (0 if is_fast else 1)
    await line.hears("welcome")
    await tasks.ended()
    (room,) = hub.rooms
    line.goes()
    assert room.is_empty


@pytest.mark.parametrize("text", [b"{}", b"", b'{"type":"hint"}'])
async def test_what_is_no_join_goes_the_common_way(
    line: Line, tasks: TaskOwner, text: bytes
) -> None:
    assert not line.takes(text)
    line.says(text.decode())
    line.says(text.decode())
    await tasks.ended()
    assert len(line.of("refused")) == 2


@pytest.mark.parametrize("join", [JOIN, b'{"type":"join","settings":{}}'], ids=["fast", "not"])
async def test_one_who_goes_while_they_join_is_gone_when_they_have_joined(
    line: Line, tasks: TaskOwner, hub: Hub, store: FragileStore, join: bytes
) -> None:
    store.gate.clear()
    assert line.takes(join)
    await store.next_write()
    line.goes()
    (room,) = hub.rooms
    store.gate.set()
    await line.hears("welcome")
    await tasks.ended()
    assert room.is_empty


async def test_what_is_said_behind_a_join_is_heard_after_it(
    line: Line, hub: Hub, store: FragileStore
) -> None:
    store.gate.clear()
    assert line.takes(JOIN)
    assert not line.takes(JOIN), "one after the other"
    line.says('{"type":"say","text":"hi"}')
    await store.next_write()
    line.goes()
    store.gate.set()
    await line.hears("said")
    assert [message["type"] for message in line.messages] == [
        "welcome",
        "presence",
        "said",
    ]
    (room,) = hub.rooms
    await asyncio.sleep(0)
    assert room.is_empty


@pytest.mark.parametrize(
    "join", [b'{"type":"join","token":"forged"}', b'{"type":"join","role":"spectator"}']
)
async def test_after_a_join_that_was_refused_the_next_may_be_fast(line: Line, join: bytes) -> None:
    assert line.takes(join)
    await line.hears("refused")
    assert line.lane is not None
    await line.joins()
    assert line.takes(b'{"type":"offer","kind":"draw"}')
    await line.hears("refused", 2)


@pytest.fixture
async def hinted(line: Line) -> Line:
    """Somebody who is to move in a room with hints."""
    line.says('{"type":"join","settings":{"hints":true,"seats":{"O":{"strategy":"rules"}}}}')
    await line.hears("welcome")
    return line


async def test_a_move_does_not_wait_for_a_hint(
    hinted: Line, hub: Hub, tasks: TaskOwner, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, gate = asyncio.Event(), asyncio.Event()

    async def think(position: Position, *, whose: str) -> Evaluation:
        asked.set()
        await gate.wait()
        return await evaluate(position, whose=whose)

    evaluate = hub._runner.evaluate
    monkeypatch.setattr(hub._runner, "evaluate", think)
    hinted.says('{"type":"hint","id":"slow"}')
    await asked.wait()
    hinted.says('{"type":"play","game":1,"ply":0,"cell":4}')
    await hinted.hears("update", 2)
    gate.set()
    await tasks.ended()
    (refused,) = hinted.of("refused")
    assert (refused["code"], refused["id"]) == ("not_allowed", "slow"), "it is of no use by now"


async def test_hints_are_for_what_was_there_when_they_were_asked_for(
    hinted: Line, tasks: TaskOwner
) -> None:
    hinted.says('{"type":"hint"}')
    hinted.says('{"type":"hint"}')
    hinted.says('{"type":"play","game":1,"ply":0,"cell":4}')
    await tasks.ended()
    said = [message["type"] for message in hinted.messages]
    assert said[said.index("hint") :][:3] == ["hint", "hint", "update"]


async def test_a_move_on_the_fast_lane_does_not_overtake_the_question(
    hinted: Line, tasks: TaskOwner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play_at_once(take: Callable[[bytes], bool]) -> None:
        assert take(b'{"type":"play","game":1,"ply":0,"cell":4}')

    monkeypatch.setattr(hinted, "open_lane", play_at_once)
    hinted.says('{"type":"hint"}')
    await hinted.hears("update")
    await tasks.ended()
    assert hinted.of("hint")
    assert not hinted.of("refused")


async def test_one_hint_waits_for_the_other(
    hinted: Line, hub: Hub, tasks: TaskOwner, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once: list[int] = []

    async def think(position: Position, *, whose: str) -> Evaluation:
        at_once.append(1)
        for _ in range(9):
            await asyncio.sleep(0)
        at_once.append(-1)
        return await evaluate(position, whose=whose)

    evaluate = hub._runner.evaluate
    monkeypatch.setattr(hub._runner, "evaluate", think)
    for _ in range(3):
        hinted.says('{"type":"hint"}')
    await tasks.ended()
    assert at_once == [1, -1] * 3
    assert len(hinted.of("hint")) == 3


async def test_whoever_was_dismissed_is_not_heard(line: Line, tasks: TaskOwner) -> None:
    line.says(b"binary")
    await tasks.ended()
    assert line.is_dismissed
    line.says(JOIN.decode())
    assert not tasks._running


async def test_what_was_said_before_a_close_is_done(line: Line, tasks: TaskOwner, hub: Hub) -> None:
    await line.joins()
    line.says('{"type":"say","text":"bye"}')
    line.says('{"type":"leave"}')
    line.state = State.CLOSING
    await tasks.ended()
    (room,) = hub.rooms
    assert line.of("said")
    assert room.room.seats.empty
    assert room.is_empty


async def test_what_was_said_before_the_end_is_done(line: Line, tasks: TaskOwner, hub: Hub) -> None:
    await line.joins()
    line.says('{"type":"leave"}')
    line.goes()
    await tasks.ended()
    (room,) = hub.rooms
    assert room.room.seats.empty
    assert room.is_empty


@pytest.mark.parametrize("state", [State.CLOSING, State.CLOSED])
async def test_one_who_joined_and_was_gone_before_that_is_no_ghost(
    line: Line, hub: Hub, state: State
) -> None:
    assert line.takes(JOIN)
    line.state = state
    await line.hears("welcome")
    (room,) = hub.rooms
    assert room.is_empty
    line.goes()
    assert room.is_empty


async def test_a_join_that_comes_in_time_is_answered(line: Line) -> None:
    assert line.takes(JOIN)
    talk(line).be_late()
    await line.hears("welcome")
    assert not line.is_dismissed


async def test_a_join_that_takes_long_is_answered(
    line: Line, tasks: TaskOwner, store: FragileStore
) -> None:
    store.gate.clear()
    line.says(JOIN.decode())
    await store.next_write()
    talk(line).be_late()
    store.gate.set()
    await tasks.ended()
    assert line.of("welcome")
    assert not line.is_dismissed


async def test_one_whose_last_join_is_refused_is_told_and_has_to_go(line: Line) -> None:
    assert line.takes(b'{"type":"join","token":"forged"}')
    talk(line).be_late()
    await line.hears("refused")
    assert [refused["code"] for refused in line.of("refused")] == ["bad_token"]
    assert line.dismissed is CloseCode.POLICY


async def test_after_a_join_that_was_refused_one_may_be_late(line: Line) -> None:
    assert line.takes(b'{"type":"join","password":"a guess too many"}')
    while line.account.guesses.spend(line.loop.time()):
        pass
    await line.hears("refused")
    talk(line).be_late()
    assert line.dismissed is CloseCode.POLICY


@pytest.mark.parametrize("is_fast", [True, False])
async def test_a_join_is_not_carried_out_after_the_goodbye(
    line: Line, tasks: TaskOwner, hub: Hub, is_fast: bool
) -> None:
    join = b'{"type":"join","settings":{}}'
    if is_fast:
        assert line.takes(join)
    else:
        line.says(join.decode())
    line.dismiss(CloseCode.RESTARTING)
    await tasks.ended()
    assert not hub.rooms


async def test_whoever_is_refused_again_and_again_has_to_slow_down(line: Line) -> None:
    for count in range(1, 10):
        assert line.takes(b'{"type":"join","role":"spectator"}')
        await line.hears("refused", count)
    assert not line.takes(JOIN)


@pytest.mark.parametrize("is_fast", [True, False])
async def test_a_fault_of_ours_is_told(
    line: Line, tasks: TaskOwner, monkeypatch: pytest.MonkeyPatch, is_fast: bool
) -> None:
    def fault(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(Joining, "join", fault)
    join = b'{"type":"join","settings":{}}'
    if is_fast:
        assert line.takes(join)
    else:
        line.says(join.decode())
    await tasks.ended()
    assert line.dismissed is CloseCode.SERVER_FAULT
    assert line.talk is None


async def test_what_is_logged_of_a_join_is_about_the_connection(
    line: Line, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caplog.handler, "formatter", JsonFormatter())
    with caplog.at_level(logging.DEBUG, "ttt_server.endpoints.room"):
        await line.joins()
    joined = json.loads(caplog.text)
    assert (joined["room"], joined["connection"]) == (NAME, 1)


def talk(line: Line) -> RoomEndpoint:
    return cast("RoomEndpoint", line.talk)
