"""What the options of the command line mean in the protocol's words."""

import re

from pydantic import TypeAdapter, ValidationError

from ttt_protocol.commands import Name
from ttt_protocol.state import AiSetting, ClockSetting, GivenSettings, Mark, Rules, SeatSettings

_NAME: TypeAdapter[str] = TypeAdapter(Name)


class InvalidOption(ValueError):
    """A value that no room can have."""


def parse_rules(text: str) -> Rules:
    """`3x3x3`, or `7x6x4g` for gravity: columns, rows, how many in a row.

    Raises:
        InvalidOption: with words for people.
    """
    if not (found := re.fullmatch(r"([0-9]{1,4})x([0-9]{1,4})x([0-9]{1,4})(g?)", text.lower())):
        raise InvalidOption("a board is COLUMNSxROWSxLINE, with g for gravity: 3x3x3, 7x6x4g")
    columns, rows, in_a_row = (int(number) for number in found.group(1, 2, 3))
    try:
        return Rules(columns=columns, rows=rows, in_a_row=in_a_row, gravity=bool(found[4]))
    except ValidationError as error:
        raise InvalidOption(f"there is no such board: {_why(error)}") from None


def parse_clock(text: str) -> ClockSetting:
    """`5+3`: minutes for all moves, and seconds that each move adds; fractions are allowed.

    Raises:
        InvalidOption: with words for people.
    """
    number = r"([0-9]{1,6}(?:\.[0-9]{1,6})?)"
    if not (found := re.fullmatch(rf"{number}\+{number}", text)):
        raise InvalidOption("a clock is MINUTES+SECONDS: 5+3")
    initial_s, increment_s = float(found[1]) * 60, float(found[2])
    try:
        return ClockSetting(initial_s=_whole(initial_s), increment_s=_whole(increment_s))
    except ValidationError as error:
        raise InvalidOption(f"there is no such clock: {_why(error)}") from None


def parse_ai(text: str) -> AiSetting:
    """`minimax`, or `minimax:9` with a level.

    Raises:
        InvalidOption: with words for people.
    """
    strategy, colon, level = text.partition(":")
    if colon and not re.fullmatch(r"[0-9]", level):
        raise InvalidOption("a level is a digit from 0 to 9, as in minimax:5")
    given = {"strategy": strategy} | ({"level": int(level)} if colon else {})
    try:
        return AiSetting.model_validate(given)
    except ValidationError as error:
        raise InvalidOption(f"there is no such AI: {_why(error)}") from None


def parse_pair(text: str) -> SeatSettings:
    """`rules,minimax:9`: an AI for X and one for O.

    Raises:
        InvalidOption: with words for people.
    """
    first, comma, second = text.partition(",")
    if not comma:
        raise InvalidOption("two AIs are written X,O: rules,minimax:9")
    return SeatSettings(X=parse_ai(first), O=parse_ai(second))


def seats_against(ai: AiSetting, seat: Mark | None) -> SeatSettings:
    """The AI sits opposite to the wanted seat: on O where none is wanted."""
    return SeatSettings(X=ai) if seat is Mark.O else SeatSettings(O=ai)


def settings_of(**given: object) -> GivenSettings | None:
    """Settings with the fields that are not None, and no settings without any."""
    named = {name: value for name, value in given.items() if value is not None}
    try:
        return GivenSettings.model_validate(named) if named else None
    except ValidationError as error:
        raise InvalidOption(_why(error)) from None


def parse_name(text: str) -> str:
    """A name that a player may have.

    Raises:
        InvalidOption: with words for people.
    """
    try:
        return _NAME.validate_python(text)
    except ValidationError as error:
        raise InvalidOption(f"a name has 1 to 24 characters: {_why(error)}") from None


def _whole(number: float) -> int | float:
    return int(number) if number.is_integer() else number


def _why(error: ValidationError) -> str:
    detail = error.errors(include_input=False)[0]
    where = ".".join(str(part) for part in detail["loc"])
    what = detail["msg"].removeprefix("Value error, ")
    return f"{where}: {what}" if where else what
