"""The styles of the drawing."""

import os

from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

STYLE = Style.from_dict(
    {
        # Only the terminal's own 16 colours, and only those readable on light and on dark.
        "header": "reverse",
        "place": "bold",
        "live": "",
        "connecting": "bold",
        "lost": "ansired bold",
        "x": "ansimagenta bold",
        "o": "ansigreen bold",
        "grid": "ansibrightblack",
        "edge": "ansibrightblack",
        "free": "ansibrightblack",
        "last": "bold",
        "newest": "reverse",
        "pending": "italic",
        "cursor": "ansiblue bold",
        "winning": "reverse",
        "star": "bold",
        "hint": "ansicyan",
        "best": "bold underline",
        "pointer": "bold",
        "to-move": "bold",
        "dim": "ansibrightblack",
        "away": "ansired",
        "thought": "italic",
        "clock": "",
        "running": "bold",
        "low": "ansired bold",
        "said": "",
        "news": "ansibrightblack",
        "refused": "ansired",
        "draft": "",
        "your-turn": "reverse bold",
        "turn": "",
        "outcome": "bold",
        "question": "bold",
        "key": "bold",
        "does": "ansibrightblack",
        "prompt": "bold",
        "caret": "reverse",
        "typed": "bold",
        "chosen": "reverse",
        "slider": "bold",
        "knob": "bold",
    }
)


def color_depth() -> ColorDepth:
    """Return 16 colours of the terminal's own palette, or none."""
    return ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else ColorDepth.DEPTH_4_BIT
