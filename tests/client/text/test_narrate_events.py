"""Events of a room as an update brings them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.client.conftest import build_view
from ttt_client.model.view import View, fold
from ttt_client.text.narrate import narrate
from ttt_protocol.messages import (
    Message,
    Update,
)
from ttt_protocol.state import BySeat, RoomState

MakeRoom = Callable[..., RoomState]
MakeView = Callable[..., View]
MakeUpdate = Callable[..., Update]


def told(before: View, message: Message) -> list[str]:
    return narrate(before, message, fold(before, message))


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"type": "offered", "kind": "draw", "seat": "X"}, "you (X) offered a draw"),
        (
            {"type": "declined", "kind": "takeback", "seat": "O"},
            "bob (O) declined to take a move back",
        ),
        ({"type": "taken_back", "game": 1, "ply": 2}, "taken back: the game is at ply 2 again"),
        ({"type": "started", "game": 2}, "game 2: you (X) against bob (O)"),
        ({"type": "left", "seat": "O"}, "bob (O) gave the seat up"),
        (
            {
                "type": "seated",
                "seat": "O",
                "player": {"kind": "human", "id": "c", "name": "c\x1b[m"},
            },
            "c took seat O",
        ),
        (
            {
                "type": "seated",
                "seat": "O",
                "player": {"kind": "human", "id": "d", "name": "dan", "person": "pd"},
            },
            "dan (kept name) took seat O",
        ),
        (
            {
                "type": "seated",
                "seat": "X",
                "player": {"kind": "human", "id": "ida", "name": "ada"},
            },
            "you took seat X",
        ),
        (
            {
                "type": "seated",
                "seat": "O",
                "player": {"kind": "ai", "name": "rules", "strategy": "rules", "level": None},
            },
            "rules, an AI, took seat O",
        ),
        (
            {"type": "played", "game": 1, "ply": 0, "seat": "X", "cell": 4},
            "you (X) played 5",
        ),
    ],
)
def test_every_event_has_words(
    event: dict[str, Any], words: str, room: MakeRoom, view: MakeView, update: MakeUpdate
) -> None:
    assert told(view(room()), update(room(), event)) == [words]


def test_the_offer_of_a_rematch_names_the_old_sides(
    room: MakeRoom, view: MakeView, update: MakeUpdate
) -> None:
    offered = {"type": "offered", "kind": "rematch", "seat": "X"}
    lines = told(view(room()), update(room("bob", "ada"), offered, {"type": "started", "game": 2}))
    assert lines[:2] == ["you (X) offered a rematch", "game 2: bob (X) against you (O)"]


def test_the_creation_of_a_room_is_not_told(
    room: MakeRoom, view: MakeView, update: MakeUpdate
) -> None:
    assert told(view(room()), update(room(), {"type": "created", "settings": {}})) == []


def test_another_name_and_who_may_chat_are_told(
    room: MakeRoom, view: MakeView, update: MakeUpdate
) -> None:
    renamed = {"type": "renamed", "seat": "O", "name": "Blue Otter"}
    moderated = {"type": "moderated", "chat": "players"}
    lines = told(view(room()), update(room(), renamed, moderated))
    assert lines == ["bob (O) is called Blue Otter now", "only the players may chat now"]


def test_why_a_game_does_not_count_is_told(
    room: MakeRoom, view: MakeView, update: MakeUpdate
) -> None:
    outcome = {"winner": "X", "reason": "resignation", "line": None}
    end = {"type": "ended", "game": 1, "outcome": outcome, "unrated": "early_resignation"}
    lines = told(view(room()), update(room(), end))
    why = "it was resigned before the third move"
    assert lines == [f"this game does not count for ratings: {why}"]


def test_what_a_server_that_slept_gives_back_is_told(
    room: MakeRoom, view: MakeView, update: MakeUpdate
) -> None:
    left = {"X": 58_000, "O": 60_000}
    slept = {"type": "slept", "game": 1, "seat": "O", "given_back_ms": 88_400, "clock": left}
    lines = told(view(room()), update(room(), slept))
    assert lines == ["the server slept: 88 s are given back to bob (O)"]


def test_your_own_new_name_is_told_as_yours(
    room: MakeRoom, view: MakeView, update: MakeUpdate
) -> None:
    renamed = {"type": "renamed", "seat": "X", "name": "Ada L"}
    assert told(view(room()), update(room(), renamed)) == ["you are called Ada L now"]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ("stay", "bob (O) chose to stay"),
        ("swap", "bob (O) chose to swap: the players change seats"),
        ("more", "bob (O) chose to place two more stones"),
    ],
)
def test_a_choice_is_told_of_the_seat_before_it(
    choice: str, words: str, room: MakeRoom, update: MakeUpdate
) -> None:
    fields = {"moves": (0, 1, 2), "opening": "swap2"}
    before = build_view(room(**fields, choosing="O", choices=("stay", "swap", "more")), "X")
    after = room(**fields, turn="O")
    if choice == "swap":
        after = replace(after, seats=BySeat(X=after.seats.O, O=after.seats.X))
    chosen = {"type": "chosen", "game": 1, "ply": 3, "seat": "O", "choice": choice}
    assert told(before, update(after, chosen))[0] == words
