"""The notation of the text form: cells, boards, quoted text. Pure."""

import json
import re
from typing import Any, Final

import jiter

from ttt_protocol.state import Rules
from ttt_protocol.text import is_clean

MOST_ON_WIRE: Final = 19
"""The most columns and rows of a room."""

MOST_IN_FILES: Final = 20
"""The most columns and rows of a game in a file, and of an engine: those of Gomocup."""

QUOTED: Final = r'"(?:[^"\\]|\\.)*"'
"""The form of a text in quotes, as in JSON."""


def cell_name(cell: int, columns: int) -> str:
    """Return `b2`: the column's letter from the left, the row's number from the top."""
    row, column = divmod(cell, columns)
    return f"{chr(ord('a') + column)}{row + 1}"


def name_in_cube(cell: int, edge: int) -> str:
    """Return `1b2`: the layer from the top, then the name within the layer."""
    layer, rest = divmod(cell, edge * edge)
    return f"{layer + 1}{cell_name(rest, edge)}"


def name_of(cell: int, rules: Rules) -> str:
    """Return the name of a cell on this board: `b2`, in a cube `1b2`."""
    columns = rules.columns
    return name_in_cube(cell, columns) if _is_cube(rules) else cell_name(cell, columns)


def cell_of(name: str, rules: Rules) -> int:
    """Return the cell of this name. In a cube, the layer may be left out: `b5` for `2b2`.

    Raises:
        ValueError: if the board has no such cell.
    """
    if not (found := re.fullmatch(r"([1-9]?)([a-t])([1-9][0-9]?)", name)):
        raise ValueError(f"{name} is no cell")
    column, row = ord(found[2]) - ord("a"), int(found[3]) - 1
    if found[1] and _is_cube(rules) and row < rules.columns:
        row += (int(found[1]) - 1) * rules.columns
    elif found[1]:
        raise ValueError(f"there is no cell {name} on this board")
    if column >= rules.columns or row >= rules.rows:
        raise ValueError(f"there is no cell {name} on this board")
    return row * rules.columns + column


def _is_cube(rules: Rules) -> bool:
    """Whether the layers of the board have a name of their own."""
    return rules.variant == "cube" and rules.rows == rules.columns**2


_SHORT: Final = {
    "ultimate": (9, 9, 3),
    "connect6": (19, 19, 6),
    "cube:3": (3, 9, 3),
    "cube:4": (4, 16, 4),
}
"""The boards of variants that need not say their size: columns, rows, marks in a row."""


_SIZED: Final = {
    "cube": "cube:4",
    "misere": "misere:3x3x3",
    "torus": "torus:5x5x4",
    "vanishing": "vanishing:3x3x3",
    "notakto": "notakto:3x3x3",
}
"""The variants of several boards, and one of them."""


def board_name(rules: Rules) -> str:
    """Return `7x6x4g`: columns, rows, marks in a row, `g` for gravity, `!` for no longer rows.

    A variant stands before it: `misere:7x6x4g`; or alone: `ultimate`, `cube:4`.
    """
    marks = f"{'g' if rules.gravity else ''}{'!' if rules.exact else ''}"
    size = f"{rules.columns}x{rules.rows}x{rules.in_a_row}{marks}"
    if rules.variant is None:
        return size
    board = rules.columns, rules.rows, rules.in_a_row
    for name, known in _SHORT.items():
        if name.partition(":")[0] == rules.variant and known == board:
            return name
    return f"{rules.variant}:{size}"


def board_of(name: str, most: int = MOST_ON_WIRE) -> Rules:
    """Return the board of this name.

    Args:
        name: as `board_name` gives it.
        most: the most columns and rows; files and engines know boards that no room has.

    Raises:
        ValueError: if there is no such board.
    """
    variant, size = None, name
    if name[:1].isalpha():
        variant, colon, size = name.partition(":")
        if name in _SHORT:
            columns, rows, in_a_row = _SHORT[name]
            return Rules(columns=columns, rows=rows, in_a_row=in_a_row, variant=variant)
        if name in _SIZED:
            raise ValueError(f"{name} has several boards: did you mean {_SIZED[name]}?")
        if not colon:  # of a plug-in, whose board the server knows
            return Rules.model_validate({"variant": variant})
    if not (found := re.fullmatch(r"([0-9]{1,99})x([0-9]{1,99})x([0-9]{1,99})(g?)(!?)", size)):
        raise ValueError("a board is COLUMNSxROWSxLINE, with g for gravity, and ! for exactly")
    columns, rows, in_a_row = (int(number) for number in found.group(1, 2, 3))
    given: dict[str, Any] = {"columns": columns, "rows": rows, "in_a_row": in_a_row}
    given |= {"gravity": bool(found[4]), "exact": bool(found[5])}
    if variant is not None:
        given["variant"] = variant
    largest = max(columns, rows)
    is_possible = min(columns, rows, in_a_row) >= 3 and in_a_row <= largest <= most
    if largest > MOST_ON_WIRE and is_possible:
        return Rules.model_construct(**given)
    return Rules.model_validate(given)


def clean_json(value: Any) -> str:
    """Return the value as JSON without characters that a terminal would act on."""
    written = json.dumps(value, ensure_ascii=False)
    return written if is_clean(written) else json.dumps(value)


def single_keys(text: str) -> str:
    """Return JSON as it is, also if broken; Pydantic's parser would take the last of two keys.

    Raises:
        ValueError: if a key stands twice in an object.
    """
    try:
        jiter.from_json(text.encode(), catch_duplicate_keys=True)
    except ValueError as error:
        if str(error).startswith("Detected duplicate key"):
            raise ValueError("a key stands twice") from None
    return text


def unquote(quoted: str) -> str:
    """Return the text that stands in quotes.

    Raises:
        ValueError: if it is not quoted as in JSON.
    """
    return str(json.loads(quoted))
