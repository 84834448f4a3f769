import pytest

from ttt_engine import Rules as EngineRules
from ttt_protocol.notation import (
    MOST_IN_FILES,
    board_name,
    board_of,
    cell_name,
    cell_of,
    clean_json,
    name_of,
    unquote,
)
from ttt_protocol.state import Rules
from ttt_server.core.room import wire_rules


@pytest.mark.parametrize("name", ["3x3x3", "7x6x4g", "19x19x5"])
def test_boards(name: str) -> None:
    assert board_name(board_of(name)) == name


def test_cells_have_a_letter_and_a_number() -> None:
    rules = Rules(columns=7, rows=6)
    assert [cell_name(cell, 7) for cell in (0, 6, 7, 41)] == ["a1", "g1", "a2", "g6"]
    assert [cell_of(cell_name(cell, 7), rules) for cell in range(42)] == list(range(42))
    for wrong in ("h1", "a7", "a0", "1a", ""):
        with pytest.raises(ValueError, match="no cell"):
            cell_of(wrong, rules)


@pytest.mark.parametrize("text", ["ada", 'a "b" \\', "Jürgen 李", "\x1b[2J", "a\u202eb", "\u0301"])
def test_quotes_come_off_again(text: str) -> None:
    assert unquote(clean_json(text)) == text


def test_what_a_terminal_would_act_on_is_escaped() -> None:
    assert clean_json("Jürgen") == '"Jürgen"'
    assert clean_json("\x9b2J") == '"\\u009b2J"'


def test_files_and_engines_know_a_larger_board_than_rooms() -> None:
    assert board_name(board_of("20x20x5!", MOST_IN_FILES)) == "20x20x5!"
    for name, most in (("20x20x5", 19), ("21x20x5", 20), ("20x2x5", 20), ("20x20x21", 20)):
        with pytest.raises(ValueError):  # noqa: PT011 - pydantic's words
            board_of(name, most)


FAMILY = (
    *("misere:3x3x3", "misere:7x6x4g", "torus:19x19x5", "vanishing:5x5x4", "notakto:4x4x4"),
    *("cube:3", "cube:4", "ultimate", "connect6"),
)


@pytest.mark.parametrize("text", FAMILY)
def test_the_family_is_named_as_in_the_engine(text: str) -> None:
    assert board_name(board_of(text)) == text
    assert board_of(text) == wire_rules(EngineRules.parse(text))


@pytest.mark.parametrize("text", FAMILY)
def test_the_cells_of_the_family_are_named_as_in_the_engine(text: str) -> None:
    engine, rules = EngineRules.parse(text), board_of(text)
    names = [engine.cell_name(cell) for cell in range(engine.cells)]
    assert [name_of(cell, rules) for cell in range(engine.cells)] == names
    assert [cell_of(name, rules) for name in names] == [*range(engine.cells)]


def test_the_layer_of_a_cube_may_be_left_out_and_must_be_there() -> None:
    cube = board_of("cube:3")
    assert cell_of("2c2", cube) == cell_of("c5", cube) == 14
    for wrong in ("4a1", "1a4", "1d1", "0a1", "9c9"):
        with pytest.raises(ValueError, match="no cell"):
            cell_of(wrong, cube)


def test_a_variant_of_a_plug_in_is_named_alone_or_with_its_board() -> None:
    assert board_of("chaos").model_dump(exclude_unset=True) == {"variant": "chaos"}
    assert board_name(board_of("chaos:5x5x4")) == "chaos:5x5x4"
    with pytest.raises(ValueError, match="COLUMNSxROWSxLINE"):
        board_of("cube:5")
    with pytest.raises(ValueError, match=r"did you mean cube:4\?"):
        board_of("cube")
