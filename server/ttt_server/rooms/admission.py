"""Admission: whose token an applicant holds, whether the password is right, who has a held seat."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Join
from ttt_protocol.state import GivenSettings, Mark, PersonId, Role, RoomName, SessionId, Token
from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.concurrency.fair_semaphore import FairSemaphore
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.errors import Refused
from ttt_server.core.join import Applicant
from ttt_server.core.room import Room
from ttt_server.rooms.passwords import PasswordHasher
from ttt_server.rooms.registry import RoomRegistry
from ttt_server.rooms.tokens import BadToken, TokenSigner, new_sessions

T = TypeVar("T")


class Rights(NamedTuple):
    """What a token lets its owner see of a private room."""

    session: SessionId | None
    """The player's; `None` for a spectator."""
    sees_room: bool
    """Whether the owner has a seat or may watch. A former player sees only their own games."""
    person: PersonId | None = None
    """Whose token it is, if it is that of a person."""


class Admission:
    """Identifies applicants. Holds the secret of the installation."""

    def __init__(self, secret: bytes) -> None:
        self._signer = TokenSigner(secret)
        self._hasher = PasswordHasher(secret)
        self._sessions = new_sessions()
        # One hash at a time, in a thread of its own: hashing is slow, and anyone may ask for it.
        self._thread = ThreadPoolExecutor(1, "passwords")
        self._slots = FairSemaphore(1)

    def session(self, name: RoomName, join: Join, now: Callable[[], int]) -> SessionId:
        """Return the session named by the token, or a new one.

        A new one follows from the `claim_key`, if there is one. `now` gives Unix ms.

        Raises:
            Refused: `bad_token`.
        """
        if join.token is None:
            if join.claim_key is None:
                return next(self._sessions)
            if join.role is Role.SPECTATOR:
                return self._signer.claimed_watcher(name, join.claim_key)
            return next(self._signer.claimed(name, join.claim_key, now()))
        try:
            return self._signer.session(name, join.token)
        except BadToken:
            raise Refused(RefusalCode.BAD_TOKEN) from None

    def token(self, name: RoomName, session: SessionId) -> Token:
        """Return the token that gives a session its seat back."""
        return self._signer.token(name, session)

    def watch(self, room: Room, watcher: SessionId) -> Token:
        """Return the secret that lets a spectator come back as the same."""
        return self._signer.watch(room.name, room.password_hash, watcher)

    def claimed(self, room: Room, applicant: Applicant, now: int) -> Applicant:
        """Return the applicant as the player who recently sat down with the same `claim_key`.

        A password is asked for all the same.
        """
        join = applicant.join
        if join.claim_key is None or join.token is not None or join.role is not Role.PLAYER:
            return applicant
        for session in self._signer.claimed(room.name, join.claim_key, now):
            if room.has_place_of(session):
                return applicant._replace(session=session)
        return applicant

    def recognised(self, room: Room, applicant: Applicant) -> Applicant:
        """Return the applicant as a returning spectator, if its `watch` proves that.

        A player keeps the new session: it gets a seat of its own.

        Raises:
            Refused: `bad_token`.
        """
        join = applicant.join
        if join.watch is None or join.token is not None:
            return applicant
        try:
            watcher = self._signer.watcher(room.name, room.password_hash, join.watch)
        except BadToken:
            words = "this room does not know you from before"
            raise Refused(RefusalCode.BAD_TOKEN, words) from None
        if join.role is Role.PLAYER:
            return applicant._replace(is_known=True)
        return applicant._replace(session=watcher, is_known=True)

    def rights(self, room: Room, token: str) -> Rights:
        """Return what the owner of a token, or of a spectator's secret, may see.

        Raises:
            Refused: `bad_token`.
        """
        try:
            session = self._signer.session(room.name, token)
        except BadToken:
            pass
        else:
            return Rights(session, room.has_place_of(session))
        try:
            self._signer.watcher(room.name, room.password_hash, token)
        except BadToken:
            raise Refused(RefusalCode.BAD_TOKEN) from None
        return Rights(None, room.settings.spectators)

    def is_open(self, room: Room, join: Join) -> bool:
        """Return whether this join needs no password hashed and no plug-in asked."""
        if not room.seq:
            return join.settings is None
        return room.password_hash is None or (join.token, join.watch) != (None, None)

    async def applicant(
        self, room: Room, join: Join, session: SessionId, address: str
    ) -> Applicant:
        """Return the applicant, with a new room's password hashed or a given one checked.

        Hashing is slow: it runs in a thread, round-robin by address.
        """
        lock, applicant = room.password_hash, Applicant(join, session)
        password = None if join.settings is None else join.settings.password
        if not room.seq:
            if password is None:
                return applicant
            return applicant._replace(password_hash=await self.make_hash(password, address))
        password = join.password if join.password is not None else password
        if lock is None or password is None or join.token is not None:
            return applicant
        known = self._hasher.knows(lock, password)
        opens = known or await self.opens_hash(lock, password, address)
        return applicant._replace(verified_hash=lock if opens else None)

    async def make_hash(self, text: str, address: str) -> str:
        """Return a hash of a secret, as of a password."""
        return await self._hash(address, self._hasher.make, text)

    async def opens_hash(self, hashed: str, text: str, address: str) -> bool:
        """Return whether a hash is that of a secret."""
        return await self._hash(address, self._hasher.opens, hashed, text)

    def close(self) -> None:
        """Stop the thread, and cancel the calls that wait for it."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _hash(self, address: str, work: Callable[..., T], *args: str) -> T:
        async with self._slots.take(address):
            return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)


HOLD_S = 10
"""How long seats are held."""

_NAME_LENGTH = 10
"""Letters and digits of a room's name, 50 bits: unique, and not to be guessed."""


