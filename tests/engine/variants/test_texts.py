import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import InvalidCell, InvalidRules, Rules, UnknownVariant
from ttt_engine.variant import BoardSize, names

TEXTS = (
    *("misere:3x3x3", "misere:7x6x4g", "misere:19x19x5"),
    *("torus:3x3x3", "torus:5x5x4", "torus:19x19x5"),
    *("vanishing:3x3x3", "vanishing:5x5x4", "notakto:3x3x3", "notakto:4x4x4"),
    *("cube:3", "cube:4", "ultimate", "connect6"),
)


@pytest.mark.parametrize(
    "text",
    [
        *("torus:3x3x3g", "torus:4x3x4", "torus:20x20x21", "misere:2x3x3", "chess"),
        *("torus:20x3x3", "torus:3x20x3", "misere:20x3x3", "misere:19x20x3g", "ultimate:9x9x4"),
        *("connect6:19x19x5", "cube:5", "cube:4x16x3", "torus:3x3x3!"),
        *("vanishing:6x5x4", "notakto:6x6x4", "notakto:3x3x3g", "cube:9x9x3"),
    ],
)
def test_no_such_board(text: str) -> None:
    with pytest.raises(InvalidRules):
        Rules.parse(text)


def test_an_unknown_variant_says_which_there_are() -> None:
    with pytest.raises(UnknownVariant, match="the variants are connect6, ") as caught:
        Rules.parse("zzz")
    assert caught.value.name == "zzz"
    assert all(name in str(caught.value) for name in names())


def test_a_longer_row_is_excluded_in_no_variant() -> None:
    with pytest.raises(InvalidRules, match="misere"):
        Rules(3, 3, 3, exact=True, variant="misere")


def test_the_cells_of_a_cube() -> None:
    rules = Rules.parse("cube:3")
    assert rules.cell_name(0) == "1a1"
    assert rules.cell_name(13) == "2b2"
    assert rules.cell_name(26) == "3c3"
    assert [rules.parse_cell(rules.cell_name(cell)) for cell in range(27)] == [*range(27)]
    with pytest.raises(InvalidCell, match="1a1 to 3c3"):
        rules.parse_cell("b2")


def test_the_cells_of_other_variants_are_named_as_on_the_grid() -> None:
    assert Rules.parse("misere:7x6x4").cell_name(8) == "b2"


def is_in_table(name: str, size: BoardSize) -> bool:
    """What the table of `docs/protocol.md` has of each game, written anew."""
    columns, rows, in_a_row, gravity = size
    fits = in_a_row <= max(columns, rows)
    match name:
        case "misere":
            return fits and max(columns, rows) <= 19
        case "torus":
            return in_a_row <= min(columns, rows) <= max(columns, rows) <= 19 and not gravity
        case "vanishing" | "notakto":
            return fits and max(columns, rows) <= 5 and not gravity
        case "cube":
            return (columns, rows, in_a_row, gravity) in {(3, 9, 3, False), (4, 16, 4, False)}
        case "ultimate":
            return size == (9, 9, 3, False)
        case _:
            return size == (19, 19, 6, False)


@pytest.mark.parametrize("name", names())
@given(st.data())
def test_a_board_is_in_the_table_or_refused(name: str, data: st.DataObject) -> None:
    sides = st.one_of(st.integers(1, 21), st.integers(3, 6))
    columns, rows, in_a_row = (data.draw(sides) for _ in range(3))
    size = BoardSize(columns, rows, in_a_row, data.draw(st.booleans()))
    text = f"{name}:{size}"
    if min(size[:3]) >= 3 and is_in_table(name, size):
        rules = Rules.parse(text)
        assert rules.size == size
        assert Rules.parse(str(rules)) == rules
    else:
        with pytest.raises(InvalidRules):
            Rules.parse(text)
        with pytest.raises(InvalidRules):
            Rules(*size, variant=name)
