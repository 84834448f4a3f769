import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from typing import cast

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from tests.server.examples import BOB, EVE, NOW, against_ai, founded, log_of_two_games
from tests.server.tournaments.rules.tournaments import Evening
from ttt_engine import Position
from ttt_engine.evaluation import Evaluation
from ttt_engine.learning.memory import Memory
from ttt_engine.strategies import Description, describe, names
from ttt_protocol.codes import RefusalCode
from ttt_protocol.records import GameRecord
from ttt_protocol.state import RoomName, RoomState, SessionId, Summary
from ttt_protocol.tournament.messages import EventList, TournamentState
from ttt_protocol.tournament.settings import Form, TournamentName
from ttt_server.ai.evaluations import Evaluations, GameAnalyser
from ttt_server.ai.laboratory import MOST_OF_AN_ADDRESS, Laboratory
from ttt_server.core.errors import Refused
from ttt_server.core.game_record import record_of
from ttt_server.core.room import Room
from ttt_server.core.snapshot import Here, room_state, summary
from ttt_server.endpoints.asking import Client, HttpUrl, parse_url
from ttt_server.endpoints.http import MOST_READERS, HttpApi
from ttt_server.endpoints.static import StaticFiles
from ttt_server.limits.client_address import Source
from ttt_server.lobby.room_list import PublicRooms
from ttt_server.rooms.admission import Rights
from ttt_server.rooms.event_log import GameNotKept
from ttt_server.rooms.reader import RoomReader
from ttt_server.storage.base import StorageFailed
from ttt_server.tournaments.public_list import PublicEvents, newest, update
from ttt_server.tournaments.registry import TournamentRegistry
from ttt_server.tournaments.rules.values import Tournament
from ttt_server.tournaments.view import tournament_state
from ttt_server.transport.responses import HttpError

ROOMS = {
    "den": against_ai(4),
    "closed": founded(spectators=False).replace(name=RoomName("closed")),
    "locked": founded().replace(name=RoomName("locked"), password_hash="salt.hash"),
}
LOGS = {"den": log_of_two_games(), "locked": log_of_two_games()}
RIGHTS = {
    "of-ada": Rights(SessionId("zoe9"), sees_room=True),
    "of-bob": Rights(BOB, sees_room=False),
    "of-eve": Rights(EVE, sees_room=False),
    "watch": Rights(None, sees_room=True),
    "no-watch": Rights(None, sees_room=False),
}
"""What tokens of the locked room let their owners see."""
LONG_AGO = 77


class Hub:
    """What plain reads need of one."""

    is_healthy = True

    def summary(self, name: RoomName) -> Summary | None:
        return summary(ROOMS[name], Here(X=True, O=True), 0)

    def subscribe(self, call: Callable[[RoomName], None]) -> None:
        call(RoomName("den"))

    async def read(self, name: RoomName) -> RoomState | None:
        if name == "broken":
            raise StorageFailed(name)
        room = ROOMS.get(name)
        return None if room is None else room_state(room, Here(X=True, O=True), 0, NOW)

    async def read_game(self, name: RoomName, number: int) -> GameRecord | None:
        if number == LONG_AGO:
            raise GameNotKept
        return record_of(Room(name), LOGS[name], number)

    async def rights(self, name: RoomName, token: str) -> Rights:
        if name not in {"locked", "closed"} or token not in RIGHTS:
            raise Refused(RefusalCode.BAD_TOKEN)
        return RIGHTS[token]

    async def strategies(self) -> tuple[Description, ...]:
        return tuple(describe(name) for name in names())


FILES = StaticFiles.load()


class Evaluator:
    async def evaluate(self, position: Position, seconds: float) -> Evaluation:
        raise AssertionError(position, seconds)  # the games here are on the smallest board


class Tournaments:
    async def listed(self) -> EventList:
        evening = Evening(Form.SWISS, public=True)
        events: PublicEvents = {}
        update(events, evening.it)
        return EventList(events=tuple(newest(events.values())))

    async def read(self, name: TournamentName) -> TournamentState | None:
        it = Tournament(name)
        return tournament_state(it, frozenset(), 1) if name == "friday" else None

    async def ask(self, name: TournamentName) -> TournamentState | None:
        state = await self.read(TournamentName("friday"))
        assert state is not None
        return state.model_copy(update={"name": name, "seq": 7}) if name == "afar" else None


