"""A place in a room, over as many connections as it takes: join, resume, back off.

It knows nothing of terminals: it reports messages and sends commands.

A player who comes back proves it by the token of the seat, a spectator by the secret `you.watch`:
that keeps the same public id, and a locked room asks for no password again. Until a welcome brings
one of them, a `claim_key` finds the seat that a lost welcome told of.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from ttt_client.model import words
from ttt_client.model.lobby import with_changes
from ttt_client.net.dial import Backoff, Rejected, Sleep, Unreachable, dial, growing_pauses
from ttt_client.net.newer_server import read_message
from ttt_protocol.codec import encode_command
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import Join, Leave, Seek
from ttt_protocol.events import Event
from ttt_protocol.messages import Goodbye, Message, Refused, Rooms, RoomsChanged, Welcome
from ttt_protocol.state import Role, Summary, Token, You
from ttt_protocol.text import clean

OPEN_S, REDIAL_S = 10.0, 5.0
"""Seconds that the first connection, and each later one, may take to open."""
STEADY_S = 10.0
"""After a connection that lasted longer than this, pauses start again from the first."""
PATIENCE_S = 86_400
"""Sum of pauses without a steady connection. The server abandons an empty game after as long."""

ENTER_PATIENCE_S = 10
"""Sum of pauses after a `join` that was sent, before any welcome: a server restarts within it."""

PASSING = {RefusalCode.RATE_LIMITED, RefusalCode.SERVER_FULL, RefusalCode.STORAGE_FAILED}
"""Refusals that may be gone soon: those of a `join` say nothing about the seat."""

_FINAL = {
    CloseCode.BYE: 0,
    CloseCode.POLICY: 1,
    CloseCode.SEAT_TAKEN_OVER: 1,
    CloseCode.ROOM_CLOSED: 0,
    CloseCode.REMOVED: 1,
}
"""Close codes that end the session, with the exit code."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A message as it came, and decoded: None if only a newer client knows it.

    Changes of the list of rooms are decoded as the list after them.
    """

    raw: str
    message: Message | None
    past: Sequence[Event] = ()
    """With a welcome: the events of the game so far, as far as its record was read."""


@dataclass(frozen=True, slots=True)
class Note:
    """A text about the connection, and the pause before the next try, if there is one."""

    words: str
    pause_s: float | None = None

    def __str__(self) -> str:
        again = "" if self.pause_s is None else f"; trying again in {self.pause_s:.1f} s"
        return f"{self.words}{again}"


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a session or of the program: its exit code, and why."""

    code: int
    words: str | None = None
    refusal: RefusalCode | None = field(default=None, compare=False)
    """The refusal of the server that ended it, if there was one."""
    reason: str | None = field(default=None, compare=False)
    """That refusal as a sentence, where `words` say more."""


class _Lost(NamedTuple):
    """A connection that ended while the place in the room goes on."""

    words: str
    retry_after_s: float = 0


SessionEvent = Heard | Note | Ending
Reporter = Callable[[Heard | Note], Awaitable[None]]


class NotConnected(Exception):
    """The command was not sent, because there was no connection."""


class Session(Protocol):
    """A place in a room, as a controller uses it."""

    @property
    def connected(self) -> bool:
        """Whether the server has welcomed this client on the open connection."""

    @property
    def is_kept(self) -> bool:
        """Whether the same command takes the seat back."""

    @property
    def trouble(self) -> str | None:
        """The fault in remembering the seat, if there was one."""

    async def send(self, command: str | bytes) -> None:
        """Send a command; raise `NotConnected` if it was not sent."""

    async def round_trip_s(self) -> float:
        """Measure how long a ping and its answer take; raise `NotConnected` without one."""

    def retry_now(self) -> None:
        """End the pause before the next try, if there is one."""

    async def leave(self) -> None:
        """Ask to give up the seat; raise `NotConnected` if it was not asked."""

    async def run(self, report: Reporter) -> "Ending":
        """Stay in the room until it ends, and report every message and every lost connection."""


PARTING_S = 1.0
"""Seconds that a client which ends waits for the welcome to a seat that it may have."""

_CLAIM_KEY_BYTES = 24
"""At random: 32 characters."""


