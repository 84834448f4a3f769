"""Rooms of each variant, as a server sends them."""

from typing import Any

from tests.client.conftest import build_room
from ttt_protocol.state import RoomState

ULTIMATE = {"variant": "ultimate", "columns": 9, "rows": 9, "in_a_row": 3}
CUBE = {"variant": "cube", "columns": 3, "rows": 9, "in_a_row": 3}
LARGE_CUBE = {"variant": "cube", "columns": 4, "rows": 16, "in_a_row": 4}
TORUS = {"variant": "torus", "columns": 4, "rows": 4, "in_a_row": 3}
VANISHING = {"variant": "vanishing", "columns": 3, "rows": 3, "in_a_row": 3}
MISERE = {"variant": "misere", "columns": 3, "rows": 3, "in_a_row": 3}
NOTAKTO = {"variant": "notakto", "columns": 3, "rows": 3, "in_a_row": 3}
CONNECT6 = {"variant": "connect6", "columns": 19, "rows": 19, "in_a_row": 6}
UNKNOWN = {"variant": "hexline", "columns": 7, "rows": 7, "in_a_row": 4}


def ultimate(**changes: Any) -> RoomState:
    """X has won the board at the top left, the left one is drawn, and X goes to the top."""
    cells = ["."] * 81
    for cell, mark in zip((0, 10, 20, 40, 30, 31, 28, 3), "XXXXOOOO", strict=True):
        cells[cell] = mark
    legal = [
        row * 9 + column for row in range(3) for column in range(3, 6) if (row, column) != (0, 3)
    ]
    told = {"moves": (40, 30, 0, 31, 10, 28, 20, 3), "board": "".join(cells)}
    return build_room(rules=ULTIMATE, **{**told, "boards": "X..=.....", "legal": legal, **changes})


def ultimate_won() -> RoomState:
    """X has won three boards on the falling diagonal, and O one."""
    line = [27 * board + 3 * board + 10 * index for board in range(3) for index in range(3)]
    cells = ["X" if cell in line else "." for cell in range(81)]
    outcome = {"winner": "X", "reason": "line", "line": line}
    won = {"board": "".join(cells), "boards": "X...X.O.X", "legal": [], "outcome": outcome}
    return ultimate(moves=(80,), **won)


def cube_won() -> RoomState:
    """X has a line through the three layers."""
    outcome = {"winner": "X", "reason": "line", "line": [0, 13, 26]}
    return build_room(rules=CUBE, moves=(0, 1, 13, 2, 26), outcome=outcome)


def torus_won() -> RoomState:
    """X has a diagonal over the edge: a2, b1, d3."""
    outcome = {"winner": "X", "reason": "line", "line": [1, 4, 11]}
    return build_room(rules=TORUS, moves=(1, 0, 4, 2, 11), outcome=outcome)


def vanishing() -> RoomState:
    """Both sides have three marks; those in the centre and the first corner go next."""
    return build_room(rules=VANISHING, moves=(4, 0, 2, 6, 3, 5), leaving={"X": 4, "O": 0})


def misere_lost() -> RoomState:
    """X has made three in a row."""
    outcome = {"winner": "O", "reason": "line", "line": [0, 1, 2]}
    return build_room(rules=MISERE, moves=(0, 4, 1, 5, 2), outcome=outcome)


def notakto() -> RoomState:
    return build_room(rules=NOTAKTO, moves=(0, 4), board="X...X....")


def connect6() -> RoomState:
    """O has placed one of its two stones."""
    return build_room(rules=CONNECT6, moves=(180, 181), turn="O", marks=1)


def unknown() -> RoomState:
    """A game that this client does not know: four cells may be played."""
    return build_room(rules=UNKNOWN, moves=(24, 25), legal=[1, 2, 3, 26])
