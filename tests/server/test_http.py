import json
from http import HTTPStatus

import pytest
from websockets.datastructures import Headers
from websockets.exceptions import NegotiationError
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from tests.server.rooms import NOW, against_ai, founded, log_of_two_games
from ttt_engine import Position
from ttt_engine.strategies import Description, describe, names
from ttt_protocol.events import Event
from ttt_protocol.state import RoomName, RoomState, Summary
from ttt_server import SERVER
from ttt_server.analyst import Analyst
from ttt_server.http import (
    LobbySocket,
    Rejected,
    RoomSocket,
    Site,
    parse_socket,
    rejection,
    respond,
    select_subprotocol,
)
from ttt_server.judge import Judgement
from ttt_server.pages import load_files
from ttt_server.store import StorageFailed
from ttt_server.view import Here, room_state, summary

ROOMS = {
    "den": against_ai(4),
    "closed": founded(spectators=False),
    "locked": founded()._replace(lock="salt.hash"),
}
LOGS = {"den": log_of_two_games()}


class Hub:
    """What plain reads need of one."""

    is_healthy = True

    def public_rooms(self) -> tuple[Summary, ...]:
        return (summary(ROOMS["den"], 0),)

    async def read(self, name: RoomName) -> RoomState | None:
        if name == "broken":
            raise StorageFailed(name)
        room = ROOMS.get(name)
        return None if room is None else room_state(room, Here(X=True, O=True), 0, NOW)

    async def read_log(self, name: RoomName) -> tuple[Event, ...]:
        return LOGS[name]

    async def strategies(self) -> tuple[Description, ...]:
        return tuple(describe(name) for name in names())


FILES = load_files()


class Judges:
    async def judge(self, position: Position) -> Judgement:
        raise AssertionError(position)  # the games here are on the smallest board


def request(path: str, method: str = "GET", **headers: str) -> Request:
    return Request(path, Headers({"Host": "rooms.example:8765", **headers}), method)


async def read(path: str, method: str = "GET") -> Response:
    return await respond(
        request(path, method), Site(Hub(), FILES, Analyst(Judges()), lambda: b"up 1\n")
    )


async def status(path: str, method: str = "GET") -> HTTPStatus:
    with pytest.raises(Rejected) as caught:
        await read(path, method)
    return caught.value.status


@pytest.mark.parametrize("path", ["/ws/rooms/den", "/ws/rooms/DEN", "/ws/rooms/den?token=1"])
def test_the_socket_of_a_room(path: str) -> None:
    assert parse_socket(path) == RoomSocket(RoomName("den"))


@pytest.mark.parametrize("path", ["/ws/lobby", "/ws/lobby?x"])
def test_the_socket_of_the_lobby(path: str) -> None:
    assert parse_socket(path) == LobbySocket()


@pytest.mark.parametrize(
    "path", ["/", "", "*", "/ws", "/ws/", "/ws/rooms", "/ws/lobby/", "/ws/rooms/a/b", "//[", "//x"]
)
def test_no_socket(path: str) -> None:
    assert parse_socket(path) is None


@pytest.mark.parametrize("name", ["", "-a", "a_b", "a%20b", "é", "a" * 33, "..", "%61", "a.b"])
def test_a_name_that_no_room_can_have(name: str) -> None:
    with pytest.raises(Rejected) as caught:
        parse_socket(f"/ws/rooms/{name}")
    assert caught.value.status is HTTPStatus.NOT_FOUND


def test_subprotocol() -> None:
    ours, other = Subprotocol("ttt.v1"), Subprotocol("ttt.v2")
    assert select_subprotocol([]) is None
    assert select_subprotocol([other, ours]) == ours
    with pytest.raises(NegotiationError):
        select_subprotocol([other])


async def test_health() -> None:
    assert json.loads((await read("/healthz")).body) == {"status": "ok"}


async def test_health_while_the_store_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hub, "is_healthy", False)
    assert await status("/healthz") is HTTPStatus.SERVICE_UNAVAILABLE


async def test_the_public_rooms() -> None:
    response = await read("/api/rooms?page=1")
    assert [room["name"] for room in json.loads(response.body)["rooms"]] == ["den"]
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Server"] == SERVER


@pytest.mark.parametrize("name", ["den", "DEN"])
async def test_one_room(name: str) -> None:
    room = json.loads((await read(f"/api/rooms/{name}")).body)
    assert room["name"] == "den"
    assert room["game"]["moves"] == [4]


