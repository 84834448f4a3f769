import json
from typing import Any

import pytest

from ttt_client.model.exploration import Exploration, Explored, read_explored, wanted_cell
from ttt_client.model.typed import move_of
from ttt_protocol.codec import BadMessage
from ttt_protocol.codes import Reason
from ttt_protocol.state import Mark, Rules

FOUR = Rules(columns=7, rows=6, in_a_row=4, gravity=True)
TOLD: dict[str, Any] = {
    "turn": "O",
    "legal": [1, 2],
    "best": [1],
    "values": {"1": 0, "2": None},
    "reason": "depth 3",
    "over": False,
    "winner": None,
    "line": None,
}


def tried(it: Exploration) -> list[tuple[int, list[int]]]:
    return [(depth, [move.cell for move in line]) for depth, line in it.lines()]


def test_moves_that_are_tried_become_a_tree() -> None:
    it = Exploration(Rules())
    it.play_all((4, 0))
    it.back()
    it.play(1, Mark.O)
    it.play(2, Mark.X)
    it.back()
    it.back()
    it.back()
    it.back()
    it.play(8, Mark.X)
    assert tried(it) == [(0, [4, 0]), (1, [1, 2]), (1, [8])]
    it.promote()
    assert tried(it) == [(0, [8]), (1, [4, 0]), (2, [1, 2])]
    it.cut()
    it.cut()
    it.promote()
    assert tried(it) == [(0, [4, 0]), (1, [1, 2])]
    it.play(4, Mark.X)
    assert tried(it) == [(0, [4, 0]), (1, [1, 2])], "a move that is known is gone to"
    it.forward_to_end()
    assert it.board == "O...X...."
    it.forward()
    assert it.query == {"rules": "3x3x3", "moves": "b2a1"}
    game = it.game(read_explored(json.dumps(TOLD).encode()))
    assert (game.board, game.moves, game.turn, game.ply) == ("O...X....", (4, 0), Mark.O, 2)
    it.to_start()
    assert it.board == "." * 9


def test_a_mark_that_is_set_makes_another_start() -> None:
    it = Exploration(FOUR)
    it.play_all((38,))
    it.set(37, "O", Explored())
    assert tried(it) == []
    assert it.query == {"rules": "7x6x4g", "board": "." * 37 + "OX...", "moves": ""}
    it.set(37, ".", Explored())
    it.play(31, Mark.O)
    assert it.query["moves"] == "d5"


def test_the_server_says_which_marks_stand() -> None:
    it = Exploration(Rules(variant="notakto"))
    it.play_all((4, 0))
    told = read_explored(json.dumps(TOLD | {"board": "X...X...."}).encode())
    assert it.game(told).board == "X...X...."
    it.set(8, "X", told)
    assert it.board == "X...X...X"


def test_the_sides_take_turns_as_the_game_has_it() -> None:
    six = Exploration(Rules(columns=19, rows=19, in_a_row=6, variant="connect6"))
    six.play_all((180, 0, 1, 2, 3, 4))
    assert six.board.startswith("OOXXO")
    assert six.board[180] == "X"
    marks = Exploration(Rules(variant="notakto"))
    marks.play_all((4, 0))
    marks.play(8, Mark.X)
    marks.play(7, Mark.O)
    assert marks.board == "X...X..XX"


def test_cells_that_are_closed_now_are_told() -> None:
    it = Exploration(Rules(columns=9, rows=9, variant="ultimate"))
    it.play_all((0,))
    told = read_explored(json.dumps(TOLD | {"board": "X" + "." * 80}).encode())
    assert it.game(told).legal == (1, 2)
    assert Exploration(Rules()).game(told).legal is None


def test_cells_of_a_cube_have_their_layer() -> None:
    it = Exploration(Rules(columns=3, rows=9, variant="cube"))
    it.play_all((13, 26))
    assert it.query == {"rules": "cube:3", "moves": "2b23c3"}


@pytest.mark.parametrize(
    ("typed", "rules", "legal", "cell"),
    [
        ("5", Rules(), (4,), 4),
        ("b2", Rules(), (4,), 4),
        ("b2", Rules(), (3,), None),
        ("z9", Rules(), (3,), None),
        ("d", FOUR, (31,), 31),
        ("d1", FOUR, (31,), 31),
        ("d", FOUR, (30,), None),
    ],
)
def test_the_cell_that_is_meant(
    typed: str, rules: Rules, legal: tuple[int, ...], cell: int | None
) -> None:
    move = move_of(typed)
    assert move is not None
    assert wanted_cell(move, rules, legal) == cell


def test_what_a_server_tells() -> None:
    told = read_explored(json.dumps(TOLD).encode())
    assert (told.turn, told.best, told.values, told.outcome) == (
        Mark.O,
        (1,),
        {1: 0, 2: None},
        None,
    )
    won = read_explored(json.dumps(TOLD | {"over": True, "winner": "X", "line": [0]}).encode())
    assert won.outcome is not None
    assert (won.outcome.winner, won.outcome.reason) == (Mark.X, Reason.LINE)
    drawn = read_explored(json.dumps(TOLD | {"over": True}).encode())
    assert drawn.outcome is not None
    assert drawn.outcome.reason is Reason.FULL
    assert read_explored(b'{"flaw": "floating"}').flaw == "a piece hangs in the air"
    assert read_explored(b'{"flaw": "new", "reason": "words"}').flaw == "words"
    for nothing in (b"{}", b"[]", b"no"):
        with pytest.raises(BadMessage):
            read_explored(nothing)
