import hmac
import json
from base64 import b64encode

import pytest

from ttt_protocol.notices import Notice, NoticePerson
from ttt_protocol.state import RoomName
from ttt_server.people.notices.webhook import (
    InvalidTemplate,
    Template,
    Webhook,
    signature,
    webhook_key,
)

NOTICE = Notice(
    id="tABC",
    kind="turn",
    at=1_800_000_000_000,
    text='It is your turn against "Bo".',
    path="rooms/den",
    url="https://play.example.org/rooms/den",
    person=NoticePerson(id="ann", name="Ann"),
    room=RoomName("den"),
    game=1,
    ply=3,
    opponent='"Bo"',
)


def test_all_is_sent_without_a_template() -> None:
    headers, body = Webhook("https://x", None).request(NOTICE, 1_800_000_123_456)
    assert json.loads(body) == {
        "id": "tABC",
        "kind": "turn",
        "at": 1_800_000_000_000,
        "text": 'It is your turn against "Bo".',
        "path": "rooms/den",
        "url": "https://play.example.org/rooms/den",
        "person": {"id": "ann", "name": "Ann"},
        "room": "den",
        "game": 1,
        "ply": 3,
        "opponent": '"Bo"',
    }
    assert headers["Content-Type"] == "application/json"
    assert headers["webhook-id"] == "tABC"
    assert headers["webhook-timestamp"] == "1800000123"
    assert "webhook-signature" not in headers


def test_the_example_of_standard_webhooks() -> None:
    """As its libraries check themselves."""
    key = webhook_key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    signed = signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", b'{"test": 2432232314}')
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_body_is_signed() -> None:
    headers, body = Webhook("https://x", "open sesame").request(NOTICE, 1_800_000_123_456)
    signed = hmac.digest(b"open sesame", b"tABC.1800000123." + body, "sha256")
    assert headers["webhook-signature"] == f"v1,{b64encode(signed).decode()}"


@pytest.mark.parametrize("secret", ["plain letters", "whsec_no base64!"])
def test_a_secret_is_its_letters(secret: str) -> None:
    assert webhook_key(secret) == secret.encode()


def test_a_template_is_filled() -> None:
    form = {
        "content": "{text} {url}",
        "to": ["{name}", "{person}", {"{kind}": "{opponent}"}],
        "in": "{room}{event}{title}",
        "priority": 3,
        "quiet": None,
        "left": "{} {a b}",
    }
    body = Template.parse(json.dumps(form).encode()).body(NOTICE)
    assert json.loads(body) == {
        "content": 'It is your turn against "Bo". https://play.example.org/rooms/den',
        "to": ["Ann", "ann", {"turn": '"Bo"'}],
        "in": "den",
        "priority": 3,
        "quiet": None,
        "left": "{} {a b}",
    }
    assert (
        Webhook("https://x", None, Template("{text}")).request(NOTICE, 0)[1]
        == json.dumps(NOTICE.text).encode()
    )


def test_a_server_that_does_not_know_its_address_gives_the_path() -> None:
    notice = NOTICE.model_copy(update={"url": None, "person": None})
    assert json.loads(Template("{url} {name}").body(notice)) == "rooms/den "


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"", "no JSON"), (b"{text}", "no JSON"), (b'{"x": "{txt}"}', "{txt} is none of text, kind")],
)
def test_a_template_that_cannot_be_used_is_told(content: bytes, why: str) -> None:
    with pytest.raises(InvalidTemplate, match=why):
        Template.parse(content)
