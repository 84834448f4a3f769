"""The provider: where it is, whom its answers name, and whether they are its own.

`jwt` is in the extra `oidc`. Nothing here follows a redirect, and answers are read up to a bound.
"""

import asyncio
import hmac
import json
import logging
from base64 import b64encode
from http.client import HTTPException
from time import monotonic
from typing import Any, Final, NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

logger = logging.getLogger(__name__)

SKEW_S: Final = 60
"""How far the provider's clock may be from ours."""

ALGORITHMS: Final = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "EdDSA"),
)
"""How an answer may be signed: with keys of which we have the public half."""

_TIMEOUT_S: Final = 8.0
_MOST_BYTES: Final = 1 << 18
_KEPT_S: Final = 3600.0
"""For how long the provider's addresses and keys are not asked for again."""

_AGAIN_S: Final = 30.0
"""The least time between two looks at its keys for one that is not known."""


class ProviderFailed(Exception):
    """The provider does not answer as it should. The message is for the operator's log."""


class Untrue(Exception):
    """An answer is not the provider's, or not for this sign-in. The message is for the log."""


class Named(NamedTuple):
    """Whom the provider means."""

    subject: str
    name: str


class Provider:
    """An OpenID provider, by its issuer."""

    def __init__(self, issuer: str, client_id: str, client_secret: str | None) -> None:
        self.issuer = issuer
        self.client_id = client_id
        self._client_secret = client_secret
        self._found: dict[str, Any] = {}
        self._keys: dict[str, Any] = {}
        self._found_at = self._keys_at = -_KEPT_S

    async def named(self, code: str, verifier: str, nonce: str, redirect_uri: str) -> Named:
        """Return whom a code stands for.

        Args:
            code: from the provider, by way of the browser; it works once.
            verifier: of the attempt.
            nonce: of the attempt.
            redirect_uri: where the browser came back to.

        Raises:
            ProviderFailed: if the provider cannot be asked, or does not take the code.
            Untrue: if what it says is not to be believed.
        """
        asked = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "client_id": self.client_id,
            "code_verifier": verifier,
        }
        headers = {}
        if self._client_secret is not None:
            pair = f"{quote(self.client_id, '')}:{quote(self._client_secret, '')}"
            headers["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
        endpoint = await self.endpoint("token_endpoint")
        token = (await _ask(endpoint, urlencode(asked).encode(), headers)).get("id_token")
        if not isinstance(token, str):
            raise ProviderFailed("its answer has no id_token")
        return await self._read(token, nonce)

    async def _read(self, token: str, nonce: str) -> Named:
        import jwt

        try:
            head = jwt.get_unverified_header(token)
            claims: dict[str, Any] = jwt.decode(
                token,
                await self._key(str(head.get("kid", ""))),
                algorithms=list(ALGORITHMS),
                audience=self.client_id,
                issuer=self.issuer,
                leeway=SKEW_S,
                options={"require": ["iss", "sub", "aud", "exp", "iat"]},
            )
        except jwt.PyJWTError as error:
            raise Untrue(f"{type(error).__name__}: {error}") from None
        if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
            raise Untrue("its nonce is another one")
        if claims.get("azp", self.client_id) != self.client_id:
            raise Untrue("it is for another client")
        name = claims.get("preferred_username") or claims.get("name") or claims.get("email")
        return Named(str(claims["sub"]), str(name or "player"))

    async def _key(self, kid: str) -> Any:
        """Return a public key of the provider; look again for one that is not known."""
        import jwt

        age_s = monotonic() - self._keys_at
        if age_s > _KEPT_S or (kid not in self._keys and age_s > _AGAIN_S):
            said = await _ask(await self.endpoint("jwks_uri"))
            try:
                keys = jwt.PyJWKSet.from_dict(said).keys
            except jwt.PyJWTError as error:
                raise ProviderFailed(f"its keys are not understood: {error}") from None
            self._keys = {str(key.key_id or ""): key for key in keys}
            self._keys_at = monotonic()
        if (key := self._keys.get(kid)) is None:
            raise Untrue("it is signed with a key that the provider does not show")
        return key

    async def endpoint(self, name: str) -> str:
        """Return an address of the provider, by its name in OpenID Connect Discovery.

        Raises:
            ProviderFailed: if it cannot be found.
        """
        if monotonic() - self._found_at > _KEPT_S:
            found = await _ask(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
            if found.get("issuer") != self.issuer:
                raise ProviderFailed("it says that it is another issuer")
            self._found, self._found_at = found, monotonic()
        endpoint = self._found.get(name)
        if not isinstance(endpoint, str) or not endpoint.startswith(("https://", "http://")):
            raise ProviderFailed(f"it has no {name}")
        return endpoint


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


async def _ask(
    url: str, body: bytes | None = None, headers: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return the JSON object at an address of the provider.

    Raises:
        ProviderFailed: if there is none.
    """

    def fetch() -> bytes:
        request = Request(url, body, {"Accept": "application/json", **(headers or {})})  # noqa: S310
        with build_opener(_NoRedirects).open(request, timeout=_TIMEOUT_S) as answer:
            content: bytes = answer.read(_MOST_BYTES)
            return content

    try:
        said = json.loads(await asyncio.to_thread(fetch))
    except HTTPError as error:
        raise ProviderFailed(f"{url}: HTTP {error.code}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise ProviderFailed(f"{url}: {error}") from None
    if not isinstance(said, dict):
        raise ProviderFailed(f"{url}: no JSON object")
    return said
