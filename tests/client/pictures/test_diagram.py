from ttt_client.pictures.diagram import (
    CELL,
    LAST,
    WON,
    Block,
    Diagram,
    Ring,
    Stroke,
    Words,
    diagram,
)
from ttt_protocol.codes import Reason
from ttt_protocol.state import Game, Mark, Outcome, Rules

NINE = Rules()


def game(board: str, *moves: int, line: tuple[int, ...] | None = None) -> Game:
    outcome = None if line is None else Outcome(winner=Mark.X, reason=Reason.LINE, line=line)
    ply = len(moves)
    turn = Mark.O if ply % 2 else Mark.X
    return Game(number=1, board=board, turn=turn, ply=ply, moves=moves, outcome=outcome, clock=None)


def drawn(of: Game, rules: Rules = NINE, *, numbered: bool = False) -> Diagram:
    return diagram(rules, of, "title", "caption", numbered=numbered)


def words(picture: Diagram) -> list[str]:
    return [shape.text for shape in picture.shapes if isinstance(shape, Words)]


def test_an_empty_board_has_its_edges_and_two_lines_of_text() -> None:
    picture = drawn(game("." * 9))
    assert words(picture) == ["title", *"abc", *"123", "caption"]
    assert len([shape for shape in picture.shapes if isinstance(shape, Stroke)]) == 8
    assert not any(isinstance(shape, Ring | Block) for shape in picture.shapes)


def test_marks_and_the_last_move() -> None:
    picture = drawn(game("X...O....", 0, 4))
    [block] = [shape for shape in picture.shapes if isinstance(shape, Block)]
    [ring] = [shape for shape in picture.shapes if isinstance(shape, Ring)]
    assert (block.colour, block.side) == (LAST, CELL)
    assert (ring.x, ring.y) == (block.x + CELL / 2, block.y + CELL / 2)
    assert len([shape for shape in picture.shapes if isinstance(shape, Stroke)]) == 8 + 2


def test_the_winning_line_lies_below_its_marks() -> None:
    picture = drawn(game("XXXOO....", 0, 3, 1, 4, 2, line=(0, 1, 2)))
    blocks = [shape for shape in picture.shapes if isinstance(shape, Block)]
    assert [block.colour for block in blocks] == [WON] * 3
    assert picture.shapes[1:4] == tuple(blocks)


def test_moves_are_numbered_where_that_is_asked_for() -> None:
    assert words(drawn(game("X...O....", 0, 4), numbered=True))[-3:] == ["1", "2", "caption"]


def test_nothing_lies_outside_and_long_text_is_smaller() -> None:
    wide = Rules(columns=19, rows=19, in_a_row=5)
    for rules in (NINE, wide):
        board = game("." * (rules.columns * rules.rows))
        picture = diagram(rules, board, "t" * 60, "", numbered=False)
        for shape in picture.shapes:
            if isinstance(shape, Stroke):
                assert 0 < shape.x1 <= shape.x2 < picture.width
                assert 0 < shape.y1 <= shape.y2 < picture.height
    small, large = (
        diagram(NINE, game("." * 9), "t" * length, "", numbered=False).shapes[0]
        for length in (60, 6)
    )
    assert isinstance(small, Words)
    assert isinstance(large, Words)
    assert small.size < large.size == 16
