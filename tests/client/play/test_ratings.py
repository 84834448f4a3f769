import asyncio
import json
from collections.abc import Callable, Mapping

from tests.client.conftest import build_room, build_view
from ttt_client.net.address import parse_server
from ttt_client.play.ratings import RatingNews
from ttt_protocol.state import PersonId

ADA = {"kind": "human", "id": "ida", "name": "ada", "connected": True, "person": "pa"}
BOB = {"kind": "human", "id": "idb", "name": "bob", "connected": True}


async def test_ratings_are_told_once_and_shown_after_each_game(
    pages: Callable[[dict[str, bytes | None]], str], answer: Callable[..., bytes]
) -> None:
    said = {"X": {"rating": 1581.7, "provisional": True, "games": 3}}
    server = parse_server(pages({"/api/rooms/den/ratings": answer(json.dumps(said))}))
    told: list[str] = []
    shown: list[Mapping[PersonId, str]] = []
    came = asyncio.Event()

    def show(ratings: Mapping[PersonId, str]) -> None:
        shown.append(ratings)
        came.set()

    news = RatingNews(server, told.append, show)
    settings = {"rules": {}, "clock": {"initial_s": 60, "increment_s": 0}}
    for number in (1, 2):
        came.clear()
        room = build_room(settings=settings, seats={"X": ADA, "O": BOB}, number=number)
        news.see(build_view(room), None)
        async with asyncio.timeout(20):
            await came.wait()
    await news.close()
    assert told == ["ratings: ada 1582?"]
    assert shown == [{"pa": "1582?"}] * 2
