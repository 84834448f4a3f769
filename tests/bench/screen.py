"""The picture of the full screen in the README, drawn by the program itself.

    python -m tests.bench.screen > docs/screen.svg

What a server would tell goes through the client's own folding, drawing and shell; what the shell
writes to its terminal is decoded by `pyte`, and that screen is drawn as SVG. It needs the `test`
extra. The same program gives the same picture, byte by byte.
"""

import asyncio
import json
import sys
from io import StringIO
from xml.sax.saxutils import escape

import pyte
from prompt_toolkit.data_structures import Size as TerminalSize
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from ttt_client.net.session import Ending
from ttt_client.tui.app import Shell
from ttt_client.tui.draw.canvas import Canvas
from ttt_client.tui.draw.layout import draw_room
from ttt_client.tui.model.input import InputState
from ttt_client.tui.model.screen import ScreenState
from ttt_client.tui.scenes.scene import Scene, Stage
from ttt_protocol.codec import decode_message

COLUMNS, ROWS = 84, 25
WIDE, HIGH = 9, 18
"""Of one character, in the picture's units."""

FONT = 'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="15"'

CRISP = 'shape-rendering="crispEdges"'

PAPER, INK = "#1b1d23", "#d8dae0"
COLOURS = {
    "red": "#e5646e",
    "green": "#7fc77a",
    "magenta": "#d783e0",
    "blue": "#6aa5f2",
    "cyan": "#5cc3cf",
    "brightblack": "#7d828d",
}

ROOM = {
    "name": "room42",
    "seq": 9,
    "status": "playing",
    "locked": False,
    "settings": {"hints": True, "clock": {"initial_s": 300, "increment_s": 3}},
    "seats": {
        "X": {"kind": "human", "id": "ida", "name": "ada", "connected": True},
        "O": {"kind": "ai", "id": None, "name": "rules", "strategy": "rules", "level": None},
    },
    "game": {
        "number": 3,
        "board": "XO..X...O",
        "turn": "X",
        "ply": 4,
        "moves": [4, 1, 0, 8],
        "outcome": None,
        "clock": {"X": 284_000, "O": 301_000, "running": "X"},
    },
    "offers": {},
    "score": {"X": 0, "O": 1, "draws": 1},
    "spectators": 2,
}
YOU = {"id": "ida", "role": "player", "seat": "X", "name": "ada", "token": "secret"}
PLAYED = {"type": "played", "seq": 9, "at": 0, "game": 3, "ply": 3, "seat": "O", "cell": 8}
TOLD = [
    {"type": "welcome", "server": "ttt-rooms", "you": YOU, "room": ROOM},
    {"type": "update", "events": [PLAYED | {"reason": "block"}], "room": ROOM},
    {"type": "said", "name": "grace", "role": "spectator", "text": "two ways to win"},
    {
        "type": "hint",
        "best": [3, 6],
        "values": {"2": 0, "3": 1, "5": 0, "6": 1, "7": 0},
        "reason": "depth 5, 1",
    },
]


class Still(Scene):
    """A room at one moment."""

    title = "room42"
    is_your_turn = False

    def __init__(self) -> None:
        super().__init__(Stage(changed=lambda: None, clock=lambda: 0.0))
        self._screen = ScreenState("room42", "127.0.0.1:8765")
        for message in TOLD:
            self._screen = self._screen.hear(decode_message(json.dumps(message)), 0.0)
        self._screen = self._screen.measure(0.002, 0.0)

    def paint(self, canvas: Canvas, now: float) -> None:  # noqa: ARG002 - time stands still
        draw_room(self._screen, InputState(cursor=6), canvas, 0.0)

    def press(self, key: str, now: float) -> bool:  # noqa: ARG002 - nobody types
        return True


class Terminal(StringIO):
    """What is written to it can be read as a screen."""

    def __init__(self) -> None:
        super().__init__()
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self.drawn = asyncio.Event()
        self._stream = pyte.Stream(self.screen)

    def write(self, text: str) -> int:
        self._stream.feed(text)
        if "quit" in "".join(self.screen.display):
            self.drawn.set()
        return len(text)


