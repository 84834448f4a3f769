"""Sign in with an OpenID provider: the way there and back, and every lie on it."""

import asyncio
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.integration.programs import Dial, ServerProcess, StartServer

pytest.importorskip("jwt")

from cryptography.hazmat.primitives.asymmetric import rsa

from tests.integration.openid_provider import CLIENT, SECRET, Provider, running


@pytest.fixture
def provider() -> Iterator[Provider]:
    with running() as provider:
        yield provider


@pytest.fixture
async def server(start_server: StartServer, provider: Provider) -> ServerProcess:
    options = "--oidc-issuer", provider.issuer, "--oidc-client-id", CLIENT, "--guests", "no"
    return await start_server(*options, variables={"TTT_OIDC_CLIENT_SECRET": SECRET})


class Answer(NamedTuple):
    """An answer to a browser that follows nothing by itself."""

    status: int
    location: str
    cookie: str
    """What it is to keep, as it is sent back."""
    kept: str
    words: str


async def get(url: str, cookie: str = "") -> Answer:
    def ask() -> Answer:
        parts = urlsplit(url)
        connection = HTTPConnection(parts.netloc, timeout=10)
        path = f"{parts.path}?{parts.query}"
        connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
        with connection.getresponse() as said:
            kept = said.headers.get("Set-Cookie", "")
            location, words = said.headers.get("Location", ""), said.read().decode()
        connection.close()
        return Answer(said.status, location, kept.partition(";")[0], kept, words)

    return await asyncio.to_thread(ask)


async def begin(server: ServerProcess) -> Answer:
    return await get(f"http://127.0.0.1:{server.port}/api/oidc/login")


async def come_back(server: ServerProcess) -> Answer:
    """Sign in; the answer to the browser that comes back."""
    begun = await begin(server)
    asked = await get(begun.location)
    return await get(asked.location, begun.cookie)


async def person_of(server: ServerProcess, end: Answer) -> dict[str, Any]:
    """Who the browser is at the end."""
    assert end.status == 302, end.words
    code = urlsplit(end.location).fragment.removeprefix("code=")
    status, found = await server.ask("POST", "/api/persons/link", {"code": code})
    assert status == 200
    return found


async def test_there_and_back(server: ServerProcess, provider: Provider, dial: Dial) -> None:
    begun = await begin(server)
    assert begun.status == 302
    assert begun.location.startswith(f"{provider.issuer}/authorize?")
    assert "; HttpOnly; SameSite=Lax" in begun.kept
    assert "secret" not in begun.location
    end = await come_back(server)
    assert end.location.startswith(f"http://127.0.0.1:{server.port}/me#code=")
    assert "Max-Age=0" in end.kept
    ada = await person_of(server, end)
    assert ada["person"]["name"] == "ada"
    told = await (await dial(server, "den")).join(person=ada["token"])
    assert told["room"]["seats"]["X"]["person"] == ada["person"]["id"]

    again = await person_of(server, await come_back(server))
    assert again["person"] == ada["person"], "the same each time"
    provider.user = {"sub": "u2", "name": "ada"}
    other = await person_of(server, await come_back(server))
    assert other["person"]["name"] == "ada 2"
    assert await server.get("/api/persons") == (
        200,
        {"guests": False, "sign_in": "/api/oidc/login"},
    )
    guest = await dial(server, "den")
    assert (await guest.refusal("join", name="eve"))["code"] == "not_allowed"
    status, _ = await server.ask("POST", "/api/persons", {"name": "Eve"})
    assert status == 403


async def test_answers_that_are_replayed_or_another_browsers(server: ServerProcess) -> None:
    begun, other = await begin(server), await begin(server)
    asked = await get(begun.location)
    for cookie, words in (
        ("", "was not begun in this browser"),
        (begun.cookie[:-1] + "x", "was not begun in this browser"),
        (other.cookie, "belongs to another sign-in"),
    ):
        end = await get(asked.location, cookie)
        assert end.status == 400
        assert words in end.words
    assert (await get(asked.location, begun.cookie)).status == 302
    replayed = await get(asked.location, begun.cookie)
    assert (replayed.status, "was used already" in replayed.words) == (400, True)
    query = parse_qs(urlsplit(asked.location).query)
    callback = asked.location.partition("?")[0]
    fresh = await begin(server)
    state = parse_qs(urlsplit(fresh.location).query)["state"][0]
    stolen = f"{callback}?code={query['code'][0]}&state={state}"
    assert (await get(stolen, fresh.cookie)).status == 503, "the provider takes a code once"
    fresh = await begin(server)
    state = parse_qs(urlsplit(fresh.location).query)["state"][0]
    mixed = f"{callback}?code=x&state={state}&iss=https%3A%2F%2Felsewhere.example"
    assert (await get(mixed, fresh.cookie)).status == 403
    fresh = await begin(server)
    state = parse_qs(urlsplit(fresh.location).query)["state"][0]
    denied = await get(f"{callback}?error=access_denied&state={state}", fresh.cookie)
    assert (denied.status, denied.words) == (403, "you were not signed in there\n")


NOW = int(time.time())
LIES: dict[str, Callable[[Provider], object]] = {
    "wrong issuer": lambda it: it.lies.update(iss="https://elsewhere.example"),
    "wrong nonce": lambda it: it.lies.update(nonce="another"),
    "no nonce": lambda it: it.lies.update(nonce=None),
    "for another client": lambda it: it.lies.update(aud="other"),
    "by another client": lambda it: it.lies.update(aud=[CLIENT, "other"], azp="other"),
    "without a subject": lambda it: it.lies.update(sub=None),
    "of yesterday": lambda it: it.lies.update(iat=NOW - 90_000, exp=NOW - 86_400),
    "of tomorrow": lambda it: it.lies.update(iat=NOW + 86_400, exp=NOW + 90_000),
    "without an end": lambda it: it.lies.update(exp=None),
    "unsigned": lambda it: setattr(it, "algorithm", "none"),
    "signed with what is public": lambda it: it.__dict__.update(
        algorithm="HS256", signs_with="x" * 64
    ),
    "signed with another key": lambda it: setattr(
        it, "signs_with", rsa.generate_private_key(public_exponent=65537, key_size=2048)
    ),
}


async def test_what_is_not_the_providers_word(server: ServerProcess, provider: Provider) -> None:
    for name, lie in LIES.items():
        before = dict(provider.__dict__)
        lie(provider)
        end = await come_back(server)
        assert end.status == 403, name
        assert end.words == "this sign-in could not be trusted: begin again\n", name
        provider.__dict__.update(before | {"lies": {}})
    await person_of(server, await come_back(server))


async def test_a_clock_that_is_a_little_wrong(server: ServerProcess, provider: Provider) -> None:
    now = int(time.time())
    for iat, exp in ((now + 50, now + 350), (now - 350, now - 50)):
        provider.lies = {"iat": iat, "exp": exp}
        await person_of(server, await come_back(server))


async def test_a_provider_that_is_away(
    start_server: StartServer, provider: Provider, tmp_path: Path
) -> None:
    options = "--oidc-issuer", provider.issuer, "--oidc-client-id", CLIENT
    server = await start_server(*options, data=tmp_path / "data")
    provider.is_away = True
    end = await begin(server)
    assert (end.status, "does not answer" in end.words) == (503, True)
    provider.is_away = False
    assert (await begin(server)).status == 302
