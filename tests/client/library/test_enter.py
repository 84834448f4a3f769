from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection

from tests.client.conftest import build_room
from ttt_client import BadArgument, CommandRefused, Rejected, history, join, watch
from ttt_protocol.codec import encode_message
from ttt_protocol.codes import RefusalCode
from ttt_protocol.events import Started
from ttt_protocol.messages import Refused
from ttt_protocol.records import GameRecord
from ttt_protocol.state import BySeat, RoomName, Rules

NOWHERE = "ws://127.0.0.1:1"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"seat": "Q"}, "seat: must be one of X, O"),
        ({"name": ""}, "name: must have at least 1 character"),
        ({"name": "x" * 25}, "name: must have at most 24 characters"),
        ({"server": "nonsense://x"}, "an address begins with ws://"),
        ({"room": "A B"}, "a room's name is 1 to 32 of a-z"),
    ],
)
async def test_an_argument_that_means_nothing_is_named_before_any_connection(
    given: dict[str, Any], words: str
) -> None:
    with pytest.raises(CommandRefused, match=words) as caught:
        async with join(**{"server": NOWHERE, "room": "den"} | given):
            pass
    assert isinstance(caught.value, BadArgument)
    assert isinstance(caught.value, ValueError)
    assert caught.value.code is RefusalCode.BAD_COMMAND


async def test_the_same_for_spectators() -> None:
    with pytest.raises(ValueError, match="name: must have at least 1 character"):
        async with watch(NOWHERE, "den", name=""):
            pass


async def test_a_refused_join_has_the_reason_alone(scripted: Callable[..., Awaitable[str]]) -> None:
    async def refuse(connection: ServerConnection) -> None:
        await connection.recv()
        refused = Refused(command="join", code=RefusalCode.NO_SUCH_ROOM, reason="there is none")
        await connection.send(encode_message(refused))
        await connection.wait_closed()

    with pytest.raises(CommandRefused) as caught:
        async with watch(await scripted(refuse), "den"):
            pass
    assert caught.value.reason == "there is none"
    assert str(caught.value) == "no_such_room: there is none"


@pytest.mark.parametrize(
    ("status", "code"), [(401, "bad_token"), (403, "not_allowed"), (404, "no_such_room")]
)
async def test_a_refused_history_has_a_code(
    status: int, code: str, pages: Callable[..., str], answer: Callable[..., bytes]
) -> None:
    url = pages({"/api/rooms/den": answer("it is locked\n", status, "text/plain")})
    with pytest.raises(CommandRefused, match=f"{code}: it is locked"):
        await anext(history(url, "den"))


@pytest.mark.parametrize(("status", "type_"), [(404, "text/html"), (400, "text/plain")])
async def test_what_is_no_refusal_of_a_room(
    status: int, type_: str, pages: Callable[..., str], answer: Callable[..., bytes]
) -> None:
    url = pages({"/api/rooms/den": answer("no", status, type_)})
    with pytest.raises(Rejected):
        await anext(history(url, "den"))


async def test_games_that_are_no_longer_kept_are_left_out(
    pages: Callable[..., str], answer: Callable[..., bytes]
) -> None:
    seats, events = BySeat(X=None, O=None), (Started(seq=9, at=0, game=2),)
    record = GameRecord(room=RoomName("den"), game=2, rules=Rules(), seats=seats, events=events)
    url = pages(
        {
            "/api/rooms/den": answer(encode_message(build_room(number=3)).decode()),
            "/api/rooms/den/games/1": answer("no longer kept", 404, "text/plain"),
            "/api/rooms/den/games/2": answer(encode_message(record).decode()),
            "/api/rooms/den/games/3": answer("not yours", 403, "text/plain"),
        }
    )
    games = history(url, "den")
    assert (await anext(games)).game == 2
    with pytest.raises(CommandRefused, match="not_allowed: not yours"):
        await anext(games)
