"""Games out of a file, in either form. Pure."""

from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from ttt_protocol.exports.read_text import read_text
from ttt_protocol.faults import first_fault
from ttt_protocol.records import ExportedGame


class InvalidExport(ValueError):
    """The file holds something else than exported games, in words for people."""


def read_games(lines: Iterable[str]) -> Iterator[ExportedGame]:
    """Yield the games in the lines of a file: as JSON if its first begins so, else as text.

    Raises:
        InvalidExport: naming the line.
    """
    numbered = ((number, line.strip()) for number, line in enumerate(lines, 1))
    filled = ((number, line) for number, line in numbered if line and not line.startswith("#"))
    try:
        number, line = next(filled)
    except StopIteration:
        return
    is_json = line.startswith("{")
    begun: list[tuple[int, str]] = [(number, line)]
    for number, line in filled:
        if is_json or line.startswith("Room:"):
            yield _game(begun, is_json=is_json)
            begun = []
        begun.append((number, line))
    yield _game(begun, is_json=is_json)


def _game(lines: list[tuple[int, str]], *, is_json: bool) -> ExportedGame:
    number, first = lines[0]
    try:
        if is_json:
            return ExportedGame.model_validate_json(first, extra="ignore")
        return read_text(lines)
    except ValidationError as error:
        raise InvalidExport(f"line {number}: {first_fault(error)}") from None
    except ValueError as error:
        raise InvalidExport(str(error)) from None
