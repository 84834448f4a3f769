"""One's own games in lines of text."""

from typing import Any

from ttt_client.text.own import own_games

NOW = 1_764_000_000_000
RULES = {"columns": 3, "rows": 3, "in_a_row": 3, "gravity": False}


def game(room: str, state: str, name: str = "Ben", **more: Any) -> dict[str, Any]:
    known = {"room": room, "game": 2, "state": state, "at": NOW, "rules": RULES, "ply": 4}
    return {**known, "opponent": {"name": name}, **more}


def test_each_game_has_the_way_to_it() -> None:
    games = [
        game("den", "turn", falls_at=NOW + 2 * 86_400_000 + 5),
        game("nest", "turn", falls_at=NOW + 3_600_000),
        game("lair", "running", "minimax 9"),
        game("hole", "finished", result="won"),
        game("pit", "finished", "somebody\u202e", result="none"),
    ]
    assert list(own_games(games, "http://host", NOW)) == [
        "your turn:",
        "  Ben        3x3x3  2 days left      http://host/rooms/den",
        "  Ben        3x3x3  1 hour left      http://host/rooms/nest",
        "under way:",
        "  minimax 9  3x3x3  move 5           http://host/rooms/lair",
        "finished:",
        "  Ben        3x3x3  won 2025-11-24   http://host/rooms/hole/games/2",
        "  somebody   3x3x3  none 2025-11-24  http://host/rooms/pit/games/2",
    ]


def test_nobody_has_played_yet() -> None:
    assert list(own_games([], "http://host", NOW)) == ["no games yet"]


def test_a_flag_that_falls_has_no_time_left() -> None:
    lines = list(own_games([game("den", "running", falls_at=NOW - 5)], "http://host", NOW))
    assert "0 hours left" in lines[1]
