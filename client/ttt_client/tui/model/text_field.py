"""A line of text that is being typed: talk, a command, a password."""

from dataclasses import dataclass, replace
from typing import Literal

_LONGEST = 200
"""The most characters: as many as `say` accepts."""


FieldKind = Literal["talk", "line", "password"]
"""The use of the text: talk, any line of plain mode, or a password, which is not shown."""


@dataclass(frozen=True, slots=True)
class TextField:
    """A text that is being typed, with a caret in it."""

    text: str = ""
    kind: FieldKind = "talk"
    prompt: str = ""
    """The prompt, if it is not the usual one of its kind."""
    behind: int = 0
    """The number of characters behind the caret."""

    @property
    def caret(self) -> int:
        """The number of characters before the caret."""
        return len(self.text) - self.behind

    def press(self, key: str) -> "tuple[TextField | None, str | None]":
        """Return the field after a key, None when it is closed, and the finished line if any."""
        head, tail = self.text[: self.caret], self.text[self.caret :]
        match key:
            case "escape" | "tab":
                return None, None
            case "enter":
                line = f"say {self.text}" if self.kind == "talk" else self.text
                return None, line if self.text.strip() else None
            case "backspace":
                return replace(self, text=head[:-1] + tail), None
            case "delete":
                return replace(self, text=head + tail[1:], behind=max(0, self.behind - 1)), None
            case "left" | "right" | "home" | "end":
                return self._move(key), None
            case "c-u":
                return replace(self, text=tail), None
            case "c-w":
                kept, space, _ = head.rstrip().rpartition(" ")
                return replace(self, text=kept + space + tail), None
            case _ if len(key) == 1:
                return self.add(key), None
            case _:
                return self, None

    def add(self, text: str) -> "TextField":
        """Return the field with typed or pasted text at the caret, as one line."""
        joined = " ".join(text.splitlines()) if len(text) > 1 else text
        joined = joined[: _LONGEST - len(self.text)]
        return replace(self, text=self.text[: self.caret] + joined + self.text[self.caret :])

    def _move(self, key: str) -> "TextField":
        steps = {"left": 1, "right": -1, "home": len(self.text), "end": -len(self.text)}
        return replace(self, behind=max(0, min(self.behind + steps[key], len(self.text))))
