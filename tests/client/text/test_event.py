"""An event as one of its players reads it."""

from typing import Any

import pytest

from tests.client.text.test_standings import event, game, standing
from ttt_client.text.event import (
    begins,
    final_words,
    form_words,
    next_words,
    place_words,
    row_of,
    words_at_board,
)
from ttt_protocol.state import Mark, RoomName, SessionId, Token
from ttt_protocol.tournament.messages import OwnGame
from ttt_protocol.tournament.settings import Form, Result


def test_every_form_has_its_words() -> None:
    assert [form_words(event(form)) for form in Form][:3] == ["arena", "Swiss", "round-robin"]


def test_a_row_is_found_by_the_player() -> None:
    row = row_of(event(), SessionId("bob"))
    assert row is not None
    assert row.name == "bob"
    assert row_of(event(), SessionId("zoe")) is None
    assert row_of(event(), None) is None


@pytest.mark.parametrize(
    ("form", "fields", "words"),
    [
        (Form.SWISS, {}, "place 1 of 2, 1.5 points: won 1, drawn 1, lost 0"),
        (
            Form.SWISS,
            {"points": 1, "byes": 1},
            "place 1 of 2, 1 point: won 1, drawn 1, lost 0, byes 1",
        ),
        (Form.ARENA, {"streak": 3}, "place 1 of 2, 1.5 points: won 1, drawn 1, lost 0, streak 3"),
        (Form.ARENA, {"streak": 1}, "place 1 of 2, 1.5 points: won 1, drawn 1, lost 0"),
    ],
)
def test_the_place_so_far(form: Form, fields: dict[str, Any], words: str) -> None:
    assert place_words(event(form), standing("ada", **fields)) == words


@pytest.mark.parametrize(
    ("form", "fields", "words"),
    [
        (Form.SWISS, {"status": "created"}, "waiting for the organiser to start"),
        (Form.SWISS, {"status": "paused"}, "paused: waiting for the organiser to go on"),
        (Form.SWISS, {"status": "finished"}, ""),
        (Form.SWISS, {}, "waiting for the next round"),
        (Form.SWISS, {"games": (game(),)}, "waiting for the next round: 1 game under way"),
        (Form.SWISS, {"awaits": "next"}, "waiting for the organiser to begin the next round"),
        (
            Form.KNOCKOUT,
            {"games": (game(), game(), game(result=Result.X))},
            "waiting for the next round: 2 games under way",
        ),
        (Form.ARENA, {}, "waiting for your next game"),
        (Form.MATCH, {}, "waiting for your next game"),
        (Form.SIMUL, {}, "waiting for a board"),
    ],
)
def test_what_a_player_without_a_game_waits_for(
    form: Form, fields: dict[str, Any], words: str
) -> None:
    assert next_words(event(form, **fields), standing("ada")) == words


def test_a_player_who_has_withdrawn_and_a_watcher_wait_for_nothing() -> None:
    assert next_words(event(), standing("ada", status="withdrawn")) == "you have withdrawn"
    assert next_words(event(), None) == ""


def test_the_end_with_the_own_place() -> None:
    over = event(status="finished")
    assert final_words(over, None) == "Friday: ada won"
    place = "place 1 of 2, 1.5 points: won 1, drawn 1, lost 0"
    assert final_words(over, standing("bob")) == f"Friday: ada won; you: {place}"


def test_a_board_shows_only_what_its_player_is_told_in_time() -> None:
    assert words_at_board(event(waiting_for=("bob",))) == "round 2 of 5"
    assert words_at_board(event(status="paused")) == "paused"
    assert words_at_board(event(Form.SIMUL)) == ""
    assert words_at_board(event(status="finished")) == ""


def test_a_game_begins() -> None:
    room, token = RoomName("friday-1"), Token("k")
    game = OwnGame(number=1, room=room, seat=Mark.O, token=token, opponent="Bob")
    assert begins(game) == "your game against Bob: you play O"
    repeated = game.model_copy(update={"again": True})
    assert begins(repeated).startswith("your game against Bob, once more, as no other")


def test_a_round_that_the_organiser_begins_is_waited_for() -> None:
    words = next_words(event(Form.SWISS, awaits="next"), standing("ada"))
    assert words == "waiting for the organiser to begin the next round"
