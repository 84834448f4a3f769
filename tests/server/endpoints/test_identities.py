"""Whose word a header of an identity is, and who is let in."""

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from tests.server.people.test_service import NOW, SECRET, QuickHashing
from ttt_protocol.codes import RefusalCode
from ttt_server.core.errors import Refused
from ttt_server.endpoints.identities import Admittance, IdentityHeader
from ttt_server.people.service import People
from ttt_server.storage.memory import MemoryStore
from ttt_server.telemetry.counters import Counters


def request(*values: str) -> Request:
    headers = Headers({"Host": "here"})
    for value in values:
        headers["remote-user"] = value
    return Request("/", headers)


def seen(
    *values: str, is_proxied: bool = True, name: str | None = "Remote-User"
) -> tuple[str | None, int]:
    """Whom the header names, and how many were false."""
    counters = Counters()
    header = IdentityHeader(name, counters)
    asked = request(*values)
    vetted = header.vetted(asked, is_proxied=is_proxied)
    assert asked.headers.get_all("Remote-User") == list(values), "other requests may share them"
    assert vetted.headers["Host"] == "here"
    return header.of(vetted), counters.false_identities


def test_a_proxy_names_its_user() -> None:
    assert seen("ada") == ("ada", 0)
    assert seen() == (None, 0)
    assert seen("  ") == (None, 0)
    assert seen("Zo\u00c3\u00ab") == ("Zo\u00eb", 0)
    assert seen("x" * 999) == ("x" * 256, 0)


def test_nobody_else_does() -> None:
    assert seen("ada", is_proxied=False) == (None, 1)
    assert seen("ada", "bob") == (None, 1)
    assert seen("ada", name=None) == (None, 0)


@pytest.fixture
def people() -> People:
    return People(MemoryStore(), SECRET, QuickHashing(), lambda: NOW)


async def refusal(admittance: Admittance, token: str | None) -> RefusalCode:
    with pytest.raises(Refused) as caught:
        await admittance.person("join", token, None)
    return caught.value.code


async def test_who_is_let_in(people: People) -> None:
    token = people.token(await people.make("Ann"))
    for has_guests in (True, False):
        admittance = Admittance(people, has_guests=has_guests)
        assert admittance.is_guest(None, None) is has_guests
        ann = await admittance.person("join", token, None)
        ada = await admittance.person("join", token, "ada")
        assert ann is not None
        assert ada is not None
        assert (ann.name, ada.name) == ("Ann", "ada"), "the proxy knows better"
        assert await refusal(admittance, "abc.0.def") is RefusalCode.BAD_TOKEN
    assert await Admittance(people).person("join", None, None) is None
    assert await refusal(Admittance(people, has_guests=False), None) is RefusalCode.NOT_ALLOWED


async def test_no_persons_are_kept() -> None:
    assert await refusal(Admittance(), "abc.0.def") is RefusalCode.BAD_COMMAND
    assert await Admittance().person("join", None, None) is None
