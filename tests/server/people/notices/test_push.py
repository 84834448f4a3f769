"""Web Push: the example of RFC 8291, and what a browser and a push service make of ours."""

import json
from base64 import urlsafe_b64decode

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    SECP384R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    derive_private_key,
    generate_private_key,
)
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from tests.browser_keys import KeysOfBrowser, encoded
from ttt_server.people.notices.push import BadKeys, BrowserKeys, PushSender, encrypted, new_key

ENDPOINT = "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV"


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def browser_keys(browser: KeysOfBrowser) -> BrowserKeys:
    return BrowserKeys(encoded(browser.point), encoded(browser.auth))


def test_the_example_of_the_standard() -> None:
    """RFC 8291, section 5 and appendix A."""
    own = derive_private_key(
        int.from_bytes(decoded("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"), "big"), SECP256R1()
    )
    browser = BrowserKeys(
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "BTBZMqHH6r4Tts7J_aSIgg",
    )
    assert encoded(
        encrypted(
            b"When I grow up, I want to be a watermelon",
            browser,
            own=own,
            salt=decoded("DGv6ra1nlYgDCS1FRnbzlw"),
        )
    ) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tl"
        "zAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


def test_a_browser_reads_what_is_sent() -> None:
    browser, sender = KeysOfBrowser(), PushSender(new_key())
    keys = browser_keys(browser)
    headers, body = sender.request(ENDPOINT, keys, b"hello", topic="t1", now_s=1000)
    assert browser.read(body) == b"hello"
    assert headers["Content-Encoding"] == "aes128gcm"
    assert (headers["TTL"], headers["Topic"]) == ("86400", "t1")
    again = sender.request(ENDPOINT, keys, b"hello", topic="t1", now_s=1000)[1]
    assert again != body


def verified(headers: dict[str, str]) -> dict[str, object]:
    """Return the claims of a request, as a push service checks them."""
    scheme, _, rest = headers["Authorization"].partition(" ")
    given = dict(part.strip().split("=", 1) for part in rest.split(","))
    assert (scheme, set(given)) == ("vapid", {"t", "k"})
    head, claims, signature = given["t"].split(".")
    assert json.loads(decoded(head)) == {"typ": "JWT", "alg": "ES256"}
    public = EllipticCurvePublicKey.from_encoded_point(SECP256R1(), decoded(given["k"]))
    pair = decoded(signature)
    r, s = (int.from_bytes(half, "big") for half in (pair[:32], pair[32:]))
    public.verify(encode_dss_signature(r, s), f"{head}.{claims}".encode(), ECDSA(SHA256()))
    found: dict[str, object] = json.loads(decoded(claims))
    return found


def test_a_service_knows_the_server() -> None:
    sender = PushSender(new_key(), "https://play.example.org/")
    headers, _ = sender.request(ENDPOINT, browser_keys(KeysOfBrowser()), b"", topic="t", now_s=1000)
    assert verified(headers) == {
        "aud": "https://push.example.net",
        "exp": 1000 + 12 * 3600,
        "sub": "https://play.example.org/",
    }
    assert headers["Authorization"].endswith(f"k={sender.public_key}")


def test_a_signature_is_made_again_after_an_hour() -> None:
    sender, keys = PushSender(new_key()), browser_keys(KeysOfBrowser())

    def at(now_s: int) -> str:
        return sender.request(ENDPOINT, keys, b"", topic="t", now_s=now_s)[0]["Authorization"]

    assert at(10_000) == at(13_599) != at(13_600)
    assert "sub" not in verified({"Authorization": at(13_600)})


def test_a_key_is_the_same_after_a_restart() -> None:
    pem = new_key()
    assert PushSender(pem).public_key == PushSender(pem).public_key
    assert len(decoded(PushSender(pem).public_key)) == 65


@pytest.mark.parametrize("pem", [b"", b"no key", new_key()[:80]], ids=["none", "text", "half"])
def test_no_key_is_refused(pem: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        PushSender(pem)


def _other_point() -> str:
    return encoded(b"\x04" + b"\x01" * 64)  # not on the curve


@pytest.mark.parametrize(
    ("p256dh", "auth"),
    [
        ("", ""),
        ("!!", "BTBZMqHH6r4Tts7J_aSIgg"),
        (_other_point(), "BTBZMqHH6r4Tts7J_aSIgg"),
        (encoded(KeysOfBrowser().point), "short"),
        ("é", "é"),
    ],
    ids=["empty", "letters", "point", "auth", "accents"],
)
def test_what_is_no_key_of_a_browser_is_refused(p256dh: str, auth: str) -> None:
    with pytest.raises(BadKeys, match="not the keys"):
        BrowserKeys(p256dh, auth)


def test_a_key_of_another_kind_is_refused() -> None:
    other: EllipticCurvePrivateKey = generate_private_key(SECP384R1())
    pem = other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with pytest.raises(ValueError, match="P-256"):
        PushSender(pem)
