"""Password hashes that only this installation can check."""

import hashlib
import hmac
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode

_SALT_BYTES = 16
_COST = 2**14
_BLOCK = 8
"""These make a check take tens of milliseconds and 16 MiB: too slow for guessing."""

_REMEMBERED = 1000
"""Hashes whose passwords are remembered, so that a right password is hashed once."""


class PasswordHasher:
    """Makes and checks hashes: `salt.hash`, peppered with the secret of the installation."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._opened: dict[str, bytes] = {}
        """The peppered password by its hash."""

    def make(self, password: str) -> str:
        """Return a hash of the password. Slow on purpose."""
        salt = os.urandom(_SALT_BYTES)
        return f"{_text(salt)}.{_text(_hash(self._pepper(password), salt))}"

    def knows(self, lock: str, password: str) -> bool:
        """Return whether this password has been found right before. Quick."""
        known = self._opened.get(lock)
        return known is not None and hmac.compare_digest(known, self._pepper(password))

    def opens(self, lock: str, password: str) -> bool:
        """Return whether the password is right. Slow on purpose, for every password alike."""
        salt, _, hashed = lock.partition(".")
        peppered = self._pepper(password)
        opens = hmac.compare_digest(_text(_hash(peppered, urlsafe_b64decode(salt))), hashed)
        if opens:
            if len(self._opened) >= _REMEMBERED:
                self._opened.clear()
            self._opened[lock] = peppered
        return opens

    def _pepper(self, password: str) -> bytes:
        return hmac.digest(self._secret, password.encode(), "sha256")


def _hash(peppered: bytes, salt: bytes) -> bytes:
    return hashlib.scrypt(peppered, salt=salt, n=_COST, r=_BLOCK, p=1, dklen=32)


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode()
