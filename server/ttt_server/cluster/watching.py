"""Spectators of rooms that other servers own: all of a room share one connection to the owner.

The relay watches the room as one spectator who stands for many, and sends each message on to all of
its own. A newcomer needs a `welcome` of its own: the owner sends one for all who came in the same
moment and may watch, and the relay puts each one's name into it. A spectator who sends a command
is given a connection of its own first.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from ttt_protocol.codec import decode_command, encode_message
from ttt_protocol.codec.encode_fast import update_head
from ttt_protocol.codes import CloseCode
from ttt_protocol.commands import Join
from ttt_protocol.state import Role, RoomName, SessionId, You
from ttt_server.cluster.dial import Unreachable
from ttt_server.cluster.signature import Kind
from ttt_server.cluster.upstream import Upstream
from ttt_server.cluster.watched import Spectator, Told
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.rooms.tokens import TokenSigner
from ttt_server.transport.broadcast import Broadcaster
from ttt_server.transport.connection import Connection

logger = logging.getLogger(__name__)

_WELCOME: Final = b'{"type":"welcome"'
_UPDATE: Final = b'{"type":"update"'
_GOODBYE: Final = b'{"type":"goodbye"'
_REFUSED: Final = b'{"type":"refused"'
_REMOVED: Final = b'{"type":"removed"'

_TELL_S: Final = 0.5
"""The least time between two numbers of spectators that the owner is told."""

_MOST_WAITING: Final = 16
"""Commands of a spectator that wait for a connection of its own."""

_KNOWN: Final = {code.value: code for code in CloseCode}

Headers = Callable[[Kind, str, str], tuple[tuple[str, str], ...]]
"""Return the signed headers of a request, for a path and the address of a client."""


class Watches:
    """The rooms of other servers that clients of this one watch."""

    def __init__(
        self,
        headers: Headers,
        signer: TokenSigner,
        sessions: Iterator[SessionId],
        broadcaster: Broadcaster,
        tasks: TaskOwner,
    ) -> None:
        self.headers = headers
        self.signer = signer
        self.sessions = sessions
        self.broadcaster = broadcaster
        self.tasks = tasks
        self._rooms: dict[RoomName, _Watch] = {}

    @property
    def count(self) -> int:
        return len(self._rooms)

    def begin(self, connection: Connection, name: RoomName, address: str, client: str) -> None:
        """Serve a spectator, whose join comes as the first message."""
        connection.attach(SpectatorEndpoint(connection, name, address, client, self))

    def watch(self, name: RoomName, address: str) -> "_Watch":
        """Return what watches a room, from now on if none does."""
        found = self._rooms.get(name)
        if found is None:
            found = self._rooms[name] = _Watch(name, address, self)
        return found

    def forget(self, watch: "_Watch") -> None:
        """Drop what watches a room no more."""
        if self._rooms.get(watch.name) is watch:
            del self._rooms[watch.name]


class SpectatorEndpoint:
    """One spectator of a room that another server owns."""

    def __init__(
        self,
        connection: Connection,
        name: RoomName,
        address: str,
        client: str,
        watches: Watches,
    ) -> None:
        self.connection = connection
        self._room = name
        self._address = address
        self._client = client
        self._watches = watches
        self._watch: _Watch | None = None
        self._join = b""
        self._join_again = b""
        """The join of a spectator that is welcome already, with its identity."""
        self._you: You | None = None
        self._is_known = False
        """Whether a secret of before proves the identity."""
        self._own: Upstream | None = None
        self._is_opening = False
        self._waiting: list[bytes] = []
        self._is_told = False
        """Whether the client has its welcome."""
        self._is_gone = False

    @property
    def session(self) -> SessionId | None:
        """The identity; `None` before the join."""
        return None if self._you is None else self._you.from_

    def described(self) -> Spectator:
        """Return what the owner judges it by."""
        address = None if self._is_known and not self._is_told else self._client
        return Spectator(member=self.session or SessionId(""), address=address)

    # What the connection tells

    def on_message(self, text: bytes) -> None:
        """Take the join, or a command."""
        self.connection.receive_next()
        if self._own is not None:
            self._own.send(text)
        elif self._join:
            if len(self._waiting) >= _MOST_WAITING:
                self.connection.dismiss(CloseCode.POLICY)
                return
            self._waiting.append(text)
            self.part()
        else:
            self._enter(text)

    def on_binary(self) -> None:
        """Close: all messages are text."""
        self.connection.dismiss(CloseCode.BINARY_FRAME)

    def on_close(self) -> None:
        """Leave."""
        self._is_gone = True
        self._leave()
        if self._own is not None:
            self._own.close()

    # What the watch tells

    def welcome(self, message: dict[str, Any]) -> None:
        """Welcome the client; `message` is the owner's, for no client in particular."""
        self._is_told = True
        if self._you is not None:
            you = json.loads(encode_message(self._you))
            self.connection.send(_encoded(message | {"you": you}))

    def part(self) -> None:
        """Open a connection for this spectator alone."""
        if self._is_opening or self._is_gone:
            return
        self._is_opening = True
        self._watches.tasks.start(self._open_own())

    # A connection of its own

    def on_payload(self, payload: bytes) -> None:
        """Pass a message on; a second welcome only brings the state up to date."""
        if payload.startswith(_WELCOME):
            if self._is_told:
                payload = update_head(()) + _encoded(json.loads(payload)["room"]) + b"}"
            self._is_told = True
        if not payload.startswith(_GOODBYE):
            self.connection.send(payload, is_state=payload.startswith(_UPDATE))

    def on_end(self, code: int | None) -> None:
        """Close the client's connection as the owner has closed its own."""
        self.connection.dismiss(_KNOWN.get(code or 0, CloseCode.RESTARTING))

    async def _open_own(self) -> None:
        path = f"/ws/rooms/{self._room}"
        headers = self._watches.headers("player", path, self._client)
        own = Upstream(self._address, path, headers, self)
        try:
            await own.open()
        except Unreachable as error:
            logger.warning("%s", error)
            self.connection.dismiss(CloseCode.RESTARTING)
            return
        if self._is_gone:
            own.close()
            return
        self._leave()
        self._own = own
        own.send(self._join_again if self._is_told else self._join)
        waiting, self._waiting = self._waiting, []
        for text in waiting:
            own.send(text)

    def _enter(self, text: bytes) -> None:
        join = decode_command(text)
        if not isinstance(join, Join):  # `relay.may_share` has seen it
            raise TypeError(join.type)
        if join.watch is None:
            session = next(self._watches.sessions)
        else:
            session = self._watches.signer.watcher(self._room, None, join.watch)
        self._is_known = join.watch is not None
        watch = self._watches.signer.watch(self._room, None, session)
        self._join = text
        self._join_again = _encoded(json.loads(text) | {"watch": watch})
        self._you = You(
            id=None,
            role=Role.SPECTATOR,
            seat=None,
            name=join.name,
            token=None,
            from_=session,
            watch=watch,
        )
        self._watch = self._watches.watch(self._room, self._address)
        self._watch.enter(self)

    def _leave(self) -> None:
        if self._watch is not None:
            self._watch.exit(self)
            self._watch = None


