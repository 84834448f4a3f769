"""The wall of an event in a window of text."""

from typing import Any

from tests.client.text.test_standings import event, standing
from ttt_client.text.wall import wall_lines
from ttt_protocol.codes import Reason
from ttt_protocol.state import Game, Mark, Outcome, RoomName
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


def test_boards_stand_side_by_side_under_the_standings() -> None:
    won = Outcome(reason=Reason.RESIGNATION, winner=Mark.O)
    drawn = Outcome(reason=Reason.AGREEMENT, winner=None)
    boards = [board(1), board(2, outcome=won), board(3, outcome=drawn)]
    lines = wall_lines(event(announcements=("a", "b", "c")), boards, 80, 24, ascii_only=True)
    assert lines == [
        "Friday: round 2 of 5",
        "* b",
        "* c",
        "",
        "    player  points  won  drawn  lost  buchholz   s-b",
        "1.  ada        1.5    1      1     0         2  0.75",
        "2.  bob        1.5    1      1     0         2  0.75",
        "",
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
    table = tuple(standing(f"p{number}") for number in range(50))
    for columns, rows, shown in (
        (80, 40, 6),
        (80, 20, 5),
        (30, 40, 6),
        (30, 20, 2),
        (80, 12, 0),
        (8, 40, 0),
    ):
        lines = wall_lines(event(standings=table), boards, columns, rows)
        assert len(lines) <= rows
        assert sum(line.count("ada - bob") for line in lines) == shown
    assert len(wall_lines(event(standings=table), boards, 80, 1)) == 1
