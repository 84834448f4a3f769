"""A sign-in that was begun: what the browser keeps of it, and what the provider is asked. Pure."""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import asdict, dataclass
from typing import Final, Self
from urllib.parse import urlencode

LASTS_S: Final = 600
"""How long a sign-in may take."""

_LONGEST: Final = 2000


class BadAttempt(Exception):
    """The answer belongs to no sign-in of this browser. The message is for people."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A sign-in that was begun."""

    state: str
    """Comes back from the provider, and works once."""
    nonce: str
    """Comes back within what the provider signs."""
    verifier: str
    """Proves to the provider that who began the sign-in ends it (PKCE)."""
    until: int
    """In Unix seconds."""

    def question(self, endpoint: str, client_id: str, redirect_uri: str) -> str:
        """Return the address at the provider to which the browser is sent."""
        challenge = hashlib.sha256(self.verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": redirect_uri,
            "scope": "openid profile",
            "state": self.state,
            "nonce": self.nonce,
            "code_challenge": _text(challenge),
            "code_challenge_method": "S256",
        }
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(asked)}"

    def sealed(self, secret: bytes) -> str:
        """Return the attempt for a cookie, signed."""
        content = _text(json.dumps(asdict(self)).encode())
        return f"{content}.{_seal(secret, content)}"

    @classmethod
    def unsealed(cls, cookie: str, secret: bytes, state: str, now: int) -> Self:
        """Return the attempt that a browser brings back.

        Args:
            cookie: what `sealed` returned.
            secret: of the installation.
            state: from the provider's answer.
            now: Unix seconds.

        Raises:
            BadAttempt: if the cookie is not ours, or the answer is another one's, or it is late.
        """
        content, _, seal = cookie.partition(".")
        is_ours = len(cookie) <= _LONGEST and hmac.compare_digest(
            seal.encode(), _seal(secret, content).encode()
        )
        if not is_ours:
            raise BadAttempt("this sign-in was not begun in this browser: begin again")
        attempt = cls(**json.loads(urlsafe_b64decode(f"{content}==")))
        if not hmac.compare_digest(attempt.state.encode(), state.encode()):
            raise BadAttempt("this answer belongs to another sign-in: begin again")
        if now >= attempt.until:
            raise BadAttempt("this sign-in took too long: begin again")
        return attempt


def _seal(secret: bytes, content: str) -> str:
    return _text(hmac.digest(secret, f"openid/{content}".encode(), "sha256"))


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")
