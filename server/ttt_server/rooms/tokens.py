"""Tokens: signed, not stored. That of a seat is `session.signature`, valid in one room.

That of a person is `person.epoch.signature`, valid in the whole installation.
"""

import errno
import hmac
import logging
import os
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path

from ttt_protocol.state import PersonId, RoomName, SessionId, Token

logger = logging.getLogger(__name__)

_LETTERS = b"abcdefghjkmnpqrstvwxyz0123456789" * 8
"""A letter for each byte. There are 32, so that all are equally likely."""
_SESSION_LENGTH = 12
_AT_ONCE = 256
_SECRET_BYTES = 32
_LEAST_SECRET_BYTES = 16
_MODE_OF_OTHERS = 0o077

_EPOCH_DIGITS = 9

_CLAIM_STEP_MS = 60_000
_CLAIM_STEPS = 11
"""A player's `claim_key` finds the seat for ten to eleven minutes."""


class BadToken(Exception):
    """Not a token of this room, or not signed with this secret."""


def new_sessions() -> Iterator[SessionId]:
    """Yield new identities without end: 12 letters and digits, 60 bits."""
    while True:
        # Not one by one: each system call may hand our turn to another thread.
        letters = secrets.token_bytes(_SESSION_LENGTH * _AT_ONCE).translate(_LETTERS).decode()
        for at in range(0, len(letters), _SESSION_LENGTH):
            yield SessionId(letters[at : at + _SESSION_LENGTH])


def new_secret() -> bytes:
    """Return a new random secret."""
    return secrets.token_bytes(_SECRET_BYTES)


def make_secret(path: Path) -> bytes:
    """Make a secret and write it to `path`, mode 0600.

    Raises:
        OSError: if the file cannot be made.
    """
    secret = new_secret()
    write_secret(path, secret)
    return secret


def write_secret(path: Path, secret: bytes) -> None:
    """Write a secret to `path`, mode 0600.

    Raises:
        OSError: if the file cannot be made.
    """
    aside = path.with_name(f"{path.name}.new")  # a kill leaves the whole file or none
    with open(aside, "wb", opener=_private) as file:
        file.write(secret)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)


def read_secret(path: Path) -> bytes | None:
    """Return the secret in the file at `path`; `None` if there is no file.

    Raises:
        OSError: if the file cannot be read, or is too short to be a secret.
    """
    try:
        secret = path.read_bytes()
    except FileNotFoundError:
        return None
    # A truncated file would let anyone sign.
    if len(secret) < _LEAST_SECRET_BYTES:
        raise OSError(errno.EINVAL, "is too short for a secret", str(path))
    if path.stat().st_mode & _MODE_OF_OTHERS:
        logger.warning("%s is open to other users: chmod 600 %s", path, path)
    return secret


class TokenSigner:
    """Signs and checks the tokens of one installation."""

    def __init__(self, secret: bytes) -> None:
        self._keyed = hmac.new(secret, digestmod="sha256")

    def token(self, room: RoomName, session: SessionId) -> Token:
        """Return the token for what `session` owns in `room`."""
        return Token(f"{session}.{self._sign(f'{room}.{session}')}")

    def session(self, room: RoomName, token: str) -> SessionId:
        """Return whose token of `room` this is.

        Raises:
            BadToken: for a forged token as for one of another room.
        """
        session, _, signature = token.partition(".")
        self._require(signature, f"{room}.{session}")
        return SessionId(session)

    def watch(self, room: RoomName, password_hash: str | None, watcher: SessionId) -> Token:
        """Return the secret with which a spectator of `room` may come back as `watcher`."""
        return Token(f"{watcher}.{self._sign(_watched(room, password_hash, watcher))}")

    def watcher(self, room: RoomName, password_hash: str | None, token: str) -> SessionId:
        """Return the spectator whose secret this is.

        Raises:
            BadToken: also for a room of the same name with another password.
        """
        watcher, _, signature = token.partition(".")
        self._require(signature, _watched(room, password_hash, SessionId(watcher)))
        return SessionId(watcher)

    def person(self, person: PersonId, epoch: int) -> Token:
        """Return the token of a person, which is good in this epoch of theirs."""
        return Token(f"{person}.{epoch}.{self._sign(_known(person, epoch))}")

    def person_of(self, token: str) -> tuple[PersonId, int]:
        """Return whose token this is, and of which epoch.

        Raises:
            BadToken: for a forged token, or one of another installation.
        """
        name, _, rest = token.partition(".")
        number, _, signature = rest.partition(".")
        if not (number.isascii() and number.isdecimal() and len(number) <= _EPOCH_DIGITS):
            raise BadToken
        person, epoch = PersonId(name), int(number)
        self._require(signature, _known(person, epoch))
        return person, epoch

    def claimed(self, room: RoomName, claim_key: str, now: int) -> Iterator[SessionId]:
        """Yield the players a `claim_key` may stand for: a new one first, then older ones.

        The identity follows from the key and the secret, and not the other way round. So only the
        log of the room need be kept, which has the identity in its seat.

        Args:
            room: where the player sits, or will.
            claim_key: the client's.
            now: Unix ms.
        """
        step = now // _CLAIM_STEP_MS
        for ago in range(_CLAIM_STEPS):
            yield self._identity(f"claim/{room}.{step - ago}.{claim_key}")

    def claimed_watcher(self, room: RoomName, claim_key: str) -> SessionId:
        """Return the spectator a `claim_key` stands for."""
        return self._identity(f"claim/{room}.watch.{claim_key}")

    def _identity(self, words: str) -> SessionId:
        return SessionId(self._digest(words)[:_SESSION_LENGTH].translate(_LETTERS).decode())

    def _require(self, signature: str, words: str) -> None:
        if not hmac.compare_digest(signature.encode(), self._sign(words).encode()):
            raise BadToken

    def _sign(self, words: str) -> str:
        return urlsafe_b64encode(self._digest(words)).decode().rstrip("=")

    def _digest(self, words: str) -> bytes:
        signature = self._keyed.copy()
        signature.update(words.encode())
        return signature.digest()


def _watched(room: RoomName, password_hash: str | None, watcher: SessionId) -> str:
    """Return the text that a spectator's secret signs.

    No seat's token signs the same text, as room names have no slash.
    """
    return f"watch/{room}.{watcher}.{password_hash or ''}"


def _known(person: PersonId, epoch: int) -> str:
    """Return the text that a person's token signs. No other text begins so."""
    return f"person/{person}.{epoch}"


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
