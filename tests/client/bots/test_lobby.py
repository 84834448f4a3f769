import asyncio
import json
from typing import Any

from ttt_client.bots.lobby import LobbyPlayer, open_seats
from ttt_client.net.session import Ending, Heard, Note, Report
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
    assert open_seats(listed, None) == ["room0", "room4"]
    assert open_seats(listed, Rules()) == ["room0"]


class FakeLobby:
    """A lobby that tells what the test says."""

    def __init__(self) -> None:
        self._events: asyncio.Queue[Rooms | Note | Ending] = asyncio.Queue()

    def hear(self, *events: Rooms | Note | Ending) -> None:
        for event in events:
            self._events.put_nowait(event)

    async def run(self, report: Report) -> Ending:
        while not isinstance(event := await self._events.get(), Ending):
            await report(event if isinstance(event, Note) else Heard("", event))
        return event


async def test_it_plays_in_so_many_rooms_at_once_until_it_is_enough() -> None:
    lobby, visited = FakeLobby(), list[RoomName]()
    most_at_once, here = 0, 0

    async def play(room: RoomName) -> bool:
        nonlocal most_at_once, here
        visited.append(room)
        here += 1
        most_at_once = max(most_at_once, here)
        await asyncio.sleep(0)
        here -= 1
        return len(visited) < 4

    lobby.hear(rooms({}, {}, {}), Note("lost"), rooms({}, {}, {}, {}))
    notes: list[Note] = []
    end = await LobbyPlayer(lobby, play, most=2).run(notes.append)  # type: ignore[arg-type]
    assert end == Ending(0)
    assert sorted(visited) == ["room0", "room1", "room2", "room3"]
    assert most_at_once == 2
    assert notes == [Note("lost")]


async def test_it_ends_with_the_lobby() -> None:
    lobby = FakeLobby()
    lobby.hear(Ending(3, "no server"))

    async def play(_: RoomName) -> bool:
        return True

    player = LobbyPlayer(lobby, play, most=1)  # type: ignore[arg-type]
    assert await player.run(lambda _: None) == Ending(3, "no server")
