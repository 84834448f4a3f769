"""Web Push: messages encrypted for a browser (RFC 8291), signed by the server (RFC 8292).

With the extra `push`: this module is imported only if it is installed.
"""

import json
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from typing import Final
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEPT_S: Final = 86_400
"""How long a push service keeps a message for a browser that is not there: `TTL`."""

_SIGNED_S: Final = 12 * 3600
"""How long a signature is valid; 24 hours at most."""

_RENEWED_S: Final = 3600
_RECORD: Final = 4096
_LAST_RECORD: Final = b"\x02"

_CURVE: Final = ec.SECP256R1
_POINT: Final = serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint


class BadKeys(ValueError):
    """The keys of a subscription are invalid."""


class BrowserKeys:
    """The keys of a subscription."""

    def __init__(self, p256dh: str, auth: str) -> None:
        """Read them, as the browser made them.

        Raises:
            BadKeys: if it cannot have made them.
        """
        try:
            self.point = _decoded(p256dh)
            self.auth = _decoded(auth)
            self.public = ec.EllipticCurvePublicKey.from_encoded_point(_CURVE(), self.point)
        except (NotBase64, ValueError):
            raise BadKeys("not the keys of a push subscription") from None
        if len(self.auth) != 16 or len(self.point) != 65:
            raise BadKeys("not the keys of a push subscription")


def encrypted(
    message: bytes,
    browser: BrowserKeys,
    *,
    own: ec.EllipticCurvePrivateKey | None = None,
    salt: bytes | None = None,
) -> bytes:
    """Encrypt a message for a browser, in the coding `aes128gcm` (RFC 8188).

    Args:
        message: up to 3993 bytes.
        browser: for whom.
        own: a key for this message only; a new one by default.
        salt: 16 bytes; new ones by default.
    """
    own = own or ec.generate_private_key(_CURVE())
    salt = salt or os.urandom(16)
    point = own.public_key().public_bytes(*_POINT)
    shared = own.exchange(ec.ECDH(), browser.public)
    secret = _derived(shared, browser.auth, b"WebPush: info\0" + browser.point + point, 32)
    key = _derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(secret, salt, b"Content-Encoding: nonce\0", 12)
    head = salt + _RECORD.to_bytes(4, "big") + bytes([len(point)]) + point
    return head + AESGCM(key).encrypt(nonce, message + _LAST_RECORD, None)


class PushSender:
    """Makes the requests that tell push services of notices, with the server's own key."""

    def __init__(self, pem: bytes, contact: str | None = None) -> None:
        """Read the key.

        Args:
            pem: the key, as `new_key` makes it.
            contact: an `https:` or `mailto:` address of the operator. Some services want one.

        Raises:
            ValueError: if it is no such key.
        """
        key = serialization.load_pem_private_key(pem, None)
        if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, _CURVE):
            raise ValueError("not a key on the curve P-256")  # noqa: TRY004 - of the file's content
        self._key = key
        self._contact = contact
        point = key.public_key().public_bytes(*_POINT)
        self.public_key = _encoded(point)
        """What browsers subscribe with: base64url."""
        self._signed: dict[str, tuple[int, str]] = {}
        """The header for each service, and when it was made."""

    def request(
        self, endpoint: str, browser: BrowserKeys, message: bytes, *, topic: str, now_s: int
    ) -> tuple[dict[str, str], bytes]:
        """Return the headers and the body.

        Args:
            endpoint: where the browser is reached.
            browser: its keys.
            message: what its service worker gets.
            topic: up to 32 letters; a later message replaces an undelivered one of the same topic.
            now_s: Unix seconds.
        """
        headers = {
            "Authorization": self._authorization(endpoint, now_s),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(KEPT_S),
            "Topic": topic,
            "Urgency": "normal",
        }
        return headers, encrypted(message, browser)

    def _authorization(self, endpoint: str, now_s: int) -> str:
        parts = urlsplit(endpoint)
        service = f"{parts.scheme}://{parts.netloc}"
        made_s, header = self._signed.get(service, (-_RENEWED_S, ""))
        if now_s - made_s >= _RENEWED_S:
            claims: dict[str, str | int] = {"aud": service, "exp": now_s + _SIGNED_S}
            if self._contact is not None:
                claims["sub"] = self._contact
            header = f"vapid t={self._token(claims)}, k={self.public_key}"
            self._signed[service] = now_s, header
        return header

    def _token(self, claims: dict[str, str | int]) -> str:
        """Return a signed JSON Web Token (ES256)."""
        parts = ({"typ": "JWT", "alg": "ES256"}, claims)
        signed = ".".join(_encoded(json.dumps(part).encode()) for part in parts)
        pair = decode_dss_signature(self._key.sign(signed.encode(), ec.ECDSA(SHA256())))
        return f"{signed}.{_encoded(b''.join(number.to_bytes(32, 'big') for number in pair))}"


def new_key() -> bytes:
    """Make a key for the server, in PEM."""
    key = ec.generate_private_key(_CURVE())
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(secret)


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _decoded(text: str) -> bytes:
    return urlsafe_b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))
