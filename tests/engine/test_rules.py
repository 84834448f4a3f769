import copy
import pickle
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import TIC_TAC_TOE, InvalidCell, InvalidRules, Rules


@st.composite
def any_rules(draw: st.DrawFn) -> Rules:
    columns, rows = draw(st.integers(3, 20)), draw(st.integers(3, 20))
    in_a_row = draw(st.integers(3, max(columns, rows)))
    return Rules(columns, rows, in_a_row, gravity=draw(st.booleans()), exact=draw(st.booleans()))


def test_the_default_is_tic_tac_toe() -> None:
    rules = Rules()
    assert (rules.columns, rules.rows, rules.in_a_row, rules.gravity) == (3, 3, 3, False)
    assert rules == TIC_TAC_TOE
    assert rules.cells == 9
    assert rules.full == 0b111_111_111
    assert rules.floor == 0b111_000_000


def test_a_value() -> None:
    assert Rules(4, 3) == Rules(4, 3)
    assert hash(Rules(4, 3)) == hash(Rules(4, 3))
    assert Rules(4, 3) != Rules(3, 4)
    assert Rules(4, 3) != Rules(4, 3, gravity=True)
    assert Rules(4, 3) != Rules(4, 3, exact=True)
    assert repr(Rules(4, 3)) == (
        "Rules(columns=4, rows=3, in_a_row=3, gravity=False, exact=False, variant=None)"
    )
    with pytest.raises(FrozenInstanceError):
        Rules().columns = 4  # type: ignore[misc]  # that it is refused is the test


def test_equal_rules_share_their_lines() -> None:
    assert Rules(5, 4, 4).lines is Rules(5, 4, 4, gravity=True).lines


@pytest.mark.parametrize(
    ("columns", "rows", "in_a_row"),
    [(2, 3, 3), (3, 2, 3), (21, 3, 3), (3, 21, 3), (3, 3, 2), (3, 3, 4), (5, 4, 6), (0, 0, 0)],
)
def test_no_such_board(columns: int, rows: int, in_a_row: int) -> None:
    with pytest.raises(InvalidRules, match="must be 3 to"):
        Rules(columns, rows, in_a_row)


@pytest.mark.parametrize(("columns", "rows", "in_a_row"), [(3, 3, 3), (20, 20, 20), (3, 20, 20)])
def test_the_limits_are_inside(columns: int, rows: int, in_a_row: int) -> None:
    assert Rules(columns, rows, in_a_row).cells == columns * rows


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (Rules(), "3x3x3"),
        (Rules(7, 6, 4, gravity=True), "7x6x4g"),
        (Rules(19, 19, 5), "19x19x5"),
    ],
)
def test_written_form(rules: Rules, text: str) -> None:
    assert str(rules) == text
    assert Rules.parse(text) == rules


@pytest.mark.parametrize(
    "text",
    [
        *("", "3x3", "3x3x3x", "3x3x3G", "3x3x3gg", " 3x3x3", "3x3x3\n", "03x3x3", "-3x3x3"),
        *("3X3X3", "٣x٣x٣", "2x3x3", "21x3x3", "100x3x3", "3x3x4"),
    ],
)
def test_not_rules(text: str) -> None:
    with pytest.raises(InvalidRules):
        Rules.parse(text)


@given(any_rules())
def test_rules_there_and_back(rules: Rules) -> None:
    assert Rules.parse(str(rules)) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules  # noqa: S301 - pickled here
    assert copy.deepcopy(rules).lines is rules.lines


@pytest.mark.parametrize(
    ("rules", "cell", "name"),
    [
        (Rules(), 0, "a1"),
        (Rules(), 4, "b2"),
        (Rules(), 5, "c2"),
        (Rules(7, 6, 4), 7, "a2"),
        (Rules(7, 6, 4), 41, "g6"),
        (Rules(19, 19, 5), 360, "s19"),
    ],
)
def test_cell_names(rules: Rules, cell: int, name: str) -> None:
    assert rules.cell_name(cell) == name
    assert rules.parse_cell(name) == cell


@given(any_rules())
def test_every_cell_has_a_name_of_its_own(rules: Rules) -> None:
    names = [rules.cell_name(cell) for cell in range(rules.cells)]
    assert [rules.parse_cell(name) for name in names] == list(range(rules.cells))


@pytest.mark.parametrize("cell", [-1, 9, 2**64])
def test_no_such_cell(cell: int) -> None:
    with pytest.raises(InvalidCell, match="0 to 8"):
        TIC_TAC_TOE.cell_name(cell)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a",
        "1",
        "a0",
        "a4",
        "d1",
        "z99",
        "A1",
        "a01",
        "a1 ",
        "a1\n",
        "1a",
        "a\N{ARABIC-INDIC DIGIT TWO}",
        "aa1",
    ],
)
def test_not_the_name_of_a_cell(name: str) -> None:
    with pytest.raises(InvalidCell, match="a1 to c3"):
        TIC_TAC_TOE.parse_cell(name)


def test_playable() -> None:
    taken = 0b100_000_010
    assert Rules().playable(taken) == 0b011_111_101
    assert Rules(gravity=True).playable(0b100_000_000) == 0b011_100_000
    assert Rules(gravity=True).playable(0b100_100_100) == 0b011_000_000  # a full column
