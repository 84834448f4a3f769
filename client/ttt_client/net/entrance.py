"""The way into a room: the `join` of each connection, and what proves who comes back.

A player proves it by the token of the seat, a spectator by the secret `you.watch`: that keeps the
same public id, and a locked room asks for no password again. Until a welcome brings one of them, a
`claim_key` finds the seat that a lost welcome told of.
"""

import asyncio
import secrets
from contextlib import suppress
from typing import Protocol

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from ttt_client.net.newer_server import read_message
from ttt_protocol.codec import encode_command
from ttt_protocol.commands import Join, Leave
from ttt_protocol.messages import Goodbye, Message, Refused, Welcome
from ttt_protocol.state import Role, Token, You

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
        left_out = {"settings"} if is_return else set()
        left_out |= {"seat"} if self._token is not None else set()
        left_out |= {"password"} if self._watch is not None else set()
        left_out |= {"claim_key"}
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
