"""The styles of the drawing."""

import os
import re

from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

_DARK = {
    # Only the terminal's own colours, and only those readable on every background: bright black is
    # the background in Solarized. A class that is not listed is drawn as usual.
    "header": "reverse",
    "place": "bold",
    "connecting": "bold",
    "lost": "ansired bold",
    "x": "ansimagenta bold",
    "o": "ansigreen bold",
    "last": "bold",
    "newest": "reverse",
    "pending": "italic",
    "cursor": "ansiblue bold",
    "winning": "reverse",
    "star": "bold",
    "between": "bold",
    "open": "bold",
    "age": "bold",
    "hint": "ansicyan",
    "best": "bold underline",
    "pointer": "bold",
    "to-move": "bold",
    "away": "ansired",
    "thought": "italic",
    "running": "bold",
    "low": "ansired bold",
    "refused": "ansired",
    "your-turn": "reverse bold",
    "outcome": "bold",
    "question": "bold",
    "key": "bold",
    "prompt": "bold",
    "caret": "reverse",
    "typed": "bold",
    "chosen": "reverse",
    "gone": "italic",
    "slider": "bold",
    "knob": "bold",
}
_LIGHT = _DARK | {"o": "ansiblue bold", "cursor": "ansired bold", "hint": "ansiblue"}
"""Green and cyan are too pale on white."""

STYLE = Style.from_dict(_DARK)
LIGHT_STYLE = Style.from_dict(_LIGHT)


def is_light(reply: str) -> bool | None:
    """Return whether `11;rgb:ffff/ffff/dddd` is a light background; None for another reply."""
    number = "([0-9a-f]+)"
    found = re.fullmatch(rf"11;rgba?:{number}/{number}/{number}(?:/.*)?", reply.lower())
    if found is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in found.groups())
    return bool(0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5)


def color_depth() -> ColorDepth:
    """Return 16 colours of the terminal's own palette, or none."""
    return ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else ColorDepth.DEPTH_4_BIT
