"""How the boards of the variants are laid out, named and explained."""

import pytest

from tests.client import variants as rooms
from ttt_client.model import variants
from ttt_protocol.state import Game, RoomState, Rules


def rules_of(given: dict[str, object]) -> Rules:
    return Rules.model_validate(given)


def game_of(room: RoomState) -> Game:
    assert room.game is not None
    return room.game


ALL: tuple[dict[str, object], ...] = (
    rooms.ULTIMATE,
    rooms.CUBE,
    rooms.LARGE_CUBE,
    rooms.TORUS,
    rooms.VANISHING,
    rooms.MISERE,
    rooms.NOTAKTO,
    rooms.CONNECT6,
    rooms.UNKNOWN,
    {},
)


@pytest.mark.parametrize("given", ALL)
def test_each_cell_has_its_place_and_its_name(given: dict[str, object]) -> None:
    rules = rules_of(given)
    shape = variants.shape_of(rules)
    cells = range(rules.columns * rules.rows)
    assert [shape.cell(*shape.place(cell)) for cell in cells] == list(cells)
    assert len({shape.name(cell) for cell in cells}) == len(cells)
    assert shape.columns * shape.rows == len(cells)


def test_the_layers_of_a_cube_lie_side_by_side() -> None:
    shape = variants.shape_of(rules_of(rooms.CUBE))
    assert (shape.columns, shape.rows, shape.layers) == (9, 3, 3)
    assert (shape.place(9), shape.name(9), shape.block(9)) == ((3, 0), "2a1", 1)
    assert shape.name(26) == "3c3"


@pytest.mark.parametrize(
    ("layer", "column", "row", "cell"),
    [
        (0, 1, 2, 7),
        (2, 2, 2, 26),
        (None, 1, 2, None),
        (3, 0, 0, None),
        (0, 3, 0, None),
        (0, 0, 3, None),
    ],
)
def test_a_cell_of_a_cube_has_a_layer(
    layer: int | None, column: int, row: int, cell: int | None
) -> None:
    assert variants.cell_at(rules_of(rooms.CUBE), layer, column, row) == cell


def test_no_other_board_has_layers() -> None:
    assert variants.cell_at(rules_of(rooms.ULTIMATE), None, 8, 8) == 80
    assert variants.cell_at(rules_of(rooms.ULTIMATE), 0, 8, 8) is None
    assert variants.cell_at(Rules(), None, 0, -1) is None


@pytest.mark.parametrize(
    ("given", "words", "goal"),
    [
        ({}, "3x3, 3 in a row", ""),
        (rooms.ULTIMATE, "ultimate, three boards in a row", ""),
        (rooms.CUBE, "cube 3x3x3, 3 in a row", ""),
        (rooms.TORUS, "torus 4x4, 3 in a row, over the edges too", ""),
        (rooms.VANISHING, "vanishing 3x3, 3 in a row, only 3 marks stay", ""),
        (rooms.MISERE, "misère 3x3, 3 in a row lose", "do not make three"),
        (
            rooms.NOTAKTO,
            "notakto 3x3, all play X, 3 in a row lose",
            "all play X: do not make three",
        ),
        (rooms.CONNECT6, "connect6 19x19, 6 in a row, two stones a turn", ""),
        (rooms.UNKNOWN, "hexline 7x7, 4 in a row", ""),
        (
            {"variant": "misere", "columns": 7, "rows": 7, "in_a_row": 6, "gravity": True},
            "misère 7x7, 6 in a row lose, pieces fall",
            "do not make 6",
        ),
    ],
)
def test_the_game_in_words(given: dict[str, object], words: str, goal: str) -> None:
    rules = rules_of(given)
    assert (variants.words(rules), variants.goal(rules)) == (words, goal)


def test_the_open_boards_by_name() -> None:
    rules = rules_of(rooms.ULTIMATE)
    assert variants.open_boards(rules, game_of(rooms.ultimate())) == "board top"
    anywhere = game_of(rooms.ultimate(legal=[3, 80]))
    assert variants.open_boards(rules, anywhere) == "any open board"
    assert variants.open_boards(rules, game_of(rooms.ultimate_won())) == ""
    assert variants.open_boards(Rules(), game_of(rooms.unknown())) == ""


def test_the_decided_boards_by_name() -> None:
    assert variants.board_names(game_of(rooms.ultimate())) == [
        "board top left: X",
        "board left: drawn",
    ]
    assert variants.board_names(game_of(rooms.unknown())) == []


def test_the_age_of_each_mark() -> None:
    game = game_of(rooms.vanishing())
    found = variants.ages(rules_of(rooms.VANISHING), game)
    assert found == {4: 1, 2: 2, 3: 3, 0: 1, 6: 2, 5: 3}
    assert variants.ages(Rules(), game_of(rooms.unknown())) == {}


def test_what_may_be_played() -> None:
    game = game_of(rooms.ultimate())
    assert [variants.may_play(game, cell) for cell in (3, 4, 50)] == [False, True, False]
    assert variants.may_play(game_of(rooms.vanishing()), 1)


@pytest.mark.parametrize(
    ("given", "moves", "board"),
    [
        (rooms.NOTAKTO, (0, 1, 2), "XXX"),
        (rooms.CONNECT6, (0, 1, 2, 3, 4, 5), "XOOXXO"),
        (rooms.VANISHING, (0, 1, 2, 3, 4, 5, 6), ".OXOXOX.."),
        (rooms.MISERE, (0, 1, 2), "XOX"),
        (rooms.UNKNOWN, (0, 1, 2), "XOX"),
    ],
)
def test_the_marks_after_some_moves(
    given: dict[str, object], moves: tuple[int, ...], board: str
) -> None:
    assert variants.board_after(rules_of(given), moves).startswith(board)


def test_where_any_free_cell_may_be_played() -> None:
    plain = [given for given in ALL if variants.plays_any_free_cell(rules_of(given))]
    assert [given for given in ALL if given not in plain] == [rooms.ULTIMATE, rooms.UNKNOWN]
