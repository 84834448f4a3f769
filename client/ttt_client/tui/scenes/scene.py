"""A picture, and the meaning of its keys."""

from collections.abc import Callable
from dataclasses import dataclass

from ttt_client.tui.draw.canvas import Canvas, Picture, Size
from ttt_client.tui.draw.frame import painted


@dataclass(frozen=True, slots=True)
class Stage:
    """What a scene has around it."""

    changed: Callable[[], None]
    """To be called when the picture has changed."""
    clock: Callable[[], float]
    ascii_only: bool = False


class Scene:
    """What the shell shows. Times are seconds of the event loop's clock."""

    def __init__(self, stage: Stage) -> None:
        self._changed = stage.changed
        self._clock = stage.clock
        self._ascii_only = stage.ascii_only

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
        """Return the picture of the whole window."""
        return painted(size, lambda canvas: self.paint(canvas, now), ascii_only=self._ascii_only)

    def paint(self, canvas: Canvas, now: float) -> None:
        """Draw the window, which is large enough."""
        raise NotImplementedError

    def press(self, key: str, now: float) -> bool:
        """Handle a key, or a click that stands for a key; return False to end the program."""
        raise NotImplementedError

    def paste(self, text: str) -> None:
        """Handle pasted text."""

    def tick(self, now: float) -> float | None:  # noqa: ARG002 - most pictures stand still
        """Handle time; return the seconds until the picture changes by itself, None for never."""
        return None
