"""Who comes in: finds out whose token it is, and whether the password is right."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Join
from ttt_protocol.state import RoomName, SessionId, Token
from ttt_server.concurrency.fair_semaphore import FairSemaphore
from ttt_server.core.errors import Refused
from ttt_server.core.join import Applicant
from ttt_server.core.room import Room
from ttt_server.rooms.passwords import PasswordHasher
from ttt_server.rooms.tokens import BadToken, TokenSigner, new_sessions

T = TypeVar("T")


class Admission:
    """Knows the secret of the installation."""

    def __init__(self, secret: bytes) -> None:
        self._signer = TokenSigner(secret)
        self._locks = PasswordHasher(secret)
        self._sessions = new_sessions()
        # One at a time, and in nobody else's thread: it is slow, and anyone may ask for it.
        self._locksmith = ThreadPoolExecutor(1, "locksmith")
        self._slots = FairSemaphore(1)

    def session(self, name: RoomName, join: Join) -> SessionId:
        """The session that the token names; a new one for who has none.

        Raises:
            Refused: `bad_token`.
        """
        if join.token is None:
            return next(self._sessions)
        try:
            return self._signer.session(name, join.token)
        except BadToken:
            raise Refused(RefusalCode.BAD_TOKEN) from None

    def token(self, name: RoomName, session: SessionId) -> Token:
        """What gives the session its seat back."""
        return self._signer.token(name, session)

    def is_open(self, room: Room, join: Join) -> bool:
        """Whether whoever wants to come in is known at once, as an `Applicant`."""
        if not room.seq:
            return join.settings is None
        return room.password_hash is None or join.token is not None

    async def guest(self, room: Room, join: Join, session: SessionId, address: str) -> Applicant:
        """Whoever wants to come into `room`, from an address.

        Passwords are hashed in a thread, by turns of the addresses: that is slow.
        """
        wanted = None if join.settings is None else join.settings.password
        if not room.seq:
            if wanted is None:
                return Applicant(join, session)
            return Applicant(
                join, session, password_hash=await self._slowly(address, self._locks.make, wanted)
            )
        if room.password_hash is None or join.token is not None:
            return Applicant(join, session)
        password = join.password if join.password is not None else wanted
        if password is None:
            return Applicant(join, session)
        opens = self._locks.knows(room.password_hash, password) or await self._slowly(
            address, self._locks.opens, room.password_hash, password
        )
        return Applicant(join, session, verified_hash=room.password_hash if opens else None)

    def close(self) -> None:
        """Nobody comes in any more."""
        self._locksmith.shutdown(wait=False, cancel_futures=True)

    async def _slowly(self, address: str, work: Callable[..., T], *args: str) -> T:
        async with self._slots.take(address):
            return await asyncio.get_running_loop().run_in_executor(self._locksmith, work, *args)
