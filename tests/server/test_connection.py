"""When a conversation has a task, and when it is over. What is said is in the integration tests."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import pytest
from websockets.protocol import State

from tests.server.doubles import Ear, FragileStore
from tests.server.hubs import Hubs
from tests.server.rooms import NAME
from ttt_protocol.codec import encode_message
from ttt_protocol.state import Told
from ttt_server.budget import Budget
from ttt_server.connection import Common, ConnectionLimits, Conversation
from ttt_server.deadlines import Deadlines
from ttt_server.frames import text_frame
from ttt_server.hub import Hub
from ttt_server.peer import Peer, Talk
from ttt_server.tasks import Tasks
from ttt_server.traffic import Traffic

JOIN = b'{"type":"join"}'


class Line(Ear):
    """A peer, as far as a conversation needs it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.loop = asyncio.get_running_loop()
        self.account = SimpleNamespace(source="here", commands=Budget(1, 9, 0))
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

    def open_lane(self, take: Callable[[bytes], bool]) -> None:
        self.lane = take

    def tell(self, message: Told) -> None:
        self.post(text_frame(encode_message(message)))

    async def recv(self) -> str | bytes:
        return self.waiting.pop(0)

    def says(self, text: str | bytes) -> None:
        """The common way."""
        self.lane = None
        self.waiting.append(text)
        assert self.talk is not None
        self.talk.hear()

    def takes(self, text: bytes) -> bool:
        """The fast lane."""
        assert self.lane is not None
        return self.lane(text)

    def goes(self) -> None:
        self.state = State.CLOSED
        talk, self.talk = self.talk, None
        assert talk is not None
        talk.end()


@pytest.fixture
def store() -> FragileStore:
    return FragileStore()


@pytest.fixture
def hub(hubs: Hubs, store: FragileStore) -> Hub:
    return hubs.open(store)


@pytest.fixture
async def tasks() -> Tasks:
    return Tasks()


@pytest.fixture
async def line(hub: Hub, tasks: Tasks) -> Line:
    """Somebody whose socket has been opened."""
    line, latecomers = Line(), Deadlines(10, Conversation.be_late)
    common = Common(hub, ConnectionLimits(1, 9), Traffic(), latecomers, tasks)
    Conversation(cast("Peer", line), NAME, common).begin()
    return line


@pytest.mark.parametrize("is_fast", [True, False])
async def test_there_is_a_task_only_while_something_is_heard(
    line: Line, tasks: Tasks, hub: Hub, is_fast: bool
) -> None:
    assert not tasks._running
    if is_fast:
        assert line.takes(JOIN)
        assert not line.takes(JOIN), "one after the other"
    else:
        line.says(JOIN.decode())
    assert len(tasks._running) == 1
    await tasks.ended()
    assert line.of("welcome")
    (room,) = hub.rooms
    line.goes()
    assert room.is_empty


@pytest.mark.parametrize("text", [b"{}", b"", b'{"type":"hint"}'])
async def test_what_is_no_join_goes_the_common_way(line: Line, tasks: Tasks, text: bytes) -> None:
    assert not line.takes(text)
    line.says(text.decode())
    line.says(text.decode())
    await tasks.ended()
    assert len(line.of("refused")) == 2


async def test_one_who_goes_while_they_join_is_gone_when_they_have_joined(
    line: Line, tasks: Tasks, hub: Hub, store: FragileStore
) -> None:
    store.gate.clear()
    assert line.takes(JOIN)
    await asyncio.wait_for(store.written.wait(), 10)
    line.goes()
    (room,) = hub.rooms
    store.gate.set()
    await tasks.ended()
    assert line.of("welcome")
    assert room.is_empty


async def test_whoever_was_dismissed_is_not_heard(line: Line, tasks: Tasks) -> None:
    line.says(b"binary")
    await tasks.ended()
    assert line.is_dismissed
    line.says(JOIN.decode())
    assert not tasks._running