LABORATORY, EXPLORER = Laboratory(Memory(), 256), Evaluations(Evaluator())
ANALYSER = GameAnalyser(Evaluator())


def an_api(metrics: bytes) -> HttpApi:
    hub = Hub()

    async def is_healthy() -> bool:
        return hub.is_healthy

    async def read_metrics() -> bytes:
        return metrics

    return HttpApi(
        cast("RoomReader", hub),
        PublicRooms(hub.summary, hub.subscribe),
        cast("TournamentRegistry", Tournaments()),
        FILES,
        ANALYSER,
        LABORATORY,
        EXPLORER,
        catalogue=hub.strategies,
        is_healthy=is_healthy,
        metrics=read_metrics,
    )


API = an_api(b"up 1\n")


async def read(path: str, method: str = "GET", **headers: str) -> Response:
    given = Headers({name.replace("_", "-"): value for name, value in headers.items()})
    return await respond(API, Request(path, given, method))


async def respond(
    api: HttpApi, request: Request, may_guess: Callable[[], bool] = lambda: True
) -> Response:
    url = parse_url(request.path)
    assert isinstance(url, HttpUrl)
    return await api.respond(request, url, Client(Source("192.0.2.1"), may_guess))


async def status(path: str, method: str = "GET", **headers: str) -> HTTPStatus:
    with pytest.raises(HttpError) as caught:
        await read(path, method, **headers)
    return caught.value.status


async def test_health() -> None:
    assert json.loads((await read("/healthz")).body) == {"status": "ok"}


async def test_health_while_the_store_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hub, "is_healthy", False)
    assert await status("/healthz") is HTTPStatus.SERVICE_UNAVAILABLE


@pytest.mark.parametrize("path", ["/lobby", "/rooms/no_underscores", "/rooms/den/games"])
async def test_a_browser_reads_that_there_is_no_such_page(path: str) -> None:
    response = await read(path, Accept="text/html,*/*;q=0.8", If_None_Match="*")
    assert response.status_code == HTTPStatus.NOT_FOUND
    assert response.headers["Content-Type"].startswith("text/html")
    assert b"There is nothing here" in response.body
    assert await status(path) is HTTPStatus.NOT_FOUND  # in a line of text, to other programs


async def test_the_public_rooms() -> None:
    response = await read("/api/rooms?page=1")
    assert [room["name"] for room in json.loads(response.body)["rooms"]] == ["den"]
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Server"] == "ttt-rooms"


