"""The part of a browser in Web Push: it makes keys, and reads what is encrypted for them."""

from base64 import urlsafe_b64encode
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDH,
    SECP256R1,
    EllipticCurvePublicKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


class KeysOfBrowser:
    """The keys of one subscription."""

    def __init__(self) -> None:
        self._key = generate_private_key(SECP256R1())
        public = self._key.public_key()
        self.point = public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.auth = b"0123456789abcdef"

    def subscription(self, endpoint: str) -> dict[str, Any]:
        """As `PushSubscription.toJSON()` has it."""
        keys = {"p256dh": encoded(self.point), "auth": encoded(self.auth)}
        return {"endpoint": endpoint, "keys": keys}

    def read(self, body: bytes) -> bytes:
        """Decrypt a message (RFC 8291)."""
        salt, size, point, sealed = body[:16], body[16:20], body[21:86], body[86:]
        assert (int.from_bytes(size, "big"), body[20]) == (4096, 65)
        sender = EllipticCurvePublicKey.from_encoded_point(SECP256R1(), point)
        shared = self._key.exchange(ECDH(), sender)
        info = b"WebPush: info\0" + self.point + point
        secret = HKDF(SHA256(), 32, self.auth, info).derive(shared)
        key = HKDF(SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(secret)
        nonce = HKDF(SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(secret)
        padded = AESGCM(key).decrypt(nonce, sealed, None)
        assert padded[-1] == 2
        return padded[:-1]
