from collections.abc import Callable
from typing import Any

import pytest

from tests.client import variants as rooms
from tests.client.conftest import build_room, build_view
from ttt_client.model import variants
from ttt_client.model.view import View
from ttt_client.text import render
from ttt_protocol.codes import Opening, Reason
from ttt_protocol.messages import Rooms
from ttt_protocol.state import BySeat, Mark, Outcome, RoomName, RoomState, Rules, Status, Summary

MakeRoom = Callable[..., RoomState]
MakeView = Callable[..., View]
LINE = {"winner": "X", "reason": "line", "line": [0, 4, 8]}


def drawn(room: RoomState, *, ascii_only: bool = False) -> str:
    assert room.game is not None
    lines = render.board(room.settings.rules, room.game, ascii_only=ascii_only)
    return "\n".join(["", *lines, ""])


def test_an_empty_board_shows_the_number_of_every_cell(room: MakeRoom) -> None:
    assert (
        drawn(room())
        == """
 1 │ 2 │ 3
───┼───┼───
 4 │ 5 │ 6
───┼───┼───
 7 │ 8 │ 9
"""
    )


def test_the_last_move_stands_in_brackets(room: MakeRoom) -> None:
    assert (
        drawn(room(moves=(4, 0)))
        == """
[O]│ 2 │ 3
───┼───┼───
 4 │ X │ 6
───┼───┼───
 7 │ 8 │ 9
"""
    )


def test_a_winning_line_stands_between_stars_in_ascii_too(room: MakeRoom) -> None:
    won = room(moves=(0, 1, 4, 2, 8), outcome=LINE)
    assert (
        drawn(won, ascii_only=True)
        == """
*X*| O | O
---+---+---
 4 |*X*| 6
---+---+---
 7 | 8 |*X*
"""
    )


def test_after_a_draw_the_last_move_is_still_marked(room: MakeRoom) -> None:
    agreed = {"winner": None, "reason": "agreement", "line": None}
    assert "[X]" in drawn(room(moves=(0,), outcome=agreed))


def test_a_larger_board_has_coordinates_along_its_edges(room: MakeRoom) -> None:
    rules = {"columns": 7, "rows": 6, "in_a_row": 4, "gravity": True}
    assert (
        drawn(room(rules=rules, moves=(35, 36, 28)))
        == """
    a  b  c  d  e  f  g
 1  ·  ·  ·  ·  ·  ·  ·
 2  ·  ·  ·  ·  ·  ·  ·
 3  ·  ·  ·  ·  ·  ·  ·
 4  ·  ·  ·  ·  ·  ·  ·
 5 [X] ·  ·  ·  ·  ·  ·
 6  X  O  ·  ·  ·  ·  ·
"""
    )


def test_a_large_board_has_them_along_all_four(room: MakeRoom) -> None:
    rules = {"columns": 10, "rows": 10, "in_a_row": 5}
    assert (
        drawn(room(rules=rules, moves=(0, 99)), ascii_only=True)
        == """
    a  b  c  d  e  f  g  h  i  j
 1  X  .  .  .  .  .  .  .  .  .  1
 2  .  .  .  .  .  .  .  .  .  .  2
 3  .  .  .  .  .  .  .  .  .  .  3
 4  .  .  .  .  .  .  .  .  .  .  4
 5  .  .  .  .  .  .  .  .  .  .  5
 6  .  .  .  .  .  .  .  .  .  .  6
 7  .  .  .  .  .  .  .  .  .  .  7
 8  .  .  .  .  .  .  .  .  .  .  8
 9  .  .  .  .  .  .  .  .  .  .  9
10  .  .  .  .  .  .  .  .  . [O] 10
    a  b  c  d  e  f  g  h  i  j
"""
    )


def test_the_largest_board_is_aligned_and_ascii_where_it_must(room: MakeRoom) -> None:
    rules = {"columns": 19, "rows": 19, "in_a_row": 5}
    lines = drawn(room(rules=rules, moves=(0, 360)), ascii_only=True).splitlines()[1:]
    assert len(lines) == 21
    assert lines[0] == lines[-1]
    assert {line.index(mark) for line in lines[1:-1] for mark in [line[3:].strip()[0]]} == {4}
    assert all(line.isascii() for line in lines)
    assert max(map(len, lines)) <= 80


