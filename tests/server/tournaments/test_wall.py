"""The wall: which boards are shown, and who is told of them."""

import asyncio
from dataclasses import replace

import pytest

from tests.server.fakes import ImmediateBroadcaster, RecordingListener
from tests.server.tournaments.rules.tournaments import Evening, names
from ttt_engine import Position, Rules
from ttt_engine.openings.opening import Choice, Opening
from ttt_protocol.codes import Reason
from ttt_protocol.state import Mark, Outcome, RoomName
from ttt_protocol.tournament.settings import Form
from ttt_server.core.room import RoomGame
from ttt_server.tournaments.boards import Boards, Seen
from ttt_server.tournaments.rules.values import Game as EventGame
from ttt_server.tournaments.wall import LINGER_MS, MOST, STILL_MS, Wall, choose

NOW = 1_000_000
PLAYING = RoomGame(1, Position.start(Rules()), ())
OVER = RoomGame(
    1, Position.start(Rules()), (), outcome=Outcome(reason=Reason.RESIGNATION, winner=Mark.X)
)
ROOMS = tuple(RoomName(f"r{number}") for number in range(MOST + 2))
A, B, C = ROOMS[:3]
G, H = ROOMS[MOST:]


def boards(changed_at: dict[RoomName, int]) -> dict[RoomName, Seen]:
    return {room: Seen(PLAYING, at) for room, at in changed_at.items()}


def test_only_the_liveliest_boards_are_shown() -> None:
    moved = {room: Seen(PLAYING, at) for at, room in enumerate(ROOMS)}
    assert choose((), moved, NOW) == ROOMS[:1:-1]
    assert choose((), {}, NOW) == ()


def test_a_board_keeps_its_place_while_it_moves() -> None:
    shown = ROOMS[:MOST]
    moved = boards(dict.fromkeys(shown, 0) | {G: STILL_MS - 1, H: STILL_MS - 1})
    assert choose(shown, moved, NOW) == shown


def test_a_board_that_stands_still_gives_its_place_to_the_liveliest() -> None:
    shown = ROOMS[:MOST]
    moved = boards(dict.fromkeys(shown, 9) | {ROOMS[2]: 0, G: STILL_MS, H: STILL_MS + 1})
    assert choose(shown, moved, NOW) == (*ROOMS[:2], H, *ROOMS[3:MOST])


def test_a_finished_board_stays_for_a_while_and_gives_its_place_to_another() -> None:
    shown = ROOMS[:2]
    moved = boards({B: 0, C: 5}) | {A: Seen(OVER, NOW)}
    assert choose(shown, moved, NOW + LINGER_MS - 1) == (A, B, C)
    assert choose(shown, moved, NOW + LINGER_MS) == (C, B)
    assert choose((), moved, NOW) == (C, B)  # it was not shown while it was under way


def test_finished_boards_give_their_places_to_none_before_their_time() -> None:
    shown = ROOMS[:MOST]
    over = {room: Seen(OVER, NOW) for room in shown}
    assert choose(shown, over | boards({G: NOW + STILL_MS}), NOW) == shown


def test_a_board_that_cannot_be_seen_any_more_is_gone() -> None:
    assert choose(ROOMS[:2], boards({B: 0}), NOW) == (B,)


class FakeBoards(Boards):
    """Boards whose games are set by the test."""

    def __init__(self) -> None:
        self.by_room: dict[RoomName, Seen] = {}
        self.looks = 0
        self.looked = asyncio.Event()

    def seen(self, game: EventGame) -> Seen | None:
        self.looks += 1
        self.looked.set()
        return self.by_room.get(game.room)


class Place:
    """A wall of an event of four players in two games."""

    def __init__(self, delay_s: int = 0) -> None:
        self.evening = Evening(Form.ROUND_ROBIN, names(4), delay_s=delay_s)
        self.evening.start()
        self.evening.step()
        self.boards = FakeBoards()
        self.first, self.second = [self.evening.it.game(number) for number in (1, 2)]
        self.wall = Wall(lambda: self.evening.it, self.boards, ImmediateBroadcaster(), lambda: NOW)

    def watch(self) -> RecordingListener:
        watcher = RecordingListener()
        self.wall.add(watcher)
        return watcher


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ttt_server.tournaments.wall.EVERY_S", 0.001)


@pytest.mark.usefixtures("quick")
async def test_watchers_are_told_at_once_and_of_each_change_alone() -> None:
    place = Place()
    place.boards.by_room[place.first.room] = Seen(PLAYING, 0)
    first, second = place.watch(), place.watch()
    assert first.payloads == second.payloads
    (board,) = first.messages[0]["boards"]
    assert (board["number"], board["room"], board["game"]["board"]) == (
        1,
        place.first.room,
        "." * 9,
    )
    assert {board["X"], board["O"]} == {place.first.X, place.first.O}
    for _ in range(3):
        place.boards.looked.clear()
        await place.boards.looked.wait()
    assert len(first.payloads) == 1  # nothing has changed
    place.boards.by_room[place.second.room] = Seen(PLAYING, 1)
    await second.until(lambda ear: len(ear.payloads) == 2)
    assert first.payloads[1] is second.payloads[1]  # encoded once
    place.wall.discard(first)
    place.boards.by_room.clear()
    await second.until(lambda ear: ear.messages[-1]["boards"] == [])
    assert len(first.payloads) == 2
    place.wall.discard(second)


async def test_the_names_of_a_board_change_with_the_seats() -> None:
    place = Place()
    swapped = Opening.begin("pie").chosen(Choice.SWAP)
    board = replace(PLAYING, position=PLAYING.position.play(4), moves=(4,), opening=swapped)
    place.boards.by_room[place.first.room] = Seen(board, 0)
    watcher = place.watch()
    (told,) = watcher.messages[0]["boards"]
    assert (told["X"], told["O"]) == (place.first.O, place.first.X)
    place.wall.discard(watcher)


@pytest.mark.usefixtures("quick")
async def test_a_wall_without_watchers_looks_at_nothing() -> None:
    place = Place()
    place.wall.discard(place.watch())
    looks = place.boards.looks
    await asyncio.sleep(0.01)
    assert place.boards.looks == looks


async def test_a_board_that_ended_in_the_past_of_spectators_has_just_ended_for_them() -> None:
    place = Place(delay_s=60)
    room = place.first.room
    place.boards.by_room[room] = Seen(PLAYING, NOW - 61_000)
    watcher = place.watch()
    place.boards.by_room[room] = Seen(OVER, NOW - 60_000)
    place.wall.discard(watcher)
    (board,) = place.watch().messages[0]["boards"]
    assert board["game"]["outcome"]["winner"] == "X"
