"""Spectators of rooms that other servers own: all of a room share one connection to the owner.

The relay watches the room as one spectator who stands for many, and sends each message on to all of
its own. A newcomer needs a `welcome` of its own: the owner sends one for all who came in the same
moment and may watch, and the relay puts each one's name into it. A spectator who sends a command
is given a connection of its own first.
"""

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from ttt_protocol.codec import decode_command, encode_message
from ttt_protocol.codes import CloseCode
from ttt_protocol.commands import Join
from ttt_protocol.messages import encode_update
from ttt_protocol.state import Role, RoomName, SessionId, You
from ttt_server.cluster.dial import Unreachable
from ttt_server.cluster.shared_watch import Watch
from ttt_server.cluster.shared_watch_owner import Spectator
from ttt_server.cluster.signature import Kind
from ttt_server.cluster.upstream import Upstream
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.seating import told_from
from ttt_server.rooms.tokens import TokenSigner
from ttt_server.transport.broadcast import Broadcaster
from ttt_server.transport.connection import Connection

logger = logging.getLogger(__name__)

_WELCOME: Final = b'{"type":"welcome"'
_UPDATE: Final = b'{"type":"update"'
_GOODBYE: Final = b'{"type":"goodbye"'

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
        self._rooms: dict[RoomName, Watch] = {}
        self._apart: set[SpectatorEndpoint] = set()
        """The spectators with connections of their own."""

    @property
    def count(self) -> int:
        return len(self._rooms)

    def begin(self, connection: Connection, name: RoomName, address: str, client: str) -> None:
        """Serve a spectator, whose join comes as the first message."""
        connection.attach(SpectatorEndpoint(connection, name, address, client, self))

    def watch(self, name: RoomName, address: str) -> Watch:
        """Return what watches a room on the server of this address, from now on if none does."""
        found = self._rooms.get(name)
        if found is not None and found.address != address:
            found.end()  # the room has another owner
            found = None
        if found is None:
            found = self._rooms[name] = Watch(name, address, self)
        return found

    def leave(self, addresses: frozenset[str]) -> None:
        """End what leads to these servers: they are no longer alive."""
        for watch in [each for each in self._rooms.values() if each.address in addresses]:
            watch.end()
        for spectator in self._apart:
            if spectator.address in addresses:
                spectator.end()

    def part(self, spectator: "SpectatorEndpoint") -> None:
        """Note that a spectator has a connection of its own."""
        self._apart.add(spectator)

    def lose(self, spectator: "SpectatorEndpoint") -> None:
        """Note that a spectator is gone."""
        self._apart.discard(spectator)

    def forget(self, watch: Watch) -> None:
        """Drop what watches a room no more."""
        if self._rooms.get(watch.name) is watch:
            del self._rooms[watch.name]


class SpectatorEndpoint:
    """A spectator of a room that another server owns."""

    def __init__(
        self,
        connection: Connection,
        name: RoomName,
        address: str,
        client: str,
        watches: Watches,
    ) -> None:
        self.connection = connection
        self.address = address
        self._room = name
        self._client = client
        self._watches = watches
        self._watch: Watch | None = None
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
        self._seq = 0
        """The number of the newest event that the client has seen, as far as it matters here."""

    @property
    def session(self) -> SessionId | None:
        """The identity; `None` before the join."""
        return None if self._you is None else self._you.from_

    def described(self) -> Spectator:
        """Return what the owner judges it by."""
        address = None if self._is_known and not self._is_told else self._client
        return Spectator(member=self.session or SessionId(""), address=address)

    # Calls of the connection

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
        self._watches.lose(self)
        if self._own is not None:
            self._own.close()

    # Calls of the watch

    def welcome(self, message: dict[str, Any]) -> None:
        """Welcome the client; `message` is the owner's, for no client in particular."""
        self._is_told = True
        room = message["room"]
        self._seq = room["seq"]
        if self._you is not None:
            players = [seat["name"] for seat in room["seats"].values() if seat is not None]
            name = told_from(self._you.name, players)
            self._you = replace(self._you, name=name)
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
        """Pass a message on; a second welcome only brings the state up to date, if it is newer."""
        if payload.startswith(_WELCOME):
            if self._is_told:
                room = json.loads(payload)["room"]
                if room["seq"] <= self._seq:
                    return
                payload = encode_update((), _encoded(room))
            self._is_told = True
        if not payload.startswith(_GOODBYE):
            self.connection.send(payload, is_state=payload.startswith(_UPDATE))

    def on_end(self, code: int | None) -> None:
        """Close the client's connection as the owner has closed its own."""
        self.connection.dismiss(_KNOWN.get(code or 0, CloseCode.RESTARTING))

    def end(self) -> None:
        """Close: the owner is no longer alive."""
        self.on_end(None)

    async def _open_own(self) -> None:
        path = f"/ws/rooms/{self._room}"
        headers = self._watches.headers("player", path, self._client)
        own = Upstream(self.address, path, headers, self)
        try:
            await own.open()
        except Unreachable as error:
            logger.warning("room %s: its server cannot be reached: %s", self._room, error)
            self.connection.dismiss(CloseCode.RESTARTING)
            return
        if self._is_gone:
            own.close()
            return
        if self._watch is not None:
            self._seq = max(self._seq, self._watch.seq)
        self._leave()
        self._own = own
        self._watches.part(self)
        own.send(self._join_again if self._is_told else self._join)
        waiting, self._waiting = self._waiting, []
        for text in waiting:
            own.send(text)

    def _enter(self, text: bytes) -> None:
        join = decode_command(text)
        if not isinstance(join, Join):  # `relay.may_share` has seen it
            raise TypeError(join.type)
        if join.watch is not None:
            session = self._watches.signer.watcher(self._room, None, join.watch)
        elif join.claim_key is not None:
            session = self._watches.signer.claimed_watcher(self._room, join.claim_key)
        else:
            session = next(self._watches.sessions)
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
        self._watch = self._watches.watch(self._room, self.address)
        self._watch.enter(self)

    def _leave(self) -> None:
        if self._watch is not None:
            self._watch.exit(self)
            self._watch = None


def _encoded(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
