"""Stand-ins for what the server's parts work with."""

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any

from tests.server.storage.appends import Written
from ttt_engine import Position
from ttt_engine.evaluation import Evaluation
from ttt_protocol.base import FromServer
from ttt_protocol.codec import decode_log, encode_log, encode_message
from ttt_protocol.codes import CloseCode
from ttt_protocol.events import Event
from ttt_protocol.state import Ai, RoomName
from ttt_server.ai.runner import EVALUATION_S, AiFailed, ChosenMove, StrategyRunner
from ttt_server.concurrency.wall_clock import WallClock
from ttt_server.limits.rates import TokenBucket
from ttt_server.rooms.live_room import Recipient
from ttt_server.storage.base import Append, Conflict, Excerpt, StorageFailed
from ttt_server.storage.memory import MemoryStore
from ttt_server.transport.connection import Handler


@dataclass(eq=False)
class RecordingListener:
    """A connection that hears everything and remembers it."""

    payloads: list[bytes] = field(default_factory=list)
    states: list[bytes] = field(default_factory=list)
    """The payloads with a state of the room that a later one makes worthless."""
    dismissed: CloseCode | None = None
    dismissed_for: str = ""
    """The words of the goodbye, where they are not those of its code."""
    is_behind: bool = False
    on_send: Callable[[], None] = lambda: None

    def send(self, *payloads: bytes, is_state: bool = False) -> None:
        self.on_send()
        self.payloads += payloads
        if is_state:
            self.states += payloads
        self._wake.set()

    def dismiss(self, code: CloseCode, *, words: str = "") -> None:
        self.dismissed, self.dismissed_for = code, words
        self._wake.set()

    @property
    def is_dismissed(self) -> bool:
        return self.dismissed is not None

    def __post_init__(self) -> None:
        self._wake = asyncio.Event()

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [json.loads(payload) for payload in self.payloads]

    def of(self, type_: str) -> list[dict[str, Any]]:
        return [message for message in self.messages if message["type"] == type_]

    @property
    def events(self) -> list[dict[str, Any]]:
        """All events that it was told, in order."""
        return [event for update in self.of("update") for event in update["events"]]

    @property
    def kinds(self) -> list[str]:
        return [event["type"] for event in self.events]

    async def until(self, is_enough: Callable[["RecordingListener"], bool]) -> None:
        """Waits until what was heard is enough."""
        async with asyncio.timeout(10):
            while not is_enough(self):
                self._wake.clear()
                await self._wake.wait()

    async def hears(self, type_: str, count: int = 1) -> list[dict[str, Any]]:
        """Waits for `count` messages of a type."""
        await self.until(lambda ear: len(ear.of(type_)) >= count)
        return self.of(type_)

    async def learns(self, kind: str, count: int = 1) -> None:
        """Waits for `count` events of a kind."""
        await self.until(lambda ear: ear.kinds.count(kind) >= count)


class FakeConnection(RecordingListener):
    """A connection, as far as an endpoint needs it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.loop = asyncio.get_running_loop()
        bucket = partial(TokenBucket, 1, 9, 0)
        self.account = SimpleNamespace(source="here", commands=bucket(), guesses=bucket())
        self.number = 1
        self.handler: Handler | None = None
        self.received: list[str | bytes] = []
        self.is_awaited = False
        self.is_gone = False

    def send(self, *payloads: bytes, is_state: bool = False) -> None:
        if not self.is_dismissed:
            super().send(*payloads, is_state=is_state)

    def tell(self, message: FromServer) -> None:
        self.send(encode_message(message))

    def dismiss(self, code: CloseCode, *, words: str = "") -> None:
        if not self.is_dismissed:
            super().dismiss(code, words=words)
            self.received.clear()

    def attach(self, handler: Handler) -> None:
        self.handler = handler
        self.receive_next()

    def receive_next(self) -> None:
        if self.received:
            self.loop.call_soon(self._deliver)
        else:
            self.is_awaited = True

    def says(self, *messages: str | bytes) -> None:
        if self.is_dismissed:
            return
        self.received += messages
        if self.is_awaited:
            self.is_awaited = False
            self._deliver()

    def goes(self) -> None:
        self.is_gone = True
        if not self.received:
            self._deliver()

    async def joins(self) -> None:
        self.says('{"type":"join"}')
        await self.hears("welcome")

    def _deliver(self) -> None:
        handler = self.handler
        if handler is None:
            return
        if self.received:
            message = self.received.pop(0)
            if isinstance(message, bytes):
                handler.on_binary()
            else:
                handler.on_message(message.encode())
        if self.is_gone and not self.received:
            self.handler = None
            handler.on_close()


class ImmediateBroadcaster:
    """Does not wait for the end of the loop's turn."""

    def add(
        self, listeners: Iterable[Recipient], payload: bytes, *, is_state: bool = False
    ) -> None:
        for listener in listeners:
            listener.send(payload, is_state=is_state)


