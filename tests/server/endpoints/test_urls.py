from http import HTTPStatus

import pytest

from ttt_protocol.state import RoomName
from ttt_protocol.tournament.settings import TournamentName
from ttt_server.endpoints.urls import (
    HttpUrl,
    LobbyUrl,
    PlayUrl,
    RoomUrl,
    TournamentUrl,
    parse_url,
)
from ttt_server.transport.responses import HttpError


@pytest.mark.parametrize("path", ["/ws/rooms/den", "/ws/rooms/DEN", "/ws/rooms/den?token=1"])
def test_the_socket_of_a_room(path: str) -> None:
    assert parse_url(path) == RoomUrl(RoomName("den"))


@pytest.mark.parametrize("path", ["/ws/lobby", "/ws/lobby?x", "/ws/lobby?changes=0&xchanges=2"])
def test_the_socket_of_the_lobby(path: str) -> None:
    assert parse_url(path) == LobbyUrl()


@pytest.mark.parametrize("query", ["changes=1", "x&changes=1"])
def test_the_lobby_may_be_asked_for_changes(query: str) -> None:
    assert parse_url(f"/ws/lobby?{query}") == LobbyUrl(wants_changes=True)


@pytest.mark.parametrize("value", ["2", "", "true", "01", "1=1", "%31"])
@pytest.mark.parametrize("before", ["", "x&", "changes=1&"])
def test_a_flag_is_0_or_1(before: str, value: str) -> None:
    with pytest.raises(HttpError, match="changes must be 0 or 1") as caught:
        parse_url(f"/ws/lobby?{before}changes={value}")
    assert caught.value.status is HTTPStatus.BAD_REQUEST


@pytest.mark.parametrize("path", ["/ws/play", "/ws/play?x"])
def test_the_socket_of_quick_match(path: str) -> None:
    assert parse_url(path) == PlayUrl()


@pytest.mark.parametrize(
    "path", ["/", "", "*", "/ws", "/ws/", "/ws/rooms", "/ws/lobby/", "/ws/rooms/a/b", "//[", "//x"]
)
def test_no_socket(path: str) -> None:
    assert parse_url(path) == HttpUrl(path, "")


def test_a_plain_request_may_have_a_query() -> None:
    url = parse_url("/api/rooms/den/games/1?analysis=1&x?y")
    assert url == HttpUrl("/api/rooms/den/games/1", "analysis=1&x?y")
    assert isinstance(url, HttpUrl)
    assert url.parts == ["api", "rooms", "den", "games", "1"]


@pytest.mark.parametrize("name", ["", "-a", "a_b", "a%20b", "é", "a" * 33, "..", "%61", "a.b"])
def test_a_name_that_no_room_can_have(name: str) -> None:
    with pytest.raises(HttpError) as caught:
        parse_url(f"/ws/rooms/{name}")
    assert caught.value.status is HTTPStatus.NOT_FOUND


def test_the_path_of_an_event() -> None:
    assert parse_url("/ws/events/Friday") == TournamentUrl(TournamentName("friday"))
    with pytest.raises(HttpError):
        parse_url("/ws/events/no_name")