class TokenStore(Protocol):
    """A place for the token of one seat."""

    @property
    def is_kept(self) -> bool:
        """Whether the token is stored now."""

    @property
    def trouble(self) -> str | None:
        """The fault in storing it, if there was one."""

    def recall(self) -> Token | None:
        """Return the stored token, if there is one."""

    def remember(self, token: Token) -> None:
        """Store `token` in place of the one before."""

    def forget(self) -> None:
        """Drop the stored token."""


class NoTokenStore:
    """For a session without a seat, or with a caller that stores the token itself."""

    is_kept = True
    trouble = None

    def recall(self) -> Token | None:
        return None

    def remember(self, token: Token) -> None:
        """Store nothing."""

    def forget(self) -> None:
        """Do nothing."""


class Entrance:
    """The `join` of a member for each of its connections."""

    def __init__(self, join: Join, tokens: TokenStore, given: Token | None) -> None:
        """Begin with a stored token, or with `given`, which is never exchanged for another."""
        self._join = join
        self._tokens = tokens
        self._given = given
        self._token = (given or tokens.recall()) if join.role is Role.PLAYER else None
        self._watch: Token | None = None
        self._claim_key: str | None = join.claim_key or secrets.token_urlsafe(_CLAIM_KEY_BYTES)

    def join(self, *, is_return: bool) -> Join:
        """Return the `join` for the next connection.

        The token says which seat it is, a spectator's secret needs no password, and settings count
        only when a room is made, not on a return.
        """
        left_out = {"claim_key", "settings"} if is_return else {"claim_key"}
        left_out |= {"seat"} if self._token is not None else set()
        left_out |= {"password"} if self._watch is not None else set()
        kept = self._join.model_fields_set - left_out
        fields = {name: getattr(self._join, name) for name in kept}
        proofs: dict[str, str | None] = {"token": self._token, "watch": self._watch}
        if (self._token, self._watch) == (None, None):
            proofs["claim_key"] = self._claim_key
        known = {name: proof for name, proof in proofs.items() if proof is not None}
        return Join.model_validate(fields | known)

    def welcomed(self, you: You) -> None:
        """Keep the proof for the next connection."""
        if you.token is not None:
            self._token = you.token
            self._tokens.remember(you.token)
        elif self._join.role is Role.SPECTATOR:
            self._watch = you.watch

    async def part(self, connection: ClientConnection) -> None:
        """End an unanswered `join`, whose seat would be lost without a token.

        Wait shortly for the welcome; if it does not come, give the seat up.
        """
        if self._join.role is not Role.PLAYER or self._token is not None:
            return
        message: Message | None = None
        with suppress(ConnectionClosed):
            try:
                async with asyncio.timeout(PARTING_S):
                    while not isinstance(message, Welcome | Refused | Goodbye):
                        message = read_message(await connection.recv(decode=True))
            except TimeoutError:
                await connection.send(encode_command(Leave()), text=True)
        if isinstance(message, Welcome):
            self.welcomed(message.you)

    def drop_person(self) -> bool:
        """Join as a guest from now on; `False` for one who does already."""
        if self._join.person is None:
            return False
        fields = self._join.model_fields_set - {"person"}
        self._join = Join.model_validate({name: getattr(self._join, name) for name in fields})
        return True

    def drop_claim_key(self) -> bool:
        """Drop the `claim_key`, which an older server does not know; `False` without one."""
        had, self._claim_key = self._claim_key, None
        return had is not None and (self._token, self._watch) == (None, None)

    def drop_refused(self) -> str | None:
        """Drop the proof that the server did not take.

        Returns:
            Its meaning in words; `None` if there is no way to join without it.
        """
        if self._watch is not None:
            self._watch = None
            return "the room does not remember us; joining again"
        if self._token in {None, self._given}:
            return None
        self._tokens.forget()
        self._token = None
        return "the remembered seat is gone; joining again"