@pytest.mark.parametrize("name", ["closed", "locked"])
async def test_a_room_that_is_not_for_everyone_is_not_read(name: str) -> None:
    assert await status(f"/api/rooms/{name}") is HTTPStatus.FORBIDDEN
    assert await status(f"/api/rooms/{name}/games/1") is HTTPStatus.FORBIDDEN


async def test_one_game() -> None:
    record = json.loads((await read("/api/rooms/den/games/2")).body)
    assert (record["room"], record["game"]) == ("den", 2)
    assert record["rules"] == {"columns": 3, "rows": 3, "in_a_row": 3, "gravity": False}
    assert record["seats"]["X"]["name"] == "bob"
    assert [event["type"] for event in record["events"]] == ["started", "played", "offered"]


@pytest.mark.parametrize(
    "number", ["3", "0", "-1", "", "x", "1.0", "²", "9" * 7, "9" * 5000, "1/x", "%31"]
)
async def test_no_such_game(number: str) -> None:
    assert await status(f"/api/rooms/den/games/{number}") is HTTPStatus.NOT_FOUND


async def test_the_analysis_of_a_game() -> None:
    told = json.loads((await read("/api/rooms/den/games/1?analysis=1")).body)
    record = json.loads((await read("/api/rooms/den/games/1")).body)
    assert told.items() > record.items()
    assert told["analysis"][0]["ply"] == 0
    assert told["thrown_away_at"] == 1  # to a corner, an edge is no answer


async def test_no_analysis_of_a_game_that_goes_on() -> None:
    assert await status("/api/rooms/den/games/2?analysis=1") is HTTPStatus.CONFLICT


async def test_a_game_of_no_room() -> None:
    assert await status("/api/rooms/none/games/1") is HTTPStatus.NOT_FOUND


async def test_the_strategies() -> None:
    told = json.loads((await read("/api/strategies")).body)["strategies"]
    minimax = {each["name"]: each for each in told}["minimax"]
    assert set(minimax) == {"name", "levels", "about", "boards"}
    assert minimax["levels"] is True
    assert all(each["about"] and each["boards"] for each in told)


async def test_the_schema() -> None:
    first, second = await read("/api/protocol.json"), await read("/api/protocol.json")
    assert json.loads(first.body)["$schema"]
    assert first.body == second.body


@pytest.mark.parametrize("path", ["/api/rooms/none", "/api/rooms/a_b", "/api", "/nothing", "//["])
async def test_nothing_there(path: str) -> None:
    assert await status(path) is HTTPStatus.NOT_FOUND


async def test_only_reading() -> None:
    assert await status("/api/rooms", "POST") is HTTPStatus.METHOD_NOT_ALLOWED
    assert await status("/api/rooms/none", "DELETE") is HTTPStatus.METHOD_NOT_ALLOWED


async def test_a_head_has_no_body_and_the_same_headers() -> None:
    head, get = await read("/api/rooms", "HEAD"), await read("/api/rooms")
    assert head.body == b""
    assert list(head.headers.raw_items()) == list(get.headers.raw_items())


async def test_a_store_that_fails_is_for_the_caller_to_tell() -> None:
    with pytest.raises(StorageFailed):
        await read("/api/rooms/broken")


def test_the_words_of_a_rejection() -> None:
    response = rejection(Rejected(HTTPStatus.NOT_FOUND, "there is nothing here"))
    assert (response.status_code, response.body) == (404, b"there is nothing here\n")
    assert response.headers["Content-Length"] == str(len(response.body))
    assert "Retry-After" not in response.headers


def test_what_else_a_rejection_tells() -> None:
    full = rejection(Rejected(HTTPStatus.SERVICE_UNAVAILABLE, "the server is full"))
    assert full.headers["Retry-After"] == "5"
    only = rejection(Rejected(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD"))
    assert only.headers["Allow"] == "GET, HEAD"


async def test_the_metrics() -> None:
    response = await read("/metrics")
    assert response.body == b"up 1\n"
    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    head = await read("/metrics", "HEAD")
    assert (head.body, head.headers["Content-Length"]) == (b"", "5")
    assert await status("/metrics", "POST") is HTTPStatus.METHOD_NOT_ALLOWED
