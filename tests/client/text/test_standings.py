"""An event in lines of text."""

from typing import Any

import pytest

from ttt_client.text.event import game_line, status_line, table
from ttt_protocol.state import RoomName, SessionId
from ttt_protocol.tournament.messages import Standing, TournamentGame, TournamentState
from ttt_protocol.tournament.settings import (
    EarlyEnd,
    Form,
    Result,
    TournamentName,
    TournamentSettings,
)


def standing(name: str, **fields: Any) -> Standing:
    usual: dict[str, Any] = {
        "rank": 1,
        "id": SessionId(name),
        "name": name,
        "kind": "human",
        "status": "active",
        "points": 1.5,
        "wins": 1,
        "draws": 1,
        "losses": 0,
        "byes": 0,
        "buchholz": 2.0,
        "sonneborn_berger": 0.75,
        "streak": 0,
        "present": True,
    }
    return Standing(**usual | fields)


def event(form: Form = Form.SWISS, **fields: Any) -> TournamentState:
    usual: dict[str, Any] = {
        "name": TournamentName("friday"),
        "title": "Friday",
        "seq": 9,
        "form": form,
        "settings": TournamentSettings(form=form),
        "status": "running",
        "doors_open": True,
        "round": 2,
        "rounds": 5,
        "started_at": 1,
        "ends_at": None,
        "now": 1000,
        "players": 2,
        "standings": (standing("ada"), standing("bob", rank=2)),
        "games": (),
        "waiting_for": (),
        "bracket": None,
        "announcements": (),
    }
    return TournamentState(**usual | fields)


def game(**fields: Any) -> TournamentGame:
    usual: dict[str, Any] = {
        "number": 1,
        "round": 1,
        "room": RoomName("friday-1"),
        "X": "ada",
        "O": "bob",
        "ids": (SessionId("a"), SessionId("b")),
        "result": None,
        "reason": "",
        "corrected": False,
        "armageddon": False,
    }
    return TournamentGame(**usual | fields)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"status": "created"}, "Friday: not started, 2 players"),
        ({"status": "paused"}, "Friday: paused"),
        ({"status": "finished"}, "Friday: ada won"),
        (
            {"status": "finished", "ended_early": EarlyEnd.NO_PAIRING},
            "Friday: ada won; no pairing without a repetition",
        ),
        (
            {"status": "finished", "ended_early": EarlyEnd.WITHDREW, "standings": ()},
            "Friday: over; all withdrew",
        ),
        (
            {"status": "finished", "ended_early": EarlyEnd.ORGANISER},
            "Friday: ada won; ended by the organiser",
        ),
        ({"status": "finished", "standings": ()}, "Friday: over"),
        ({"status": "finished", "standings": (standing("ada"), standing("bob"))}, "Friday: over"),
        (
            {"status": "finished", "standings": (standing("ada", wins=0, draws=0, byes=1),)},
            "Friday: over",
        ),
        ({"form": Form.SIMUL, "games": ()}, "Friday: 0 boards under way"),
        ({"status": "created", "players": 1}, "Friday: not started, 1 player"),
        ({}, "Friday: round 2 of 5"),
        ({"awaits": "next"}, "Friday: round 2 is over"),
        ({"rounds": None}, "Friday: round 2"),
        ({"waiting_for": ("bob", "eve")}, "Friday: round 2 of 5, waiting for bob, eve"),
        ({"ends_at": 66_001}, "Friday: 1:06 left"),
        ({"ends_at": 1}, "Friday: 0:00 left"),
    ],
)
def test_what_goes_on(fields: dict[str, Any], words: str) -> None:
    assert status_line(event(**fields)) == words


def test_a_status_that_no_type_allows_is_loud() -> None:
    with pytest.raises(AssertionError):
        status_line(event().model_copy(update={"status": "lost"}))


def test_the_standings_of_a_swiss_have_their_tie_breaks() -> None:
    rows = (standing("ada"), standing("minimax", rank=2, kind="ai", status="withdrawn"))
    assert table(event(standings=rows)) == [
        "    player                   points  won  drawn  lost  buchholz   s-b",
        "1.  ada                         1.5    1      1     0         2  0.75",
        "2.  minimax (ai, withdrawn)     1.5    1      1     0         2  0.75",
    ]


def test_wide_characters_keep_the_columns() -> None:
    rows = (standing("\u5c0f\u660e"), standing("bob"))
    assert table(event(Form.ARENA, standings=rows)) == [
        "    player  points  won  drawn  lost",
        "1.  \u5c0f\u660e       1.5    1      1     0",
        "1.  bob        1.5    1      1     0",
    ]


def test_games() -> None:
    assert game_line(game()) == "round 1, ada - bob: under way"
    won = game(result=Result.DRAW, corrected=True)
    assert game_line(won) == "round 1, ada - bob: 1/2-1/2 (corrected)"


def test_ratings_stand_behind_the_rest() -> None:
    rated = standing("Ada", elo=51.6, elo_error=120.2)
    head, ada, bob = table(event(Form.ARENA, standings=(rated, standing("Bob"))))
    assert head.endswith("elo")
    assert ada.endswith("+52 ±120")
    assert bob.endswith("-")