class FragileStore(MemoryStore):
    """A store whose writes and reads can be made to fail, to be late, or to lose a race."""

    def __init__(self) -> None:
        super().__init__()
        self.failures = 0
        """So many writes fail, the next ones."""
        self.fails_to_load = False
        self.rivals: list[tuple[Event, ...]] = []
        """What another process writes before each of the next writes."""
        self.gate = asyncio.Event()
        """Closed, a write that is done does not return."""
        self.gate.set()
        self.written = asyncio.Event()
        """A write is done."""
        self.appends: list[tuple[str, ...]] = []
        self.loads = 0
        self.on_load: Callable[[RoomName], None] | None = None
        """Called with the room of each read."""
        self.may_load = asyncio.Event()
        """Cleared, a read does not return."""
        self.may_load.set()
        self.fails_to_delete = False
        self.deletes = 0
        self.probed = asyncio.Event()
        """A probe went well."""
        self.deleted = asyncio.Event()
        """A delete is done, though it may not have returned."""
        self._held: list[asyncio.Future[None]] = []

    def tamper(self, room: RoomName, line: bytes) -> None:
        """Add a line that no room has written."""
        self._tables.append(room, len(self._tables.lines(room)) + 1, (line,))
        self._tables.commit()

    def hold(self) -> None:
        """Closes the gate, for the `next_write`."""
        self.gate.clear()
        self.written.clear()

    async def next_write(self) -> None:
        """Waits until it is done, and does not return."""
        await asyncio.wait_for(self.written.wait(), 10)

    def append(self, appends: Sequence[Append]) -> None:
        for append in appends:
            self._append(append)

    def _append(self, append: Append) -> None:
        room, lines = append.room, append.lines
        self.appends.append(tuple(event.type for event in decode_log(lines)))
        if self.failures:
            self.failures -= 1
            asyncio.get_running_loop().call_soon(append.then, StorageFailed("the disk is full"))
            return
        if self.rivals:
            rival = self.rivals.pop(0)
            lost = Written(room, rival[0].seq, encode_log(rival), None, lambda _: None)
            super().append([lost])
        then = partial(self._kept, append)
        super().append([Written(room, append.seq, lines, append.snapshot, then)])

    def _kept(self, append: Append, error: Exception | None) -> None:
        self.written.set()
        self._held.append(asyncio.ensure_future(self._pass_the_gate(append, error)))

    async def _pass_the_gate(self, append: Append, error: Exception | None) -> None:
        await self.gate.wait()
        append.then(error)

    async def probe(self) -> None:
        if self.failures:
            self.failures -= 1
            raise StorageFailed("the disk is full")
        self.probed.set()

    async def load(
        self, room: RoomName, after: int | None = None, most: int | None = None
    ) -> Excerpt:
        self.loads += 1
        if self.on_load is not None:
            self.on_load(room)
        await self.may_load.wait()
        if self.fails_to_load:
            raise StorageFailed("the disk is gone")
        return await super().load(room, after, most)

    async def load_game(self, room: RoomName, number: int) -> Excerpt:
        if self.fails_to_load:
            raise StorageFailed("the disk is gone")
        return await super().load_game(room, number)

    async def delete(self, room: RoomName) -> None:
        self.deletes += 1
        if self.fails_to_delete:
            await self.gate.wait()
            raise StorageFailed("the disk is gone")
        await super().delete(room)
        self.deleted.set()
        await self.gate.wait()


