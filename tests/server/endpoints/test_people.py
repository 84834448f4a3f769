"""Persons over HTTP."""

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from tests.server.people.test_service import NOW, SECRET, QuickHashing
from ttt_protocol.state import PersonId
from ttt_server.endpoints.asking import Ask, Client, bearer, parse_url
from ttt_server.endpoints.people import PeopleApi
from ttt_server.limits.client_address import Source
from ttt_server.limits.rates import Budgets
from ttt_server.people.forgetting import Forgetting
from ttt_server.people.log_reader import LogReader
from ttt_server.people.service import MOST_WRONG, People
from ttt_server.rooms.event_log import Feed
from ttt_server.storage.memory import MemoryStore
from ttt_server.transport.responses import HttpError

HERE = Source("192.0.2.1")


async def no_events(_: PersonId, __: str) -> None:
    """Forget a person in no events, as there are none."""


class Asker:
    """An address that asks for one thing after the other."""

    def __init__(self, *, makes: int = 9, looks: int = 9, guesses: int = 9) -> None:
        self.store = MemoryStore()
        people = People(self.store, SECRET, QuickHashing(), lambda: NOW)
        self.api = PeopleApi(
            people,
            Forgetting(people, self.store.rewrite, no_events),
            catch_up=LogReader(self.store, (), Feed(self.store), is_alone=True).catch_up,
            makes=Budgets(0, makes),
            looks=Budgets(0, looks),
        )
        self.guesses = guesses

    async def ask(
        self, method: str, path: str, body: object = None, token: str | None = None
    ) -> tuple[HTTPStatus, dict[str, Any]]:
        headers = Headers() if token is None else Headers({"Authorization": f"Bearer {token}"})
        request = Request(path, headers, method)
        sent = (
            body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        )
        url = parse_url(path)
        found = self.api.find(url.path)
        assert found is not None
        ask = Ask(url, bearer(request), Client(HERE, self.may_guess), sent)
        answer = await self.api.respond(found, request, ask)
        assert answer.headers["Cache-Control"] == "private, no-store"
        return HTTPStatus(answer.status_code), json.loads(answer.body)

    async def said(self, *asked: Any, **more: Any) -> dict[str, Any]:
        status, said = await self.ask(*asked, **more)
        assert status is HTTPStatus.OK
        return said

    async def refused(self, *asked: Any, **more: Any) -> tuple[int, str]:
        with pytest.raises(HttpError) as caught:
            await self.ask(*asked, **more)
        return caught.value.status, caught.value.words

    async def make(self, name: str) -> str:
        status, made = await self.ask("POST", "/api/persons", {"name": name})
        assert status is HTTPStatus.CREATED
        token: str = made["token"]
        return token

    def may_guess(self) -> bool:
        self.guesses -= 1
        return self.guesses >= 0


@pytest.fixture
def asker() -> Asker:
    return Asker()


async def test_it_is_told_how_one_becomes_a_person(asker: Asker) -> None:
    assert await asker.said("GET", "/api/persons") == {"guests": True, "sign_in": None}


async def test_a_name_is_kept(asker: Asker) -> None:
    status, made = await asker.ask("POST", "/api/persons", {"name": "Ann"})
    assert status is HTTPStatus.CREATED
    person = made["person"]
    assert (person["name"], person["since"], len(person["id"])) == ("Ann", NOW, 12)
    me = await asker.said("GET", "/api/me", token=made["token"])
    assert me == {"person": person, "settings": {}}


async def test_a_name_that_is_kept_is_given_to_nobody_else(asker: Asker) -> None:
    await asker.make("Ann")
    status, words = await asker.refused("POST", "/api/persons", {"name": "A N N"})
    assert status == HTTPStatus.CONFLICT
    assert words == "this name, or one that looks like it, is kept by somebody"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (None, "name: is missing"),
        (b"{", "this is not JSON"),
        (b"[]", "must be an object"),
        (b'{"name": "Ann", "name": "Ben"}', "duplicate key"),
        ({"name": ""}, "name: must have at least 1 character"),
        ({"name": "x" * 25}, "name: must have at most 24 characters"),
        ({"name": "a\u202eb"}, "name: must be printable"),
        ({"name": "Ann", "frob": 1}, "frob: is not known"),
        ({"name": "Ann", "\x1b[31m": 1}, "has an unknown field"),
        ({"name": "Ann", "f" * 33: 1}, "has an unknown field"),
        ({"name": "Ann"} | {f"f{number}": 1 for number in range(33)}, "this: has too many fields"),
        ({"name": 1}, "name: must be text"),
    ],
)
async def test_a_body_that_is_not_understood(asker: Asker, body: object, words: str) -> None:
    status, said = await asker.refused("POST", "/api/persons", body)
    assert status == HTTPStatus.BAD_REQUEST
    assert said.startswith(words)
    assert "\x1b" not in said


async def test_who_shows_no_token_is_nobody(asker: Asker) -> None:
    for method, path in (
        ("GET", "/api/me"),
        ("PATCH", "/api/me"),
        ("POST", "/api/me/link"),
        ("POST", "/api/me/signout"),
    ):
        assert (await asker.refused(method, path))[0] == HTTPStatus.UNAUTHORIZED
        status, words = await asker.refused(method, path, token="abc.0.def")
        assert (status, words) == (401, "this token is not from this server")


