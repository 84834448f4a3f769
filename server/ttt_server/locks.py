"""A room's password, kept as something that only this installation can check."""

import hashlib
import hmac
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode

_SALT_BYTES = 16
_COST = 2**14
_BLOCK = 8
"""With these a check takes tens of milliseconds and 16 MiB: too slow to guess."""


class Locks:
    """Makes and opens locks. A lock is `salt.hash`, hashed with the secret of the installation."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def make(self, password: str) -> str:
        """A lock that this password opens. Slow on purpose."""
        salt = os.urandom(_SALT_BYTES)
        return f"{_text(salt)}.{_text(self._hash(password, salt))}"

    def opens(self, lock: str, password: str) -> bool:
        """Whether this password opens the lock. Slow on purpose, and as slow for every password."""
        salt, _, hashed = lock.partition(".")
        expected = self._hash(password, urlsafe_b64decode(salt))
        return hmac.compare_digest(_text(expected), hashed)

    def _hash(self, password: str, salt: bytes) -> bytes:
        peppered = hmac.digest(self._secret, password.encode(), "sha256")
        return hashlib.scrypt(peppered, salt=salt, n=_COST, r=_BLOCK, p=1, dklen=32)


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode()