class HeldSeat(NamedTuple):
    """A held seat, and the token that claims it."""

    seat: Mark
    token: Token


@dataclass(slots=True)
class _Reservation:
    """The held seats of a room by session, and the settings of the room."""

    settings: GivenSettings
    seats: dict[SessionId, Mark]
    makes_host: bool


class Reservations:
    """Holds seats in memory until they are claimed or time is up.

    Their rooms begin when the first of their owners joins.
    """

    def __init__(self, admission: Admission, registry: RoomRegistry, tasks: TaskOwner) -> None:
        self._admission = admission
        self._registry = registry
        self._tasks = tasks
        self._sessions: Iterator[SessionId] = new_sessions()
        self._held: dict[RoomName, _Reservation] = {}
        self._due = Deadlines(HOLD_S, self._expire)

    def hold(
        self, settings: GivenSettings, marks: tuple[Mark, ...], *, makes_host: bool
    ) -> tuple[RoomName, tuple[HeldSeat, ...]]:
        """Hold these seats of a new room, and return its name and a token for each seat.

        Args:
            settings: of the room.
            marks: the seats.
            makes_host: whether the first to join becomes the host.
        """
        name = RoomName(f"quick-{next(self._sessions)[:_NAME_LENGTH]}")
        seats = dict(zip(self._sessions, marks, strict=False))
        self._held[name] = _Reservation(settings, seats, makes_host)
        self._due.add(name)
        tokens = (
            HeldSeat(mark, self._admission.token(name, session)) for session, mark in seats.items()
        )
        return name, tuple(tokens)

    def settle_here(self, name: RoomName, then: Callable[[BaseException | None], None]) -> None:
        """Make a room this server's before anyone enters it, or hears of seats held in it.

        `then` gets the error, if any; it is called at once if the room is this server's.
        """
        if self._registry.is_ours(name):
            then(None)
        else:
            self._tasks.start(self._registry.acquire(name), then)

    def claim(self, room: Room, applicant: Applicant) -> Applicant:
        """Return the applicant, asking for its seat and room if a seat is held for it.

        Raises:
            Refused: `room_full` for another player while seats are held.
        """
        held = self._held.get(room.name)
        if held is None:
            return applicant
        join = applicant.join
        seat = None if join.token is None else held.seats.get(applicant.session)
        if seat is None:
            if join.role is Role.PLAYER and join.token is None:
                words = "the seats of this room are held for its players"
                raise Refused(RefusalCode.ROOM_FULL, words)
            return applicant
        wish = {"role": Role.PLAYER, "seat": seat, "token": None, "settings": held.settings}
        claim = join.model_copy(update=wish)
        return applicant._replace(join=claim, makes_host=held.makes_host)

    def settle(self, name: RoomName, session: SessionId) -> None:
        """Release a held seat: its owner sits there."""
        held = self._held.get(name)
        if held is not None:
            held.seats.pop(session, None)
            if not held.seats:
                self._expire(name)
                self._due.discard(name)

    def _expire(self, name: RoomName) -> None:
        self._held.pop(name, None)