async def shown() -> list[list[pyte.screens.Char]]:
    """The characters of the screen, row by row."""
    terminal = Terminal()
    kept: list[list[pyte.screens.Char]] = []

    async def keep() -> Ending:
        await terminal.drawn.wait()
        rows = terminal.screen.buffer
        kept.extend([rows[y][x] for x in range(COLUMNS)] for y in range(ROWS))
        return Ending(0)

    with create_pipe_input() as keys:
        output = Vt100_Output(
            terminal, lambda: TerminalSize(rows=ROWS, columns=COLUMNS), enable_cpr=False
        )
        shell = Shell(mouse=False, terminal_input=keys, output=output)
        await shell.run(Still(), keep())
    return kept


ARMS = {
    **dict(
        zip(
            "─│┌┐└┘├┤┬┴┼",
            ("lr", "ud", "rd", "ld", "ru", "lu", "rud", "lud", "lrd", "lru", "lrud"),
            strict=True,
        )
    ),
    **dict(zip("━┃┏┓┗┛", ("lr", "ud", "rd", "ld", "ru", "lu"), strict=True)),
    **dict(zip("═║╔╗╚╝", ("lr", "ud", "rd", "ld", "ru", "lu"), strict=True)),
}
"""Where the lines of a character go from its middle: left, right, up, down."""

BLOCKS = {"█": (0.0, 1.0), "▀": (0.0, 0.5), "▄": (0.5, 0.5)}
"""The part of a character's height that is inked: where it begins, and how much."""


def svg(rows: list[list[pyte.screens.Char]]) -> str:
    """The screen as a picture. Lines and blocks are drawn, as fonts leave gaps between them."""
    width, height = (COLUMNS + 2) * WIDE, (ROWS + 1) * HIGH
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {FONT}>',
        "<title>ttt-client on a terminal: a game against an AI, with hints in the cells</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>',
    ]
    for y, row in enumerate(rows):
        for x, char in enumerate(row):
            parts += _character(char, (x + 1) * WIDE, y * HIGH + HIGH // 2)
    return "\n".join([*parts, "</svg>", ""])


def _character(char: pyte.screens.Char, x: int, y: int) -> list[str]:
    ink, paper = COLOURS.get(char.fg, INK), None
    parts = []
    if char.reverse:
        ink, paper = PAPER, ink
        parts.append(
            f'<rect x="{x}" y="{y}" {CRISP} width="{WIDE}" height="{HIGH}" fill="{paper}"/>'
        )
    if char.data in BLOCKS:
        start, part = BLOCKS[char.data]
        top, high = y + start * HIGH, part * HIGH
        parts.append(
            f'<rect x="{x}" y="{top:g}" {CRISP} width="{WIDE}" height="{high:g}" fill="{ink}"/>'
        )
    elif char.data in ARMS:
        stroke = 1 if char.data in "─│┌┐└┘├┤┬┴┼" else 3
        middle = (x + WIDE / 2, y + HIGH / 2)
        ends = {"l": (x, middle[1]), "r": (x + WIDE, middle[1]), "u": (middle[0], y)}
        ends["d"] = (middle[0], y + HIGH)
        path = "".join(
            f"M{middle[0]:g} {middle[1]:g}L{ends[a][0]:g} {ends[a][1]:g}" for a in ARMS[char.data]
        )
        parts.append(
            f'<path d="{path}" stroke="{ink}" stroke-width="{stroke}" stroke-linecap="square"/>'
        )
    elif char.data.strip():
        bold = ' font-weight="bold"' if char.bold else ""
        text = f'<text x="{x}" y="{y + HIGH - 5}" fill="{ink}"{bold}>{escape(char.data)}</text>'
        parts.append(text)
    return parts


if __name__ == "__main__":
    sys.stdout.write(svg(asyncio.run(shown())))