class _Watch:
    """The one connection that watches a room."""

    def __init__(self, name: RoomName, address: str, watches: Watches) -> None:
        self.name = name
        self._watches = watches
        path = f"/ws/rooms/{name}"
        self._upstream = Upstream(address, path, watches.headers("watch", path, ""), self)
        self._newcomers: dict[SpectatorEndpoint, None] = {}
        self._asked: dict[SpectatorEndpoint, None] = {}
        """The newcomers for whom the owner was asked, and has not answered."""
        self._spectators: dict[SpectatorEndpoint, None] = {}
        self._listeners: tuple[Connection, ...] | None = None
        self._is_welcome = False
        """Whether the owner has let the relay in."""
        self._is_asking = False
        self._is_over = False
        self._timer: asyncio.TimerHandle | None = None
        self._told = 0
        watches.tasks.start(self._open())

    def enter(self, spectator: SpectatorEndpoint) -> None:
        """Add a spectator, who is welcomed as soon as the owner tells the state."""
        is_first = not self._newcomers
        self._newcomers[spectator] = None
        if is_first and self._is_welcome and not self._is_asking:
            asyncio.get_running_loop().call_soon(self._ask)

    def exit(self, spectator: SpectatorEndpoint) -> None:
        """Remove a spectator."""
        self._newcomers.pop(spectator, None)
        self._asked.pop(spectator, None)
        if self._spectators.pop(spectator, spectator) is None:
            self._listeners = None
        if not self._count:
            self._close()
        elif self._timer is None and self._is_welcome:
            self._timer = asyncio.get_running_loop().call_later(_TELL_S, self._recount)

    def on_payload(self, payload: bytes) -> None:
        """Send a message on."""
        if payload.startswith(_WELCOME):
            self._welcome(payload)
        elif payload.startswith(_REFUSED) and not self._is_welcome:
            self._part_all()
        elif payload.startswith(_REMOVED):
            self._remove(frozenset(json.loads(payload)["members"]))
        elif not payload.startswith(_GOODBYE):
            if self._listeners is None:
                self._listeners = tuple(each.connection for each in self._spectators)
            is_state = payload.startswith(_UPDATE)
            self._watches.broadcaster.add(self._listeners, payload, is_state=is_state)

    def on_end(self, code: int | None) -> None:  # noqa: ARG002 - clients come back in any case
        """Close all: the owner is gone."""
        self._forget()
        for spectator in (*self._spectators, *self._asked, *self._newcomers):
            spectator.connection.dismiss(CloseCode.RESTARTING)

    async def _open(self) -> None:
        try:
            await self._upstream.open()
        except Unreachable as error:
            logger.warning("%s", error)
            self.on_end(None)

    def _welcome(self, payload: bytes) -> None:
        if not self._is_welcome:  # the relay itself is: it asks for the others
            self._is_welcome = True
            self._ask()
            return
        self._is_asking = False
        message = json.loads(payload)
        welcome, self._asked = self._asked, {}
        self._spectators |= welcome
        self._listeners = None
        for spectator in welcome:
            spectator.welcome(message)
        if self._newcomers:
            self._ask()
        self._told_soon()

    def _remove(self, removed: frozenset[str]) -> None:
        """Let the owner refuse the newcomers that the host has removed, and dismiss the others."""
        for spectator in [each for each in self._asked if each.session in removed]:
            del self._asked[spectator]
            spectator.part()
        dismissed = [each for each in self._spectators if each.session in removed]
        for spectator in dismissed:
            spectator.connection.dismiss(CloseCode.REMOVED)
        if dismissed:
            self._tell(dismissed=[each.described() for each in dismissed])

    def _told_soon(self) -> None:
        if self._told != len(self._spectators) and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_TELL_S, self._recount)

    @property
    def _count(self) -> int:
        return len(self._spectators) + len(self._asked) + len(self._newcomers)

    def _recount(self) -> None:
        self._timer = None
        self._tell()

    def _ask(self) -> None:
        """Ask for the state, for all newcomers."""
        if not self._is_asking:
            self._is_asking = True
            self._asked, self._newcomers = self._newcomers, {}
            self._tell(ask=True, newcomers=[each.described() for each in self._asked])

    def _tell(
        self,
        *,
        ask: bool = False,
        newcomers: Sequence[Spectator] = (),
        dismissed: Sequence[Spectator] = (),
    ) -> None:
        """Tell the owner how many watch. See `Told`."""
        if not self._is_over:
            self._told = self._count
            told = Told(
                count=self._told, ask=ask, newcomers=list(newcomers), dismissed=list(dismissed)
            )
            self._upstream.send(told.model_dump_json().encode())

    def _part_all(self) -> None:
        """Leave each its own way: the owner admits none without a word of its own."""
        for spectator in (*self._newcomers, *self._asked):
            spectator.part()

    def _close(self) -> None:
        self._forget()
        self._upstream.close()

    def _forget(self) -> None:
        self._is_over = True
        if self._timer is not None:
            self._timer.cancel()
        self._watches.forget(self)


def _encoded(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
