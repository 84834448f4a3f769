"""The liveliest boards of an event as text."""

from typing import Any

from ttt_client.text.event import board_lines
from ttt_protocol.codes import Reason
from ttt_protocol.state import Game, Mark, Outcome, RoomName, Rules
from ttt_protocol.tournament.messages import WallBoard


def board(number: int, **fields: Any) -> WallBoard:
    usual: dict[str, Any] = {
        "number": 1,
        "board": "X........",
        "turn": Mark.O,
        "ply": 1,
        "moves": (0,),
        "outcome": None,
        "clock": None,
    }
    game = Game(**usual | fields)
    return WallBoard(number=number, room=RoomName(f"r{number}"), X="ada", O="bob", game=game)


def test_boards_stand_side_by_side() -> None:
    won = Outcome(reason=Reason.RESIGNATION, winner=Mark.O)
    drawn = Outcome(reason=Reason.AGREEMENT, winner=None)
    boards = [board(1), board(2, outcome=won), board(3, outcome=drawn)]
    assert board_lines(boards, Rules(), 80, 24, ascii_only=True) == [
        "ada - bob      ada - bob      ada - bob",
        "[X]| 2 | 3     [X]| 2 | 3     [X]| 2 | 3",
        "---+---+---    ---+---+---    ---+---+---",
        " 4 | 5 | 6      4 | 5 | 6      4 | 5 | 6",
        "---+---+---    ---+---+---    ---+---+---",
        " 7 | 8 | 9      7 | 8 | 9      7 | 8 | 9",
        "O to move      bob won        a draw",
    ]


def test_only_boards_that_have_room_are_shown() -> None:
    boards = [board(number) for number in range(1, 7)]
    for columns, rows, shown in (
        (80, 15, 6),
        (80, 14, 5),
        (30, 23, 6),
        (30, 22, 4),
        (80, 6, 0),
        (8, 40, 0),
    ):
        lines = board_lines(boards, Rules(), columns, rows, ascii_only=False)
        assert len(lines) <= rows
        assert sum(line.count("ada - bob") for line in lines) == shown
    assert board_lines([], Rules(), 80, 24, ascii_only=False) == []