async def test_a_page_may_ask_for_no_device_and_shares_no_window() -> None:
    response = await read("/", Accept="text/html")
    assert response.headers["Permissions-Policy"] == "camera=(), geolocation=(), microphone=()"
    assert response.headers["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.parametrize("name", ["den", "DEN"])
async def test_one_room(name: str) -> None:
    room = json.loads((await read(f"/api/rooms/{name}")).body)
    assert room["name"] == "den"
    assert room["game"]["moves"] == [4]


@pytest.mark.parametrize("name", ["closed", "locked"])
async def test_a_private_room_is_not_shown(name: str) -> None:
    assert await status(f"/api/rooms/{name}") is HTTPStatus.FORBIDDEN
    assert await status(f"/api/rooms/{name}/games/1") is HTTPStatus.FORBIDDEN


@pytest.mark.parametrize("header", ["Bearer of-ada", "bearer  watch "])
async def test_a_token_opens_a_private_room_to_its_owner(header: str) -> None:
    for path in ("/api/rooms/locked", "/api/rooms/locked/games/1"):
        response = await read(path, Authorization=header)
        assert response.status_code == 200
        assert response.headers["Cache-Control"] == "private, no-store"
    assert (await read("/api/rooms/den")).headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("value", ["=2", "=", "", "=true"])
async def test_a_flag_is_0_or_1(value: str) -> None:
    assert (await read("/api/rooms/den/games/1?analysis=0")).status_code == 200
    for path, flag in (("rooms/den/games/1?", "analysis"), ("trace?strategy=rules&", "counts")):
        with pytest.raises(HttpError, match=f"{flag} must be 0 or 1") as caught:
            await read(f"/api/{path}{flag}{value}")
        assert caught.value.status is HTTPStatus.BAD_REQUEST


async def test_a_former_player_sees_only_their_own_games() -> None:
    own = {"Authorization": "Bearer of-bob"}
    assert json.loads((await read("/api/rooms/locked/games/1", **own)).body)["game"] == 1
    analysed = await read("/api/rooms/locked/games/1?analysis=1", **own)
    assert "analysis" in json.loads(analysed.body)
    assert await status("/api/rooms/locked", **own) is HTTPStatus.FORBIDDEN
    assert await status("/api/rooms/locked/games/9", **own) is HTTPStatus.FORBIDDEN
    for other in ("of-eve", "no-watch"):
        header = {"Authorization": f"Bearer {other}"}
        assert await status("/api/rooms/locked/games/1", **header) is HTTPStatus.FORBIDDEN
        assert await status("/api/rooms/closed", **header) is HTTPStatus.FORBIDDEN


async def test_a_game_that_is_not_there_is_missing_for_those_who_see_the_room() -> None:
    found = await status("/api/rooms/locked/games/9", Authorization="Bearer of-ada")
    assert found is HTTPStatus.NOT_FOUND


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([], HTTPStatus.FORBIDDEN),
        (["Basic of-ada"], HTTPStatus.FORBIDDEN),
        (["Bearer of-ada", "Bearer of-ada"], HTTPStatus.FORBIDDEN),
        (["Bearer forged"], HTTPStatus.UNAUTHORIZED),
        (["Bearer "], HTTPStatus.UNAUTHORIZED),
    ],
)
async def test_an_invalid_token_opens_nothing(headers: list[str], expected: HTTPStatus) -> None:
    given = Headers([("Authorization", value) for value in headers])
    with pytest.raises(HttpError) as caught:
        await respond(API, Request("/api/rooms/locked", given))
    assert caught.value.status is expected


async def test_wrong_tokens_are_counted_and_right_ones_are_not() -> None:
    guesses: list[bool] = []

    def may_guess() -> bool:
        guesses.append(True)
        return len(guesses) < 2

    wrong = Request("/api/rooms/locked", Headers(Authorization="Bearer forged"))
    right = Request("/api/rooms/locked", Headers(Authorization="Bearer of-ada"))
    for expected in (HTTPStatus.UNAUTHORIZED, HTTPStatus.TOO_MANY_REQUESTS):
        with pytest.raises(HttpError) as caught:
            await respond(API, wrong, may_guess)
        assert caught.value.status is expected
        assert (await respond(API, right, may_guess)).status_code == 200
    assert len(guesses) == 2


async def test_a_room_for_everyone_asks_for_no_token() -> None:
    assert (await read("/api/rooms/den", Authorization="Bearer forged")).status_code == 200


async def test_readers_of_games_over_the_limit_get_a_503() -> None:
    api = an_api(b"")
    path = Request("/api/rooms/den/games/2", Headers())
    async with api.readers.take():
        waiting = [asyncio.create_task(respond(api, path)) for _ in range(MOST_READERS - 1)]
        await asyncio.sleep(0)
        with pytest.raises(HttpError) as caught:
            await respond(api, path)
        assert caught.value.status is HTTPStatus.SERVICE_UNAVAILABLE
    assert {response.status_code for response in await asyncio.gather(*waiting)} == {200}


async def test_one_address_may_run_fewer_studies_than_all_together() -> None:
    api = replace(API, laboratory=Laboratory(Memory(), 256))
    api.laboratory._turns._users.update({"192.0.2.1": MOST_OF_AN_ADDRESS})
    for path in ("/api/trace?strategy=minimax", "/api/compare", "/api/puzzles/daily"):
        with pytest.raises(HttpError, match="from your address") as caught:
            await respond(api, Request(path, Headers()))
        assert caught.value.status is HTTPStatus.TOO_MANY_REQUESTS


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