class TakenStore(MemoryStore):
    """A store that another process writes to all the time."""

    def append(self, appends: Sequence[Append]) -> None:
        for append in appends:
            taken = Conflict(f"{append.room}: {append.seq}")
            asyncio.get_running_loop().call_soon(append.then, taken)


class Silent(StrategyRunner):
    """Thinks until it may speak, and chooses the first cell."""

    def __init__(self) -> None:
        super().__init__(1, Random(0))
        self.asked = asyncio.Event()
        self.may_speak = asyncio.Event()
        self.left_s: float | None = None

    def answers_at_once(self, ai: Ai, position: Position) -> bool:  # noqa: ARG002 - its signature
        return False

    async def choose(
        self,
        ai: Ai,
        position: Position,
        left_s: float | None = None,
        moves: tuple[int, ...] | None = None,
        *,
        key: str = "",  # noqa: ARG002 - its signature
    ) -> ChosenMove:
        assert moves is not None
        assert Position.after(moves, position.rules) == position
        self.left_s = left_s
        self.asked.set()
        await self.may_speak.wait()
        return ChosenMove(position.legal_moves[0], ai.strategy)


class Failing(StrategyRunner):
    """Fails from a ply on, and chooses the first cell before."""

    def __init__(self, ply: int = 0, error: type[Exception] = AiFailed) -> None:
        super().__init__(1, Random(0))
        self.ply = ply
        self.error = error
        self.judges = True
        self.evaluated: list[int] = []
        """The plies of the positions that were judged."""
        self.asked = asyncio.Event()
        self.judging = asyncio.Event()
        self.judging.set()

    def answers_at_once(self, ai: Ai, position: Position) -> bool:  # noqa: ARG002 - its signature
        return False

    async def choose(
        self,
        ai: Ai,
        position: Position,
        left_s: float | None = None,  # noqa: ARG002 - its signature
        moves: tuple[int, ...] | None = None,  # noqa: ARG002 - the same
        *,
        key: str = "",  # noqa: ARG002 - the same
    ) -> ChosenMove:
        if position.ply >= self.ply:
            raise self.error(f"{ai.strategy} failed")
        return ChosenMove(position.legal_moves[0], "first")

    async def evaluate(
        self, position: Position, seconds: float = EVALUATION_S, *, key: str = ""
    ) -> Evaluation:
        self.evaluated.append(position.ply)
        self.asked.set()
        await self.judging.wait()
        if not self.judges:
            raise AiFailed("the judge failed")
        return await super().evaluate(position, seconds, key=key)


class Time:
    """The machine's two clocks: both run with `passes`, and one is set with `jumps`."""

    def __init__(self, now: int) -> None:
        self.wall = now * 1_000_000
        self.steady = 77_000_000
        self.clock = WallClock(lambda: self.wall, lambda: self.steady)

    @property
    def now(self) -> int:
        """What an onlooker's watch shows, in Unix ms."""
        return self.wall // 1_000_000

    def again(self) -> "Time":
        """The same machine after the server was started anew."""
        self.clock = WallClock(lambda: self.wall, lambda: self.steady)
        return self

    def passes(self, ms: int) -> None:
        self.wall += ms * 1_000_000
        self.steady += ms * 1_000_000

    def jumps(self, ms: int) -> None:
        """The wall clock is set, or the machine has slept."""
        self.wall += ms * 1_000_000
        self.clock.follow_wall()


async def nobody_seeks() -> bytes:
    """Tell a lobby that nobody waits for a quick match."""
    return b"[]"