class ResumedSession:
    """A place on a server that outlives its connections.

    Args:
        url: its WebSocket address.
        tokens: a store for the token of the place, so that a later session can come back to it.
        sleep: the wait between two tries.
    """

    def __init__(self, url: str, tokens: TokenStore | None, sleep: Sleep = asyncio.sleep) -> None:
        self._url = url
        self._tokens = tokens or NoTokenStore()
        self._connection: ClientConnection | None = None
        """The open connection, once the server has welcomed this client on it."""
        self._pause = Backoff(sleep)

    @property
    def is_kept(self) -> bool:
        """Whether the same command comes back to the place."""
        return self._tokens.is_kept

    async def send(self, command: str | bytes) -> None:
        """Send a command that `encode_command` made or `decode_command` accepted.

        Raises:
            NotConnected: if it was not sent.
        """
        if self._connection is None:
            raise NotConnected
        try:
            await self._connection.send(command, text=True)
        except ConnectionClosed:
            raise NotConnected from None

    async def round_trip_s(self) -> float:
        """Measure how long a ping and its answer take.

        Raises:
            NotConnected: if there is no connection, or it ends before the answer.
        """
        if self._connection is None:
            raise NotConnected
        try:
            return await (await self._connection.ping())
        except ConnectionClosed:
            raise NotConnected from None

    def retry_now(self) -> None:
        """End the pause before the next try, if there is one."""
        self._pause.end()

    async def _dial(self, *, is_return: bool) -> ClientConnection:
        """Open a connection; raise `Unreachable` or `Rejected` where there is none."""
        return await dial(self._url, open_timeout_s=REDIAL_S if is_return else OPEN_S)