async def test_the_metrics() -> None:
    response = await read("/metrics")
    assert response.body == b"up 1\n"
    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    head = await read("/metrics", "HEAD")
    assert (head.body, head.headers["Content-Length"]) == (b"", "5")
    assert await status("/metrics", "POST") is HTTPStatus.METHOD_NOT_ALLOWED


async def test_the_page() -> None:
    assert (await read("/")).body == FILES.files["index.html"].body
    assert (await read("/rooms/den?x")).body == FILES.files["room.html"].body
    assert await status("/rooms/a_b") is HTTPStatus.NOT_FOUND


@pytest.mark.parametrize("path", ["/", "/api/rooms/den", "/api/protocol.json"])
async def test_an_unchanged_document_is_not_sent_again(path: str) -> None:
    tag = (await read(path)).headers["ETag"]
    again = await read(path, If_None_Match=tag)
    assert (again.status_code, again.body) == (304, b"")
    assert (await read(path, If_None_Match='"other"')).status_code == 200


async def test_the_list_of_events() -> None:
    answer = await read("/api/events")
    (event,) = json.loads(answer.body)["events"]
    keys = ["event", "title", "form", "rules", "status", "players", "round"]
    assert list(event) == keys
    assert (event["event"], event["form"], event["status"]) == ("friday", "swiss", "created")
    again = await read("/api/events", If_None_Match=answer.headers["ETag"])
    assert again.status_code == 304


async def test_one_event() -> None:
    state = json.loads((await read("/api/events/Friday")).body)
    assert (state["name"], state["status"]) == ("friday", "created")


async def test_an_event_of_another_server_waits_for_no_log() -> None:
    async with API.readers.take():
        state = json.loads((await read("/api/events/afar")).body)
    assert (state["name"], state["seq"]) == ("afar", 7)


@pytest.mark.parametrize("name", ["monday", "no_name"])
async def test_an_event_that_is_not_there(name: str) -> None:
    assert await status(f"/api/events/{name}") is HTTPStatus.NOT_FOUND


async def test_puzzles() -> None:
    day = json.loads((await read("/api/puzzles/daily?date=2026-01-02")).body)
    assert day["date"] == "2026-01-02"
    asked = {"kind": "who_wins", "board": ".OX.OX.X.", "turn": "O", "cell": None, "winner": None}
    assert asked.items() <= day["puzzle"].items()
    today = json.loads((await read("/api/puzzles/daily")).body)
    assert today["date"] > "2026-01-02"
    told = json.loads((await read("/api/puzzles?set=class-4b&count=3")).body)
    assert told["set"] == "class-4b"
    kinds = [puzzle["kind"] for puzzle in told["puzzles"]]
    assert kinds == ["win_in_two", "only_move", "who_wins"]
    assert await status("/api/puzzles") is HTTPStatus.BAD_REQUEST
    assert await status("/api/puzzles/daily?date=9999-12-31") is HTTPStatus.BAD_REQUEST


async def test_a_trace_is_lines_of_json() -> None:
    response = await read("/api/trace?moves=a1b2&strategy=learner")
    assert response.headers["Content-Type"] == "application/x-ndjson"
    steps = [json.loads(line)["step"] for line in response.body.splitlines()]
    assert (steps[0], steps[-1]) == ("position", "decision")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("trace?board=XXX&strategy=rules", "3 cells on a board of 9"),
        ("trace?rules=4x4x3&strategy=rules", "rules does not play 4x4x3"),
        ("trace?strategy=rulez", "no strategy 'rulez'; there are: brute, "),
        ("compare?moves=a1a2b1b2c1", "the game is over"),
    ],
)
async def test_an_impossible_study_is_refused(query: str, words: str) -> None:
    with pytest.raises(HttpError, match=words) as caught:
        await read(f"/api/{query}")
    assert caught.value.status is HTTPStatus.BAD_REQUEST
