"""A room as its members see it, as a library: its state, its messages, and commands that raise."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import count
from typing import Self, TypeVar

from pydantic import ValidationError

from ttt_client.library.errors import BadArgument, CommandRefused, RoomClosed, raise_ending
from ttt_client.model.answers import answered, survives
from ttt_client.model.view import View, fold
from ttt_client.net.session import Ending, Heard, NotConnected, Note, Session
from ttt_protocol.codec import encode_command
from ttt_protocol.commands import BaseCommand, Command, Say
from ttt_protocol.faults import first_fault
from ttt_protocol.messages import Message, Refused, Welcome
from ttt_protocol.state import Outcome, RoomState, You

C = TypeVar("C", bound=BaseCommand)

logger = logging.getLogger(__name__)

OnNote = Callable[[Note], None]
"""Called when the connection is lost and redialled."""


@dataclass(frozen=True, slots=True)
class _Sent:
    """A command without an answer yet."""

    command: Command
    answer: asyncio.Future[Message]


class WatchedRoom:
    """A room as its members see it. Get one from `watch`.

    A lost connection is dialled again; only the end of the session closes the room.
    """

    def __init__(self, session: Session, on_note: OnNote | None = None) -> None:
        self._session = session
        self._on_note = on_note or log_note
        self._view = View()
        self._sent: dict[str, _Sent] = {}
        self._ids = count(1)
        self._changed = asyncio.Event()
        self._queues: set[asyncio.Queue[Message | None]] = set()
        self._end: Ending | None = None

    @property
    def state(self) -> RoomState:
        """The room as the server last told it."""
        if self._view.room is None:
            raise RoomClosed("not welcomed yet")
        return self._view.room

    @property
    def you(self) -> You:
        """This member as the server knows it: its id, role, name and token."""
        if self._view.you is None:
            raise RoomClosed("not welcomed yet")
        return self._view.you

    @property
    def outcome(self) -> Outcome | None:
        """How the present game ended; None before it ends."""
        return None if self._view.game is None else self._view.game.outcome

    @property
    def closed(self) -> bool:
        """Whether the place in the room is gone."""
        return self._end is not None

    async def states(self) -> AsyncIterator[RoomState]:
        """Yield the room as it is, and after each change until it closes.

        A slow reader gets the newest state, and misses those in between.
        """
        seen: RoomState | None = None
        while True:
            if self.state is not seen:
                seen = self.state
                yield seen
            elif self.closed:
                return
            else:
                await self._change()

    async def messages(self) -> AsyncIterator[Message]:
        """Yield every message of the server from now on, until the room closes."""
        queue: asyncio.Queue[Message | None] = asyncio.Queue()
        self._queues.add(queue)
        try:
            while not self.closed and (message := await queue.get()) is not None:
                yield message
        finally:
            self._queues.discard(queue)

    async def say(self, text: str) -> None:
        """Chat, to everyone in the room.

        Raises:
            CommandRefused, NotConnected, RoomClosed: it was not said.
        """
        await self._submit(made(Say, text=text))

    async def round_trip_s(self) -> float:
        """Measure how long a ping and its answer take.

        Raises:
            NotConnected: there is no connection.
        """
        return await self._session.round_trip_s()

    async def leave(self) -> None:
        """Leave for good, and give the seat up. The end of the block alone keeps the seat.

        Raises:
            NotConnected: the server did not say that the seat is given up.
        """
        await self._session.leave()
        while self._end is None:
            await self._change()
        if self._end.code != 0:
            raise NotConnected(self._end.words)

    @asynccontextmanager
    async def entered(self) -> AsyncIterator[Self]:
        """Be in the room until the block ends.

        Raises:
            CommandRefused: the server refused the `join`.
            Unreachable, Rejected: there is no connection.
        """
        running = asyncio.create_task(self._run())
        try:
            while self._view.you is None:
                if self._end is not None:
                    raise_ending(self._end)
                await self._change()
            yield self
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    async def _run(self) -> None:
        end = Ending(1, "this program left the room")
        try:
            end = await self._session.run(self._hear)
        finally:
            self._end = end
            for sent in self._sent.values():
                if not sent.answer.done():
                    sent.answer.set_exception(RoomClosed(end.words))
            for queue in self._queues:
                queue.put_nowait(None)
            self._wake()

    async def _hear(self, heard: Heard | Note) -> None:
        if isinstance(heard, Note):
            self._on_note(heard)
            self._give_up()
        elif heard.message is not None:
            before, self._view = self._view, fold(self._view, heard.message)
            self._match(heard.message, before)
            if isinstance(heard.message, Welcome):
                await self._send_again()
            for queue in self._queues:
                queue.put_nowait(heard.message)
        self._wake()

    def _match(self, message: Message, before: View) -> None:
        """Resolve the commands that this message answers."""
        waiting = [sent for sent in self._sent.values() if not sent.answer.done()]
        commands = [sent.command for sent in waiting]
        found = answered(commands, message, before, self._view)
        for sent in waiting:
            if sent.command not in found:
                continue
            if isinstance(message, Refused):
                refused = CommandRefused(message.code, message.reason, message.legal)
                sent.answer.set_exception(refused)
            else:
                sent.answer.set_result(message)

    def _give_up(self) -> None:
        """Fail the commands of a lost connection that cannot be repeated: their fate is unknown."""
        for sent in self._sent.values():
            if not survives(sent.command) and not sent.answer.done():
                sent.answer.set_exception(NotConnected("the connection was lost meanwhile"))

    async def _send_again(self) -> None:
        for sent in self._sent.values():
            if not sent.answer.done():
                with suppress(NotConnected):
                    await self._session.send(encode_command(sent.command))

    async def _submit(self, command: BaseCommand) -> Message:
        """Send a command, and return the message that shows that it was carried out.

        Raises:
            CommandRefused, NotConnected, RoomClosed: it was not, or that is not known.
        """
        if self._end is not None:
            raise RoomClosed(self._end.words)
        id_ = str(next(self._ids))
        numbered: Command = command.model_copy(update={"id": id_})  # type: ignore[assignment]  # a copy
        sent = _Sent(numbered, asyncio.get_running_loop().create_future())
        self._sent[id_] = sent
        try:
            try:
                await self._session.send(encode_command(numbered))
            except NotConnected:
                if not survives(numbered):
                    raise
            return await sent.answer
        finally:
            del self._sent[id_]

    async def _change(self) -> None:
        """Wait for the next message, or the end."""
        await self._changed.wait()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()  # for the change after this one


def made(kind: type[C], **given: object) -> C:
    """Return a command with those arguments that are not None.

    Raises:
        BadArgument: naming the argument.
    """
    try:
        return kind.model_validate({name: one for name, one in given.items() if one is not None})
    except ValidationError as error:
        raise BadArgument(str(first_fault(error))) from None


def log_note(note: Note) -> None:
    """Log what happened to the connection."""
    logger.warning("%s", note)
