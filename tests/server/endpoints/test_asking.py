from http import HTTPStatus

import pytest

from ttt_protocol.state import RoomName
from ttt_protocol.tournament.settings import TournamentName
from ttt_server.endpoints.asking import (
    HttpUrl,
    Route,
    find_route,
    parse_url,
    read_flag,
    room_name,
    tournament_name,
)
from ttt_server.transport.responses import HttpError

ROUTES = Route.to("/ws/rooms/{room}", "room"), Route.to("/ws/lobby", "lobby"), Route.to("/", "/")


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/", ("/", ())),
        ("/ws/lobby", ("lobby", ())),
        ("/ws/rooms/den", ("room", ("den",))),
        ("/ws/rooms/", ("room", ("",))),
        ("/ws/rooms/%2F\n", ("room", ("%2F\n",))),
        *((path, None) for path in ("", "*", "/ws", "/ws/rooms", "/ws/lobby/", "/ws/rooms/a/b")),
    ],
)
def test_the_route_of_a_path(path: str, found: tuple[str, tuple[str, ...]] | None) -> None:
    assert find_route(ROUTES, path) == found


@pytest.mark.parametrize("query", ["changes=1", "x&changes=1"])
def test_a_flag_is_set(query: str) -> None:
    assert read_flag(query, "changes")


@pytest.mark.parametrize("query", ["", "x", "changes=0&xchanges=2"])
def test_a_flag_is_not_set(query: str) -> None:
    assert not read_flag(query, "changes")


@pytest.mark.parametrize("value", ["2", "", "true", "01", "1=1", "%31"])
@pytest.mark.parametrize("before", ["", "x&", "changes=1&"])
def test_a_flag_is_0_or_1(before: str, value: str) -> None:
    with pytest.raises(HttpError, match="changes must be 0 or 1") as caught:
        read_flag(f"{before}changes={value}", "changes")
    assert caught.value.status is HTTPStatus.BAD_REQUEST


@pytest.mark.parametrize("path", ["/", "", "*", "//[", "//x"])
def test_any_target_has_a_path(path: str) -> None:
    assert parse_url(path) == HttpUrl(path, "")


def test_a_target_may_have_a_query() -> None:
    url = parse_url("/api/rooms/den/games/1?analysis=1&x?y")
    assert url == HttpUrl("/api/rooms/den/games/1", "analysis=1&x?y")
    assert url.parts == ["api", "rooms", "den", "games", "1"]


@pytest.mark.parametrize("text", ["den", "DEN"])
def test_the_name_of_a_room(text: str) -> None:
    assert room_name(text) == RoomName("den")


@pytest.mark.parametrize("name", ["", "-a", "a_b", "a%20b", "é", "a" * 33, "..", "%61", "a.b"])
def test_a_name_that_no_room_can_have(name: str) -> None:
    with pytest.raises(HttpError) as caught:
        room_name(name)
    assert caught.value.status is HTTPStatus.NOT_FOUND


def test_the_name_of_an_event() -> None:
    assert tournament_name("Friday") == TournamentName("friday")
    with pytest.raises(HttpError):
        tournament_name("no_name")
