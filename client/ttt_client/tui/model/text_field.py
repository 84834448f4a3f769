"""A line of text that is being typed."""

from dataclasses import dataclass, replace

_LONGEST = 200
"""The most characters: as many as `say` accepts."""


@dataclass(frozen=True, slots=True)
class TextField:
    """A line of talk or, with `talk` false, any line of plain mode."""

    text: str = ""
    talk: bool = True

    def press(self, key: str) -> "tuple[TextField | None, str | None]":
        """Return the field after a key, None when it is closed, and the finished line if any."""
        match key:
            case "escape" | "tab":
                return None, None
            case "enter":
                line = f"say {self.text}" if self.talk else self.text
                return None, line if self.text.strip() else None
            case "backspace":
                return replace(self, text=self.text[:-1]), None
            case "c-u":
                return replace(self, text=""), None
            case "c-w":
                head, space, _ = self.text.rstrip().rpartition(" ")
                return replace(self, text=head + space), None
            case _ if len(key) == 1:
                return self.add(key), None
            case _:
                return self, None

    def add(self, text: str) -> "TextField":
        """Return the field with typed or pasted text at its end, as one line."""
        joined = " ".join(text.splitlines()) if len(text) > 1 else text
        return replace(self, text=(self.text + joined)[:_LONGEST])
