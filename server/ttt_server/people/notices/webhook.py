"""The operator's webhook: a notice as JSON, in the operator's own form if there is one, signed.

The headers are those of Standard Webhooks:

    webhook-id          the notice's id: the same each time that it is sent
    webhook-timestamp   Unix seconds
    webhook-signature   v1,BASE64 of the HMAC-SHA256 of `ID.TIMESTAMP.BODY`
"""

import hmac
import json
import re
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable
from typing import Any, Final

from ttt_protocol.codec import encode_message
from ttt_protocol.notices import Notice
from ttt_server.telemetry.build import SERVER

_ENCODED: Final = "whsec_"
"""The start of a secret in base64, as the libraries of Standard Webhooks make them."""

_HOLE: Final = re.compile(r"{(\w+)}")

_HOLES: Final[dict[str, Callable[[Notice], object]]] = {
    "text": lambda notice: notice.text,
    "kind": lambda notice: notice.kind,
    "url": lambda notice: notice.url or notice.path,
    "name": lambda notice: notice.person and notice.person.name,
    "person": lambda notice: notice.person and notice.person.id,
    "opponent": lambda notice: notice.opponent,
    "room": lambda notice: notice.room,
    "event": lambda notice: notice.event,
    "title": lambda notice: notice.title,
}
"""The names in a template, and their values."""


class InvalidTemplate(ValueError):
    """A template that cannot be used. The text says why."""


class Template:
    """The form of the webhook's body: JSON, with names in braces in its texts."""

    def __init__(self, form: Any) -> None:
        self._form = form

    @classmethod
    def parse(cls, content: bytes) -> "Template":
        """Read a template.

        Raises:
            InvalidTemplate: if it is not JSON, or has an unknown name.
        """
        try:
            form = json.loads(content)
        except ValueError:
            raise InvalidTemplate("this is no JSON") from None
        for name in _HOLE.findall(json.dumps(form, ensure_ascii=False)):
            if name not in _HOLES:
                raise InvalidTemplate(f"{{{name}}} is none of {', '.join(_HOLES)}")
        return cls(form)

    def body(self, notice: Notice) -> bytes:
        """Return the body for a notice. Missing values are empty."""
        return json.dumps(_filled(self._form, notice), ensure_ascii=False).encode()


class Webhook:
    """Makes the requests that tell a webhook of notices."""

    def __init__(self, url: str, secret: str | None, template: Template | None = None) -> None:
        """Without a `secret`, requests are unsigned; without a `template`, complete."""
        self.url = url
        self._key = None if secret is None else webhook_key(secret)
        self._template = template

    def request(self, notice: Notice, now: int) -> tuple[dict[str, str], bytes]:
        """Return the headers and the body. `now`: Unix ms."""
        body = encode_message(notice) if self._template is None else self._template.body(notice)
        seconds = str(now // 1000)
        headers = {
            "Content-Type": "application/json",
            "User-Agent": SERVER,
            "webhook-id": notice.id,
            "webhook-timestamp": seconds,
        }
        if self._key is not None:
            headers["webhook-signature"] = signature(self._key, notice.id, seconds, body)
        return headers, body


def webhook_key(secret: str) -> bytes:
    """Return the key that a secret stands for: its letters, or what follows `whsec_` in base64."""
    if secret.startswith(_ENCODED):
        try:
            return b64decode(secret.removeprefix(_ENCODED), validate=True)
        except NotBase64:
            pass
    return secret.encode()


def signature(key: bytes, notice: str, seconds: str, body: bytes) -> str:
    """Return the value of `webhook-signature`."""
    signed = hmac.digest(key, f"{notice}.{seconds}.".encode() + body, "sha256")
    return f"v1,{b64encode(signed).decode()}"


def _filled(form: Any, notice: Notice) -> Any:
    match form:
        case str():
            return _HOLE.sub(lambda hole: str(_HOLES[hole[1]](notice) or ""), form)
        case dict():
            return {_filled(key, notice): _filled(value, notice) for key, value in form.items()}
        case list():
            return [_filled(each, notice) for each in form]
        case _:
            return form