def test_labels_are_what_can_be_typed() -> None:
    assert render.label(4, Rules()) == "5"
    assert render.label(8, Rules(columns=7, rows=6, in_a_row=4)) == "b2"
    assert render.label(360, Rules(columns=19, rows=19, in_a_row=5)) == "s19"


def test_rules_in_words() -> None:
    assert variants.words(Rules()) == "3x3, 3 in a row"
    four = Rules(columns=7, rows=6, in_a_row=4, gravity=True)
    assert variants.words(four) == "7x6, 4 in a row, pieces fall"


def test_seats_say_who_is_you_an_ai_or_away(room: MakeRoom, view: MakeView) -> None:
    away = {"kind": "human", "id": "idb", "name": "bob", "connected": False}
    ada = {"kind": "human", "id": "ida", "name": "ada", "connected": True}
    assert render.seats(view(room(seats={"X": ada, "O": away}))) == [
        "X: ada (you)",
        "O: bob (away)",
    ]
    assert render.seats(view(room("rules", "minimax"), None)) == [
        "X: rules (AI)",
        "O: minimax 9 (AI)",
    ]
    assert render.seats(view(room("ada", None), None)) == ["X: ada", "O: free"]
    kept = {"X": ada | {"person": "pa"}, "O": away | {"person": "pb"}}
    assert render.seats(view(room(seats=kept))) == [
        "X: ada (you, kept name)",
        "O: bob (kept name, away)",
    ]
    assert render.seats(View()) == []


def test_names_of_other_people_are_cleaned(room: MakeRoom, view: MakeView) -> None:
    evil = {"kind": "human", "id": "idb", "name": "\x1b[2Jbob\u202e\n", "connected": True}
    seats = {"X": None, "O": evil}
    assert render.seats(view(room(seats=seats), None)) == ["X: free", "O: bob "]


def test_the_score_is_told_when_there_is_one(room: MakeRoom) -> None:
    assert render.score(room()) is None
    assert render.score(room(score={"X": 1, "draws": 2})) == "score: ada 1, bob 0, draws 2"


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (300_000, "5:00"),
        (299_999, "4:59"),
        (10_000, "0:10"),
        (9_999, "0:09.9"),
        (50, "0:00.0"),
        (-5, "0:00.0"),
        (3_600_000, "60:00"),
        (86_399_999, "1439:59"),
        (86_400_000, "1d 0h"),
        (183_599_999, "2d 2h"),
    ],
)
def test_time_left_is_never_rounded_up(ms: int, text: str) -> None:
    assert render.time_left(ms) == text


def test_clocks_are_told_where_there_are_some(room: MakeRoom) -> None:
    game = room(clock={"X": 61_000, "O": 9_300, "running": "X"}).game
    assert game is not None
    assert render.clocks(game) == "clock: X 1:01, O 0:09.3"
    game = room().game
    assert game is not None
    assert render.clocks(game) is None


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_words(reason: Reason, room: MakeRoom, view: MakeView) -> None:
    words = render.outcome(view(room()), Outcome(winner=Mark.X, reason=reason), Rules())
    assert words.startswith("you won: ")


def test_a_game_that_both_have_left_is_no_draw(room: MakeRoom, view: MakeView) -> None:
    left = Outcome(winner=None, reason=Reason.ABANDONMENT)
    words = "nobody won: both players were gone too long"
    assert render.outcome(view(room()), left, Rules()) == words


@pytest.mark.parametrize(
    ("seat", "winner", "words"),
    [
        ("X", Mark.X, "you won: a line, 1 5 9"),
        ("O", Mark.X, "you lost: a line, 1 5 9"),
        (None, Mark.X, "ada (X) won: a line, 1 5 9"),
        ("X", None, "draw: a line, 1 5 9"),
    ],
)
def test_an_outcome_is_told_from_the_viewers_side(
    seat: str | None, winner: Mark | None, words: str, room: MakeRoom, view: MakeView
) -> None:
    result = Outcome(winner=winner, reason=Reason.LINE, line=(0, 4, 8))
    assert render.outcome(view(room(), seat), result, Rules()) == words


