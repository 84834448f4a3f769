"""Parse text that people type into values of the protocol."""

import re
from difflib import get_close_matches

from pydantic import TypeAdapter, ValidationError

from ttt_client.model.variants import cell_at, shape_of
from ttt_protocol import state
from ttt_protocol.commands import Name
from ttt_protocol.faults import first_fault
from ttt_protocol.notation import MOST_ON_WIRE, board_of
from ttt_protocol.strengths import Strength, ai_of
from ttt_protocol.text import clean

_PLAIN = ("3x3x3", "4x4x4", "5x5x4", "7x6x4g", "15x15x5", "15x15x5!", "19x19x5")
_OF_VARIANTS = (
    "ultimate",
    "vanishing:3x3x3",
    "cube:3",
    "cube:4",
    "torus:4x4x4",
    "misere:3x3x3",
    "notakto:3x3x3",
    "connect6",
)
BOARDS = (*_PLAIN, *_OF_VARIANTS)
"""Boards that are offered for a choice."""
_NAME: TypeAdapter[str] = TypeAdapter(Name)


class InvalidOption(ValueError):
    """An invalid value; the message is for people."""


def parse_rules(text: str, most: int = MOST_ON_WIRE) -> state.Rules:
    """Parse `3x3x3`: columns, rows, marks in a row; `7x6x4g` has gravity, `15x15x5!` exact rows.

    `most` is the most columns and rows.

    Raises:
        InvalidOption: if it is invalid.
    """
    text = text.lower()
    try:
        found = board_of(text, most)
    except ValidationError as error:
        raise InvalidOption(f"there is no such board: {first_fault(error)}") from None
    except ValueError:
        raise _no_board(text) from None
    # The server knows which plug-ins it has; what is nearly one of ours is a slip.
    if found.variant is None or found.variant in _VARIANTS:
        return found
    if _near(text) or not re.fullmatch("[a-z][a-z0-9-]*", found.variant):
        raise _no_board(text)
    return found


_VARIANTS = {board.partition(":")[0] for board in _OF_VARIANTS}


def _near(text: str) -> list[str]:
    return get_close_matches(text, BOARDS, n=1, cutoff=0.75)


def _no_board(text: str) -> InvalidOption:
    if near := _near(text):
        return InvalidOption(f"there is no board {clean(text)}: did you mean {near[0]}?")
    return InvalidOption(
        "a board is COLUMNSxROWSxLINE, with g for gravity, and ! where a longer row does not win: "
        "3x3x3, 7x6x4g, 15x15x5!; or a variant: ultimate, cube:4, misere:3x3x3"
    )


def parse_start(text: str, rules: state.Rules) -> tuple[int, ...]:
    """Parse `b2a1`, cells one after another (in a cube `1b22a1`), or `4453`, a digit for each.

    A digit is a column where pieces fall, and elsewhere the number of a cell.

    Raises:
        InvalidOption: if it is something else, or there is no such cell.
    """
    if re.fullmatch("[1-9]+", text):
        return _cells_of_digits(text, rules)
    layered, plain = (r"([1-9])([a-s])([0-9])", "1b2"), (r"()([a-s])([0-9]{1,2})", "b2")
    form, example = layered if shape_of(rules).is_cube else plain
    names = re.findall(form, text.lower())
    if "".join(map("".join, names)) != text.lower():
        raise InvalidOption(f"moves are cells one after another: {example}{example[:-2]}a1")
    cells = [
        cell_at(rules, int(layer) - 1 if layer else None, ord(column) - ord("a"), int(row) - 1)
        for layer, column, row in names
    ]
    if None in cells:
        raise InvalidOption("a cell of the moves is off the board")
    return tuple(cell for cell in cells if cell is not None)


def _cells_of_digits(text: str, rules: state.Rules) -> tuple[int, ...]:
    cells: list[int] = []
    for digit in map(int, text):
        cell = digit - 1
        if rules.gravity:
            height = sum(cell % rules.columns == digit - 1 for cell in cells)
            cell += (rules.rows - 1 - height) * rules.columns
            if digit > rules.columns or height == rules.rows:
                raise InvalidOption(f"column {digit} is full, or off the board")
        elif cell >= rules.columns * rules.rows or cell in cells:
            raise InvalidOption(f"cell {digit} is taken, or off the board")
        cells.append(cell)
    return tuple(cells)


def parse_clock(text: str) -> state.ClockSetting:
    """Parse `5+3`: minutes for all moves, and seconds added by each move, with fractions.

    Raises:
        InvalidOption: if it is invalid.
    """
    number = r"([0-9]+(?:\.[0-9]+)?)"
    if not (found := re.fullmatch(rf"{number}\+{number}", text)):
        raise InvalidOption("a clock is MINUTES+SECONDS: 5+3")
    initial_s, increment_s = float(found[1]) * 60, float(found[2])
    try:
        return state.ClockSetting(initial_s=_whole(initial_s), increment_s=_whole(increment_s))
    except ValidationError:
        too = "small" if initial_s == 0 else "large"
        raise InvalidOption(
            f"the clock is too {too}: it has more than 0 and at most {7 * state.DAY_S // 60} "
            f"minutes, and at most {state.DAY_S} seconds a move"
        ) from None


def parse_ai(text: str, rules: state.Rules) -> state.AiSetting:
    """Parse `minimax`, `minimax:9` with a level, or `fair`: an AI of that strength on the board.

    Raises:
        InvalidOption: if it is invalid.
    """
    if text in set(Strength):
        return ai_of(Strength(text), rules)
    strategy, colon, level = text.partition(":")
    if colon and not re.fullmatch(r"[0-9]", level):
        raise InvalidOption("a level is a digit from 0 to 9, as in minimax:5")
    given = {"strategy": strategy} | ({"level": int(level)} if colon else {})
    try:
        return state.AiSetting.model_validate(given)
    except ValidationError as error:
        raise InvalidOption(f"there is no such AI: {first_fault(error)}") from None


def parse_pair(text: str, rules: state.Rules) -> state.SeatSettings:
    """Parse `rules,minimax:9`: an AI for X, and another for O, each as in `parse_ai`.

    Raises:
        InvalidOption: if it is invalid.
    """
    names = text.split(",")
    if len(names) != len(state.Mark):
        raise InvalidOption("two AIs are written X,O: rules,minimax:9")
    first, second = (parse_ai(name, rules) for name in names)
    return state.SeatSettings(X=first, O=second)


def seats_against(ai: state.AiSetting, seat: state.Mark | None) -> state.SeatSettings:
    """Seat the AI opposite the wanted seat; on O if no seat is wanted."""
    return state.SeatSettings(X=ai) if seat is state.Mark.O else state.SeatSettings(O=ai)


def settings_of(**given: object) -> state.GivenSettings | None:
    """Return settings of the fields that are not None; None if there is no such field."""
    named = {name: value for name, value in given.items() if value is not None}
    try:
        return state.GivenSettings.model_validate(named) if named else None
    except ValidationError as error:
        raise InvalidOption(str(first_fault(error))) from None


def parse_name(text: str) -> str:
    """Check a player's name.

    Raises:
        InvalidOption: if it is invalid.
    """
    try:
        return _NAME.validate_python(text)
    except ValidationError as error:
        raise InvalidOption(f"a name {first_fault(error)}") from None


def _whole(number: float) -> int | float:
    return int(number) if number.is_integer() else number
