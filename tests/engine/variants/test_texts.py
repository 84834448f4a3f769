import pytest

from ttt_engine import InvalidCell, InvalidRules, Position, Rules, UnknownVariant
from ttt_engine.variant import names

TEXTS = (
    *("misere:3x3x3", "misere:7x6x4g", "misere:19x19x5"),
    *("torus:3x3x3", "torus:5x5x4", "torus:19x19x5"),
    *("cube:3", "cube:4"),
)


@pytest.mark.parametrize("text", TEXTS)
def test_there_and_back(text: str) -> None:
    rules = Rules.parse(text)
    assert str(rules) == text
    assert rules.variant == text.split(":", maxsplit=1)[0]
    assert Position.start(rules).rules == rules


@pytest.mark.parametrize(
    ("text", "proposed"),
    [
        ("cube:5", "cube:4"),
        ("cube:4x4x4", "cube:4"),
        ("cube4", "cube:4"),
        ("CUBE:4", "cube:4"),
        ("cube", "cube:4"),
        ("tors:3x3x3", "torus:3x3x3"),
        ("torus", "torus:3x3x3"),
        ("misere:", "misere:3x3x3"),
        ("misere:3x3", "misere:3x3x3"),
        ("misere:3x3x3!", "misere:3x3x3"),
    ],
)
def test_nearly_right(text: str, proposed: str) -> None:
    with pytest.raises(InvalidRules, match=f"did you mean {proposed}[?]"):
        Rules.parse(text)


@pytest.mark.parametrize(
    "text", ["torus:3x3x3g", "torus:4x3x4", "torus:20x20x21", "misere:2x3x3", "chess"]
)
def test_no_such_board(text: str) -> None:
    with pytest.raises(InvalidRules):
        Rules.parse(text)


def test_an_unknown_variant_says_which_there_are() -> None:
    with pytest.raises(UnknownVariant, match="the variants are cube, ") as caught:
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