class RoomSession(ResumedSession):
    """A member's place in a room, which outlives its connections.

        async def report(heard: Heard | Note) -> None: ...

        session = RoomSession("ws://127.0.0.1:8765/ws/rooms/den", Join(name="bot"))
        end = await session.run(report)

    `run` joins, reports every message, and comes back to the same seat after a lost connection.
    Meanwhile `send` and `leave` speak for the member.

    Args:
        url: the WebSocket address of the room, or of the lobby.
        join: the first command on every connection, a `seek` for an opponent; None in the lobby.
        tokens: a store for the token of the seat, so that a later session can take it back.
        given: a token from the user; the session never exchanges it for another.
        sleep: the wait between two tries.
    """

    def __init__(
        self,
        url: str,
        join: Join | Seek | None,
        tokens: TokenStore | None = None,
        *,
        given: Token | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        super().__init__(url, tokens, sleep)
        self._join = join
        self._given = given
        self._entrance: Entrance | None = None
        """None before `run`, and where no room is joined."""
        self._resuming = False
        self._is_unanswered = False
        """Whether the last `join` was sent without an answer: it may have been carried out."""
        self._leaving = False
        self._listed: tuple[Summary, ...] = ()
        """The rooms that the lobby has told."""

    @property
    def connected(self) -> bool:
        """Whether the server has welcomed this client on the open connection."""
        return self._connection is not None

    @property
    def trouble(self) -> str | None:
        """The fault in remembering the seat, if there was one."""
        return self._tokens.trouble

    async def leave(self) -> None:
        """Ask to give up the seat. The server then closes the connection, and `run` ends.

        The token of the seat is forgotten at that close: a request may be lost on its way.

        Raises:
            NotConnected: if it was not asked.
        """
        self._leaving = True  # before the answer can come
        try:
            await self.send(encode_command(Leave()))
        except NotConnected:
            self._leaving = False
            raise

    async def run(self, report: Reporter) -> Ending:
        """Stay in the room until it ends, and report every message and every lost connection."""
        if isinstance(self._join, Join):
            self._entrance = Entrance(self._join, self._tokens, self._given)
        loop = asyncio.get_running_loop()
        pauses, paused = growing_pauses(), 0.0
        while paused < PATIENCE_S:
            dialed = loop.time()
            end = await self._connect_once(report)
            if isinstance(end, Ending):
                return end
            if loop.time() - dialed > STEADY_S:
                pauses, paused = growing_pauses(), 0.0
            pause = max(next(pauses), end.retry_after_s)
            paused += pause
            if paused > ENTER_PATIENCE_S and not self._resuming:
                return Ending(3, end.words)
            await report(Note(end.words, pause))
            await self._pause.take(pause)
        return Ending(3, "the server has been away for too long")

    async def _connect_once(self, report: Reporter) -> Ending | _Lost:
        """Serve one connection from dialling to its end."""
        try:
            connection = await self._dial(is_return=self._resuming)
        except Rejected as error:
            return Ending(4, error.words)
        except Unreachable as error:
            if not self._resuming and not self._is_unanswered:
                return Ending(3, f"cannot reach the server: {error.words}")
            return _Lost(f"cannot reach the server: {error.words}", error.retry_after_s)
        goodbye: Goodbye | None = None
        try:
            await self._send_join(connection)
            async for frame in connection:
                raw = frame if isinstance(frame, str) else frame.decode(errors="replace")
                heard = Heard(raw, self._as_list(read_message(raw)))
                self._enter(heard.message, connection)
                await report(heard)
                if isinstance(heard.message, Goodbye):
                    goodbye = heard.message
                elif isinstance(heard.message, Refused) and self._connection is None:
                    end = await self._refused(heard.message, connection, report)
                    if end is not None:
                        return end
        except ConnectionClosed:
            pass
        except asyncio.CancelledError:
            if self._entrance is not None and self._connection is None:
                await self._entrance.part(connection)
            raise
        finally:
            was_in, self._connection = self._connection is not None, None
            await connection.close()
        if connection.close_code == CloseCode.POLICY and not was_in and self._entrance is not None:
            return Ending(1, words.LATE_JOIN)
        return self._closed(connection, goodbye)

    async def _send_join(self, connection: ClientConnection) -> None:
        if self._entrance is not None:
            join = self._entrance.join(is_return=self._resuming)
            await connection.send(encode_command(join), text=True)
        elif isinstance(self._join, Seek):
            await connection.send(encode_command(self._join), text=True)
            self._use(connection)  # nothing answers before the search is over

    def _enter(self, message: Message | None, connection: ClientConnection) -> None:
        """Start using `connection` at the welcome, or in the lobby at the first list of rooms."""
        if self._connection is not None or not isinstance(message, Welcome | Rooms):
            return
        self._use(connection)
        if isinstance(message, Welcome) and self._entrance is not None:
            self._entrance.welcomed(message.you)

    def _as_list(self, message: Message | None) -> Message | None:
        """Return changes of the list of rooms as the list after them, and the rest as it is."""
        if isinstance(message, RoomsChanged):
            message = Rooms(rooms=with_changes(self._listed, message), total=message.total)
        if isinstance(message, Rooms):
            self._listed = message.rooms
        return message

    def _use(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._resuming = True

    async def _refused(
        self, refused: Refused, connection: ClientConnection, report: Reporter
    ) -> Ending | _Lost | None:
        """Return what follows from a refused `join`; None if another one was sent."""
        why, entrance = words.refusal(refused.code, refused.reason), self._entrance
        is_of_person = refused.code in {RefusalCode.BAD_TOKEN, RefusalCode.BAD_COMMAND}
        is_of_person = is_of_person and "person" in refused.reason
        if is_of_person and entrance is not None and entrance.drop_person():
            await report(Note(f"joining as a guest: {why}"))
            await self._send_join(connection)
            return None
        if refused.code is RefusalCode.BAD_TOKEN and entrance is not None:
            dropped = entrance.drop_refused()
            if dropped is not None:
                self._resuming = False
                await report(Note(dropped))
                await self._send_join(connection)
                return None
        is_older = refused.code is RefusalCode.BAD_COMMAND and "claim_key" in refused.reason
        if is_older and entrance is not None and entrance.drop_claim_key():
            await self._send_join(connection)
            return None
        if (self._resuming or self._is_unanswered) and refused.code in PASSING:
            return _Lost(f"the server cannot now: {why}")
        has_password = isinstance(self._join, Join) and self._join.password is not None
        if refused.code is RefusalCode.WRONG_PASSWORD and has_password:
            why = "wrong password"
        return Ending(4, f"refused: {why} ({refused.code})", refused.code, why)

    def _closed(self, connection: ClientConnection, goodbye: Goodbye | None) -> Ending | _Lost:
        """Return what follows from the end of the connection."""
        code = connection.close_code
        said = goodbye.reason if goodbye is not None else connection.close_reason
        reason = f": {clean(said)}" if said else ""
        # A spectator has no seat to give up.
        watches = isinstance(self._join, Join) and self._join.role is Role.SPECTATOR
        if self._leaving and (code == CloseCode.BYE or watches):
            self._tokens.forget()
            return Ending(0, "you left the room")
        if code in _FINAL:
            return Ending(_FINAL[CloseCode(code)], words.close(CloseCode(code), said))
        if self._leaving:
            kept = "; the token of your seat is kept" if self._tokens.is_kept else ""
            return Ending(1, f"the connection was lost before the server said that you left{kept}")
        retry_after_s = goodbye.retry_after_s if goodbye is not None else None
        if not self._resuming:
            why = f"the server closed the connection before letting us in{reason}"
            if self._entrance is None:
                return Ending(3, why)
            self._is_unanswered = True
            return _Lost(why, retry_after_s or 0)
        return _Lost(f"the connection was lost{reason}", retry_after_s or 0)
