"""A picture, and the meaning of its keys."""

from ttt_client.tui.draw.canvas import Picture, Size


class Scene:
    """What the shell shows. Times are seconds of the event loop's clock."""

    parting: str | None = None
    """The last words of a program that is stopped now."""

    @property
    def title(self) -> str:
        """The title of the window."""
        return "ttt"

    @property
    def is_your_turn(self) -> bool:
        """Whether it is the player's turn."""
        return False

    def draw(self, size: Size, now: float) -> Picture:
        """Draw the whole window."""
        raise NotImplementedError

    def press(self, key: str, now: float) -> bool:
        """Handle a key, or a click that stands for a key; return False to end the program."""
        raise NotImplementedError

    def paste(self, text: str) -> None:
        """Handle pasted text."""

    def tick(self, now: float) -> float | None:  # noqa: ARG002 - most pictures stand still
        """Handle time; return the seconds until the picture changes by itself, None for never."""
        return None
