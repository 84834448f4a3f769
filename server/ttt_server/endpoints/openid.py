"""Sign in with an OpenID provider: to it, and back as a person.

The browser comes back to the page `/me#code=CODE`, with a code as of a link to another device.
"""

import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Final
from urllib.parse import parse_qs

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from ttt_server.endpoints.asking import Ask
from ttt_server.limits.rates import Budgets
from ttt_server.people.openid.attempt import LASTS_S, Attempt, BadAttempt
from ttt_server.people.openid.provider import Provider, ProviderFailed, Untrue
from ttt_server.people.service import BadCode, People
from ttt_server.transport.responses import METHODS, HttpError

logger = logging.getLogger(__name__)

LOGIN: Final = "/api/oidc/login"
CALLBACK: Final = "/api/oidc/callback"

LOGINS_PER_MINUTE: Final = 60
"""Sign-ins that an address may begin."""

_COOKIE: Final = "ttt_oidc"


@dataclass(eq=False, slots=True)
class OpenIdApi:
    """Answers the two requests of a sign-in."""

    people: People
    provider: Provider
    secret: bytes
    page: Callable[[Request], str]
    """Returns the address of the page, with a slash at its end."""
    logins: Budgets = field(
        default_factory=lambda: Budgets(LOGINS_PER_MINUTE / 60, LOGINS_PER_MINUTE)
    )

    async def respond(self, request: Request, ask: Ask) -> Response | None:
        """Answer a request; return `None` for another path.

        Raises:
            HttpError: 400 for an answer that belongs to no sign-in, 403 for one that is not the
                provider's, 405, 429, 503 while the provider fails.
            StorageFailed: if the store fails.
        """
        if ask.url.path not in {LOGIN, CALLBACK}:
            return None
        if request.method not in METHODS:
            raise HttpError(405, "only GET and HEAD")
        try:
            if ask.url.path == LOGIN:
                return await self._begin(request, ask)
            return await self._end(request, ask)
        except ProviderFailed as error:
            logger.warning("the OpenID provider: %s", error)
            raise HttpError(503, "the place where you sign in does not answer; try again") from None
        except Untrue as error:
            logger.warning("an OpenID answer was refused: %s", error)
            raise HttpError(403, "this sign-in could not be trusted: begin again") from None
        except BadAttempt as error:
            raise HttpError(400, str(error)) from None

    async def _begin(self, request: Request, ask: Ask) -> Response:
        if not self.logins.spend(ask.client.address, monotonic()):
            raise HttpError(429, "too many sign-ins, slow down")
        endpoint = await self.provider.endpoint("authorization_endpoint")
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        attempt = Attempt(state, nonce, verifier, int(time.time()) + LASTS_S)
        await self.people.expect_once(state, LASTS_S)
        url = attempt.question(endpoint, self.provider.client_id, self._callback(request))
        return self._sent_to(request, url, attempt.sealed(self.secret), LASTS_S)

    async def _end(self, request: Request, ask: Ask) -> Response:
        said = {name: values[0] for name, values in parse_qs(ask.url.query).items()}
        state = said.get("state", "")
        attempt = Attempt.unsealed(_cookie(request), self.secret, state, int(time.time()))
        try:
            await self.people.take_once(state)
        except BadCode:
            raise BadAttempt("this sign-in was used already: begin again") from None
        if said.get("iss", self.provider.issuer) != self.provider.issuer:  # RFC 9207
            raise Untrue("the answer names another issuer")
        if "code" not in said:
            raise HttpError(403, "you were not signed in there")
        named = await self.provider.named(
            said["code"], attempt.verifier, attempt.nonce, self._callback(request)
        )
        person = await self.people.of_identity(self.provider.issuer, named.subject, named.name)
        code, _ = await self.people.link(person)
        return self._sent_to(request, f"{self.page(request)}me#code={code}", "", 0)

    def _callback(self, request: Request) -> str:
        return f"{self.page(request)}{CALLBACK.removeprefix('/')}"

    def _sent_to(self, request: Request, url: str, cookie: str, lasts_s: int) -> Response:
        """Send the browser on, and have it keep a cookie for so long."""
        secure = "; Secure" if self.page(request).startswith("https:") else ""
        kept = f"{_COOKIE}={cookie}; Path=/; Max-Age={lasts_s}; HttpOnly; SameSite=Lax{secure}"
        headers = Headers(
            {
                "Location": url,
                "Set-Cookie": kept,
                "Cache-Control": "no-store",
                "Referrer-Policy": "no-referrer",
                "Content-Length": "0",
            }
        )
        return Response(302, "Found", headers, b"")


def _cookie(request: Request) -> str:
    """Return our cookie; empty if there is none."""
    for part in ";".join(request.headers.get_all("Cookie")).split(";"):
        name, _, value = part.strip().partition("=")
        if name == _COOKIE:
            return value
    return ""
