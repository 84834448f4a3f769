"""Read games from a file in any known form. Pure."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain

from ttt_protocol.exports import other_forms
from ttt_protocol.exports.text_form import InvalidText, read_text
from ttt_protocol.faults import words_of
from ttt_protocol.notation import single_keys
from ttt_protocol.records import ExportedGame
from ttt_protocol.state import RoomName

Numbered = tuple[int, str]
"""A line with its number."""

KNOWN = "JSON or text of ttt-server export, .psq of Piskvork, SGF, or column strings like 44536"

_OTHERS = (
    (r"\[\w+ \".*", "PGN, which holds games of chess"),
    (r"<.*", "HTML or XML, which holds no games"),
    (r"PK\x03\x04.*", "a zip archive: unpack it first"),
    (r"\[[\[{\"].*|\[", "one JSON array, where each game is a line of its own"),
    (r"[.XOxo_-]{9,}", "a position, which has no order of moves"),
    (r"[a-z][0-9]{1,2}([ ,]?[a-z][0-9]{1,2})+", "moves without a board"),
    (r"[0-9]*[089][0-9]*", "a column string, whose columns are 1 to 7"),
    (r"[^,;\t]+([,;\t][^,;\t]*)+", "CSV, which tells no moves"),
)
"""Other forms by their first line, and what to say of them."""


_NO_NAME = r"(?!.*\.zip$)"
"""What begins in a `.psq` as a comment or a game does is a player if it ends so."""

MOST_IN_LINE = 1 << 20
"""Bytes of one line: those of a game of more moves than anybody plays."""


class InvalidExport(ValueError):
    """The file does not hold games; the message is for people."""


def read_games(lines: Iterable[str], room: str = "games", at: int = 0) -> Iterator[ExportedGame]:
    """Yield the games in the lines of a file. The first line that is not empty tells the form.

    Args:
        lines: those of the file.
        room: the room of games whose file names none.
        at: their start, in Unix ms, where the file does not tell it.

    Raises:
        InvalidExport: naming the line, and the form where it is another one.
    """
    numbered = ((number, line.strip()) for number, line in enumerate(_decoded(lines), 1))
    # A byte order mark may come before the first line.
    filled = ((number, line.lstrip("\ufeff")) for number, line in numbered if line)
    try:
        number, line = next(one for one in filled if not one[1].startswith("#"))
    except StopIteration:
        return
    comment = rf"#{_NO_NAME}" if line.startswith(other_forms.BEGINNING) else "#"
    others = (one for one in filled if not re.match(comment, one[1]))
    whole = map(_bounded, chain([(number, line)], others))
    if line.startswith("{"):
        for number, line in whole:
            with _in_words(f"line {number}"):
                game = ExportedGame.model_validate_json(single_keys(line), extra="ignore")
            yield game
    elif re.match(r"[A-Z][a-z]*: ", line):
        for group in _groups(whole, "Room:"):
            with _in_words(f"line {group[0][0]}"):
                game = read_text(group)
            yield game
    else:
        for count, plain in enumerate(_plain_games(line, whole), 1):
            with _in_words(f"game {count}"):
                game = other_forms.exported(plain, RoomName(room), count, at)
            yield game


def _decoded(lines: Iterable[str]) -> Iterator[str]:
    try:
        for line in lines:
            line.encode()  # Python may read standard input as surrogates
            yield line
    except UnicodeError:
        raise InvalidExport("this is not UTF-8; save it as UTF-8") from None


def _bounded(numbered: Numbered) -> Numbered:
    number, line = numbered
    if len(line) > MOST_IN_LINE or len(line.encode()) > MOST_IN_LINE:
        raise InvalidExport(f"line {number}: it is longer than 1 MiB")
    return numbered


def _plain_games(first: str, lines: Iterator[Numbered]) -> Iterator[other_forms.PlainGame]:
    if first.startswith(other_forms.BEGINNING):
        for group in _groups(lines, rf"{other_forms.BEGINNING}{_NO_NAME}"):
            with _in_words(f"line {group[0][0]}"):
                game = other_forms.read_psq([line for _, line in group])
            yield game
    elif first.startswith("("):
        with _in_words("SGF"):
            games = list(other_forms.read_sgf("\n".join(line for _, line in lines)))
        yield from games
    elif other_forms.COLUMNS.fullmatch(first):
        for number, line in lines:
            with _in_words(f"line {number}"):
                game = other_forms.read_columns(line)
            yield game
    else:
        raise InvalidExport(_what_it_is(first))


def _what_it_is(line: str) -> str:
    for form, words in _OTHERS:
        if re.fullmatch(form, line, re.DOTALL):
            return f"this looks like {words}; the known forms are {KNOWN}"
    return f"this is no known form of games; those are {KNOWN}"


def _groups(lines: Iterable[Numbered], beginning: str) -> Iterator[list[Numbered]]:
    """Yield the lines of each game; the first line of a game matches this."""
    begun: list[Numbered] = []
    for number, line in lines:
        if begun and re.match(beginning, line):
            yield begun
            begun = []
        begun.append((number, line))
    yield begun


@contextmanager
def _in_words(place: str) -> Iterator[None]:
    """Turn errors in the block into `InvalidExport`, with a place if they name none."""
    try:
        yield
    except InvalidText as error:
        raise InvalidExport(str(error)) from None
    except ValueError as error:
        raise InvalidExport(f"{place}: {words_of(error)}") from None