@pytest.mark.parametrize(
    ("seat", "changes", "words"),
    [
        ("X", {}, "your turn, X"),
        ("O", {}, "ada's turn (X)"),
        (None, {}, "ada's turn (X)"),
        ("X", {"outcome": LINE}, "the game is over: rematch or quit"),
        (None, {"outcome": LINE}, "the game is over"),
        ("X", {"o": None}, "waiting for another player to join den"),
    ],
)
def test_whose_turn_it_is(
    seat: str | None, changes: dict[str, Any], words: str, room: MakeRoom, view: MakeView
) -> None:
    assert render.turn(view(room(**changes), seat)) == words


def test_an_empty_lobby_says_so() -> None:
    assert render.room_list(Rooms(rooms=())) == ["no public rooms"]


def test_the_lobby_is_a_table() -> None:
    den = Summary(
        name=RoomName("den"),
        status=Status.PLAYING,
        rules=Rules(columns=7, rows=6, in_a_row=4, gravity=True),
        seats=BySeat[str | None](X="ada", O="b\x1b[2Job"),
        ply=4,
        spectators=12,
        locked=False,
    )
    attic = Summary(
        name=RoomName("attic"),
        status=Status.WAITING,
        rules=Rules(),
        seats=BySeat[str | None](X=None, O=None),
        ply=0,
        spectators=0,
        locked=True,
    )
    assert render.room_list(Rooms(rooms=(den, attic))) == [
        "ROOM            STATUS   BOARD   X    O    PLY  WATCHING",
        "den             playing  7x6x4g  ada  bob  4    12",
        "attic (locked)  waiting  3x3x3   -    -    0    0",
    ]
    assert render.room_list(Rooms(rooms=(attic,), total=1)) == [
        "ROOM            STATUS   BOARD  X  O  PLY  WATCHING",
        "attic (locked)  waiting  3x3x3  -  -  0    0",
    ]
    *_, more = render.room_list(Rooms(rooms=(attic, den), total=5000))
    assert more == "2 of 5000 rooms; those after: --after den"


OPENING = {"moves": (0, 1, 2), "opening": "swap2", "choosing": "O"}
TWO, ALL = (
    {**OPENING, "choices": ("stay", "swap")},
    {**OPENING, "choices": ("stay", "swap", "more")},
)
SWAP2 = {"opening": "swap2"}
TWO_MORE = ": place two stones, then the other chooses"
MORE = "more (place two more stones, and the other player chooses)"


@pytest.mark.parametrize(
    ("seat", "changes", "words"),
    [
        (
            "X",
            {"opening": "pie", "to_place": 1},
            ": place the first stone, and the other player takes a side",
        ),
        ("O", SWAP2 | {"to_place": 3}, ": place three stones for both sides, an X first"),
        ("X", SWAP2 | {"moves": (0,), "turn": "X", "to_place": 2}, "X: now an O, 2 to go"),
        ("O", SWAP2 | {"moves": (0, 1, 2), "turn": "O", "to_place": 2}, TWO_MORE),
        ("X", SWAP2 | {"moves": (0, 1, 2), "turn": "O", "to_place": 2}, TWO_MORE),
        ("O", SWAP2 | {"moves": (0, 1, 2, 3), "turn": "O", "to_place": 1}, "now an X, 1 to go"),
        ("X", ALL, "bob chooses: stay, swap, or two more"),
        (None, TWO, "bob chooses: stay or swap"),
        (None, OPENING, "bob chooses"),
        ("O", TWO, "you choose: stay (play O) or swap (play X)"),
        ("O", ALL, f"you choose: stay (play O), swap (play X), or {MORE}"),
    ],
)
def test_whose_turn_it_is_in_an_opening(
    seat: str | None, changes: dict[str, Any], words: str, room: MakeRoom, view: MakeView
) -> None:
    assert render.turn(view(room(**changes), seat)).endswith(words)


