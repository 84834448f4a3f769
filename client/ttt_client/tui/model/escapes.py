"""The input of a terminal, cut into keys and replies: an unknown sequence plays no move.

A sequence is passed on whole or swallowed whole, however late its parts come (ECMA-48, section 5.4
for CSI and 5.6 for strings). A time-out only means that an Escape is a key.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

ESC = "\x1b"
PASTE, PASTED = "\x1b[200~", "\x1b[201~"
_STRINGS = "]PX^_"
"""The characters after ESC that begin a string: OSC, DCS, SOS, PM, APC."""
_C1 = {"\x9b": "[", "\x9d": "]", "\x90": "P", "\x98": "X", "\x9e": "^", "\x9f": "_", "\x8f": "O"}
"""The same beginnings as one character."""
_LONGEST_REPLY = 256


@dataclass(frozen=True, slots=True)
class Keys:
    """A known sequence, or one character."""

    text: str


@dataclass(frozen=True, slots=True)
class Response:
    """The text of an OSC string: the terminal's answer to a question."""

    text: str


class Escapes:
    """Cut the characters of a terminal into tokens.

    Args:
        is_known: whether a whole sequence, from its ESC on, is a key or a report of the mouse.
    """

    def __init__(self, is_known: Callable[[str], bool]) -> None:
        self._is_known = is_known
        self._held = ""
        """The beginning of a sequence; within a string, ESC and the character after it."""
        self._string = ""
        """The text of an unfinished string."""
        self._pasting = False
        self._was_escape = False
        """Whether the last key was a lone Escape; the rest of a sequence may still come."""

    def feed(self, data: str) -> Iterator[Keys | Response]:
        """Yield what `data` completes."""
        for at, char in enumerate(data):
            if self._pasting:
                yield from self._paste(data[at:])
                return
            yield from self._take(char)

    def flush(self) -> Iterator[Keys]:
        """Yield an Escape that nothing followed in time."""
        if self._held == ESC and not self._pasting:
            self._held = ""
            self._was_escape = True
            yield Keys(ESC)

    def _take(self, char: str) -> Iterator[Keys | Response]:
        if not self._held:
            yield from self._begin(char)
        elif self._held == ESC:
            yield from self._second(char)
        elif self._held[1] in _STRINGS:
            yield from self._in_string(char)
        else:
            yield from self._in_sequence(char)

    def _begin(self, char: str) -> Iterator[Keys | Response]:
        was_escape, self._was_escape = self._was_escape, False
        if char == ESC:
            self._held = ESC
        elif char in _C1:
            self._held = ESC + _C1[char]
        elif was_escape and char in "[]O":
            self._held = ESC + char
        else:
            yield Keys(char)

    def _second(self, char: str) -> Iterator[Keys | Response]:
        if char in "[O" or char in _STRINGS:
            self._held = ESC + char
        elif char == ESC:
            yield Keys(ESC)
        elif char < " " or char == "\x7f":
            self._held = ""
            yield from (Keys(ESC), Keys(char))
        else:
            # Alt and a character, or Escape in haste: an Escape does no harm.
            self._held = ""
            yield Keys(ESC)

    def _in_sequence(self, char: str) -> Iterator[Keys | Response]:
        held = self._held + char
        if char in {ESC, "\x03", "\x18", "\x1a"}:
            self._held = ""
            yield from self._take(char)
        elif not _is_whole(held):
            self._held = held
        else:
            self._held = ""
            self._pasting = held == PASTE
            if self._pasting or self._is_known(held):
                yield Keys(held)

    def _in_string(self, char: str) -> Iterator[Keys | Response]:
        kind, ending = self._held[1], self._held[2:] == ESC
        if char in {"\x07", "\x9c"} or (ending and char == "\\"):
            text, self._held, self._string = self._string, "", ""
            if kind == "]":
                yield Response(text)
        elif char == ESC and not ending:
            self._held += ESC
        elif ending or char < " " or char == "\x7f":
            # Strings hold no control characters: this is a key, and the string was none.
            self._held, self._string = (ESC, "") if ending else ("", "")
            yield from self._take(char)
        else:
            self._string = (self._string + char)[:_LONGEST_REPLY]

    def _paste(self, data: str) -> Iterator[Keys | Response]:
        """Pass pasted text on as it is, up to its end mark, of which a part may have come."""
        seen = self._held + data
        end = seen.find(PASTED)
        if end < 0:
            self._held = seen[1 - len(PASTED) :]
            yield Keys(data)
            return
        rest = seen[end + len(PASTED) :]
        self._held, self._pasting = "", False
        yield Keys(data[: len(data) - len(rest)])
        yield from self.feed(rest)


def _is_whole(held: str) -> bool:
    """Return whether a sequence that begins with CSI or SS3 has its last character."""
    last = held[-1]
    if held[1] == "O":
        return not last.isdigit() and last != ";"
    if held.startswith("\x1b[["):
        return len(held) == 4  # a function key of the Linux console
    if held.startswith("\x1b[M"):
        return len(held) == 6  # a mouse report without numbers
    return "@" <= last <= "~"
