import pytest

from ttt_engine import InvalidCell, InvalidRules, Rules, UnknownVariant
from ttt_engine.variant import names

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