async def test_wrong_tokens_are_counted() -> None:
    asker = Asker(guesses=2)
    tried = [await asker.refused("GET", "/api/me", token="abc.0.def") for _ in range(3)]
    assert [status for status, _ in tried] == [401, 401, 429]


async def test_other_methods(asker: Asker) -> None:
    for method, path, allowed in (
        ("GET", "/api/persons/link", ("POST",)),
        ("POST", "/api/me", ("GET", "PATCH", "DELETE", "HEAD")),
    ):
        with pytest.raises(HttpError) as caught:
            await asker.ask(method, path)
        assert caught.value.status is HTTPStatus.METHOD_NOT_ALLOWED
        assert caught.value.allow == allowed


async def test_an_address_keeps_so_many_names() -> None:
    asker = Asker(makes=2)
    await asker.make("Ann")
    assert (await asker.refused("POST", "/api/persons", {"name": "ann"}))[0] == 409
    await asker.make("Bob")
    status, words = await asker.refused("POST", "/api/persons", {"name": "Eve"})
    assert status == HTTPStatus.TOO_MANY_REQUESTS
    assert "try again tomorrow" in words


async def test_an_address_finds_so_many_kept_names() -> None:
    asker = Asker(looks=2)
    await asker.make("Ann")
    tried = [await asker.refused("POST", "/api/persons", {"name": "Ann"}) for _ in range(3)]
    assert [status for status, _ in tried] == [409, 409, 429]


async def test_a_link_makes_another_device_the_same_person(asker: Asker) -> None:
    token = await asker.make("Ann")
    linked = await asker.said("POST", "/api/me/link", token=token)
    assert linked["expires"] == NOW + 600_000
    code = {"code": linked["code"]}
    phone = await asker.said("POST", "/api/persons/link", code)
    me = await asker.said("GET", "/api/me", token=phone["token"])
    assert me["person"] == phone["person"]
    status, words = await asker.refused("POST", "/api/persons/link", code)
    assert status == HTTPStatus.NOT_FOUND
    assert words == "this link does not work: it works once, within ten minutes"


async def test_guessed_codes_are_counted() -> None:
    asker = Asker(guesses=2)
    tried = [await asker.refused("POST", "/api/persons/link", {"code": "x"}) for _ in range(3)]
    assert [status for status, _ in tried] == [404, 404, 429]


async def test_a_phrase_brings_a_person_back(asker: Asker) -> None:
    token = await asker.make("Ann")
    said = await asker.said("POST", "/api/me/phrase", token=token)
    again = {"name": "ann", "phrase": said["phrase"]}
    found = await asker.said("POST", "/api/persons/phrase", again)
    assert (await asker.said("GET", "/api/me", token=found["token"]))["person"]["name"] == "Ann"


async def test_a_guessed_phrase_is_refused_and_counted() -> None:
    asker = Asker(guesses=2)
    await asker.make("Ann")
    wrong = {"name": "Ann", "phrase": "acid acorn acre acts afar affix"}
    tried = [await asker.refused("POST", "/api/persons/phrase", wrong) for _ in range(3)]
    assert [status for status, _ in tried] == [401, 401, 429]
    assert tried[0][1] == "this name and these six words do not belong together"


async def test_phrases_for_one_name_are_counted_from_all_addresses() -> None:
    asker = Asker(guesses=99)
    await asker.said("POST", "/api/me/phrase", token=await asker.make("Ann"))
    wrong = {"name": "Ann", "phrase": "acid acorn acre acts afar affix"}
    for _ in range(MOST_WRONG):
        assert (await asker.refused("POST", "/api/persons/phrase", wrong))[0] == 401
    status, words = await asker.refused("POST", "/api/persons/phrase", wrong)
    assert (status, words) == (429, "too many phrases were tried for this name; wait an hour")


async def test_signing_out_everywhere_gives_a_new_token(asker: Asker) -> None:
    old = await asker.make("Ann")
    new = (await asker.said("POST", "/api/me/signout", token=old))["token"]
    status, words = await asker.refused("GET", "/api/me", token=old)
    assert status == HTTPStatus.UNAUTHORIZED
    assert words == "this person has signed out everywhere: sign in again"
    assert (await asker.said("GET", "/api/me", token=new))["person"]["name"] == "Ann"


async def test_settings(asker: Asker) -> None:
    token = await asker.make("Ann")
    ask: Callable[[object], Any] = lambda settings: asker.said(  # noqa: E731
        "PATCH", "/api/me", {"settings": settings}, token=token
    )
    assert (await ask({"hidden": True}))["settings"] == {"hidden": True}
    assert (await ask({}))["settings"] == {"hidden": True}
    assert (await ask({"hidden": None}))["settings"] == {}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"hidden": 1}, "settings.hidden: must be true or false"),
        ({"theme": 1}, "settings.theme: is not known"),
        ({"a-b": 1}, "settings: has an unknown field"),
        ({"quiet": {"zone": 1}}, "settings.quiet"),
        ({f"f{number}": 1 for number in range(40)}, "this: has too many fields"),
    ],
)
async def test_settings_that_are_not_understood(
    asker: Asker, settings: dict[str, object], words: str
) -> None:
    token = await asker.make("Ann")
    sent = {"settings": settings}
    status, said = await asker.refused("PATCH", "/api/me", sent, token=token)
    assert status == HTTPStatus.BAD_REQUEST
    assert said.startswith(words)
    twice = b'{"settings": {"hidden": true, "hidden": false}}'
    assert await asker.refused("PATCH", "/api/me", twice, token=token) == (400, "duplicate key")
