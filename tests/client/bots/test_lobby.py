import asyncio
import json
from collections.abc import Callable
from typing import Any

from tests.client.library.test_room import FakeSession
from ttt_client.bots.player import LobbyPlayer, OpenSeat, PlayRoom, open_seats
from ttt_client.net.session import Ending, Note
from ttt_protocol.messages import Rooms
from ttt_protocol.state import RoomName, Rules


def rooms(*changes: dict[str, Any]) -> Rooms:
    listed = [
        {
            "name": f"room{number}",
            "status": "waiting",
            "rules": {"columns": 3, "rows": 3, "in_a_row": 3, "gravity": False},
            "seats": {"X": "ada", "O": None},
            "ply": 0,
            "spectators": 0,
            "locked": False,
        }
        | one
        for number, one in enumerate(changes)
    ]
    return Rooms.model_validate_json(json.dumps({"type": "rooms", "rooms": listed}))


def test_a_seat_is_open_where_a_player_waits() -> None:
    listed = rooms(
        {},
        {"status": "playing", "seats": {"X": "ada", "O": "bob"}},
        {"locked": True},
        {"seats": {"X": None, "O": None}},
        {"rules": {"columns": 4, "rows": 4, "in_a_row": 4, "gravity": False}},
    ).rooms
    large = Rules(columns=4, rows=4, in_a_row=4)
    small_seat, large_seat = ("room0", "ada", Rules()), ("room4", "ada", large)
    assert open_seats(listed, lambda _: True) == [small_seat, large_seat]
    assert open_seats(listed, lambda rules: rules == Rules()) == [small_seat]


def test_who_waits_longest_is_first_and_who_has_gone_waits_for_nobody() -> None:
    listed = rooms(
        {"changed_at": 3_000}, {"changed_at": 1_000, "deserted": True}, {"changed_at": 2_000}
    ).rooms
    assert [seat.room for seat in open_seats(listed, lambda _: True)] == ["room2", "room0"]


async def play_in(lobby: FakeSession, play: PlayRoom, most: Callable[[], int]) -> Ending:
    return await LobbyPlayer(lobby, play, most=most).run(notes.append)


notes: list[Note] = []


async def test_it_plays_in_so_many_rooms_at_once_until_it_is_enough() -> None:
    lobby, visited = FakeSession(), list[RoomName]()
    most_at_once, here, left = 0, 0, 4

    async def play(seat: OpenSeat, _: Callable[[], bool]) -> None:
        nonlocal most_at_once, here, left
        visited.append(seat.room)
        here += 1
        most_at_once = max(most_at_once, here)
        await asyncio.sleep(0)
        here -= 1
        left -= 1

    notes.clear()
    lobby.hear(rooms({}, {}, {}), Note("lost"), rooms({}, {}, {}, {}, {}))
    end = await play_in(lobby, play, lambda: min(2, left))
    assert end == Ending(0)
    assert visited == ["room0", "room1", "room2", "room3"]
    assert most_at_once == 2
    assert notes == [Note("lost")]


async def test_the_last_game_is_played_in_one_room() -> None:
    lobby, both, answers = FakeSession(), asyncio.Barrier(2), list[bool]()
    left = 3

    async def play(_: OpenSeat, may_play_on: Callable[[], bool]) -> None:
        nonlocal left
        await both.wait()
        left -= 1
        answers.append(may_play_on())  # the first may, beside the running game of the second
        left -= may_play_on()

    lobby.hear(rooms({}, {}))
    assert await play_in(lobby, play, lambda: min(2, left)) == Ending(0)
    assert answers == [True, False]


async def test_a_player_is_not_visited_twice_but_the_next_in_the_room_is() -> None:
    lobby, visits = FakeSession(), asyncio.Queue[RoomName]()

    async def play(seat: OpenSeat, _: Callable[[], bool]) -> None:
        visits.put_nowait(seat.room)

    playing = asyncio.create_task(play_in(lobby, play, lambda: 1))
    busy = {"status": "playing", "seats": {"X": "ada", "O": "guest"}}
    lobby.hear(rooms({}), rooms(busy), rooms({}), rooms({}, {}))
    assert [await visits.get(), await visits.get()] == ["room0", "room1"]
    lobby.hear(rooms({"seats": {"X": None, "O": None}}), rooms({}))
    assert await visits.get() == "room0"
    lobby.hear(Ending(3, "no server"))
    assert await playing == Ending(3, "no server")
