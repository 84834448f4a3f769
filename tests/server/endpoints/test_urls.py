from http import HTTPStatus

import pytest
from websockets.exceptions import NegotiationError
from websockets.typing import Subprotocol

from ttt_protocol.state import RoomName
from ttt_server.endpoints.urls import (
    HttpError,
    LobbyUrl,
    RoomUrl,
    error_response,
    parse_url,
    select_subprotocol,
)


@pytest.mark.parametrize("path", ["/ws/rooms/den", "/ws/rooms/DEN", "/ws/rooms/den?token=1"])
def test_the_socket_of_a_room(path: str) -> None:
    assert parse_url(path) == RoomUrl(RoomName("den"))


@pytest.mark.parametrize("path", ["/ws/lobby", "/ws/lobby?x"])
def test_the_socket_of_the_lobby(path: str) -> None:
    assert parse_url(path) == LobbyUrl()


@pytest.mark.parametrize(
    "path", ["/", "", "*", "/ws", "/ws/", "/ws/rooms", "/ws/lobby/", "/ws/rooms/a/b", "//[", "//x"]
)
def test_no_socket(path: str) -> None:
    assert parse_url(path) is None


@pytest.mark.parametrize("name", ["", "-a", "a_b", "a%20b", "é", "a" * 33, "..", "%61", "a.b"])
def test_a_name_that_no_room_can_have(name: str) -> None:
    with pytest.raises(HttpError) as caught:
        parse_url(f"/ws/rooms/{name}")
    assert caught.value.status is HTTPStatus.NOT_FOUND


def test_subprotocol() -> None:
    ours, other = Subprotocol("ttt.v1"), Subprotocol("ttt.v2")
    assert select_subprotocol([]) is None
    assert select_subprotocol([other, ours]) == ours
    with pytest.raises(NegotiationError):
        select_subprotocol([other])


def test_the_words_of_a_rejection() -> None:
    response = error_response(HttpError(HTTPStatus.NOT_FOUND, "there is nothing here"))
    assert (response.status_code, response.body) == (404, b"there is nothing here\n")
    assert response.headers["Content-Length"] == str(len(response.body))
    assert "Retry-After" not in response.headers


def test_a_head_that_fails_has_no_words() -> None:
    response = error_response(HttpError(HTTPStatus.NOT_FOUND, "there is nothing here"), head=True)
    assert (response.body, response.headers["Content-Length"]) == (b"", "22")


def test_what_else_a_rejection_tells() -> None:
    full = error_response(HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "the server is full"))
    assert full.headers["Retry-After"] == "5"
    only = error_response(HttpError(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD"))
    assert only.headers["Allow"] == "GET, HEAD"