def test_the_words_of_rules_and_openings() -> None:
    exact = Rules(columns=15, rows=15, in_a_row=5, exact=True)
    assert variants.words(exact) == "15x15, 5 in a row, exactly"
    assert render.opening_words(Opening.SWAP2) == "opening: swap2"
    assert render.opening_words(Opening.NONE) == ""
    assert render.game_words(exact, Opening.PIE) == "15x15, 5 in a row, exactly; opening: pie"
    assert render.game_words(exact, Opening.NONE) == "15x15, 5 in a row, exactly"
    assert render.placing(View()) == ""


GOES = "vanishing next: O at 1, X at 5"


def test_an_ultimate_board_in_lines() -> None:
    shown = rooms.ultimate()
    assert shown.game is not None
    assert render.board(shown.settings.rules, shown.game) == [
        "    a  b  c     d  e  f     g  h  i",
        " 1  X        │ [O] ·  ·  │",
        " 2     X     │  ·  ·  ·  │",
        " 3        X  │  ·  ·  ·  │",
        "   ──────────┼───────────┼──────────",
        " 4     O     │  O  O     │",
        " 5           │     X     │",
        " 6           │           │",
        "   ──────────┼───────────┼──────────",
        " 7           │           │",
        " 8           │           │",
        " 9           │           │",
        "board top left: X, board left: drawn",
    ]
    in_ascii = render.board(shown.settings.rules, shown.game, ascii_only=True)
    assert in_ascii[4] == "   ---------" + "-+-" + "---------" + "-+-" + "---------"


def test_the_layers_of_a_cube_in_lines() -> None:
    shown = rooms.cube_won()
    assert shown.game is not None
    assert render.board(shown.settings.rules, shown.game, ascii_only=True) == [
        "    layer 1     layer 2     layer 3",
        "    a  b  c     a  b  c     a  b  c",
        " 1 *X* O  O     .  .  .     .  .  .",
        " 2  .  .  .     . *X* .     .  .  .",
        " 3  .  .  .     .  .  .     .  . *X*",
    ]


@pytest.mark.parametrize(
    ("shown", "lines"),
    [
        (
            rooms.vanishing(),
            [" o | 2 | X", "---+---+---", " X | x |[O]", "---+---+---", " O | 8 | 9", GOES],
        ),
        (
            rooms.misere_lost(),
            ["!X!|!X!|!X!", "---+---+---", " 4 | O | O", "---+---+---", " 7 | 8 | 9"],
        ),
        (
            rooms.torus_won(),
            [
                "    a  b  c  d",
                " 1  O *X* O  .",
                " 2 *X* .  .  .",
                " 3  .  .  . *X*",
                " 4  .  .  .  .",
                "the edges meet: left and right, top and bottom",
            ],
        ),
    ],
)
def test_what_else_a_board_says_in_lines(shown: RoomState, lines: list[str]) -> None:
    assert shown.game is not None
    assert render.board(shown.settings.rules, shown.game, ascii_only=True) == lines


@pytest.mark.parametrize(
    ("shown", "seat", "words"),
    [
        (rooms.ultimate(), "X", "your turn, X: board top, you may play here"),
        (rooms.ultimate(), "O", "ada's turn (X): board top"),
        (rooms.ultimate(legal=[4, 80]), "X", "your turn, X: any open board"),
        (rooms.notakto(), "X", "your turn, X: all play X: do not make three"),
        (rooms.connect6(), "O", "your turn, O: one stone more"),
        (build_room(rules=rooms.CONNECT6, moves=(1,), marks=2), "X", "bob's turn (O): 2 stones"),
        (build_room(rules=rooms.CONNECT6, marks=1), "X", "your turn, X: one stone"),
        (rooms.cube_won(), "X", "the game is over: rematch or quit"),
    ],
)
def test_what_the_side_to_move_should_know(shown: RoomState, seat: str, words: str) -> None:
    assert render.turn(build_view(shown, seat)) == words
    assert render.task(View()) == ""
    assert render.task(build_view(rooms.cube_won())) == ""
