"""A position to explore on the screen: keys become the lines of the plain `explore`."""

import asyncio
from dataclasses import replace
from typing import Any

from ttt_client.model import variants
from ttt_client.net.session import Ending
from ttt_client.play.explore import HELP, Explorer, move_lines, position_words
from ttt_client.text import render
from ttt_client.tui.draw import frame
from ttt_client.tui.draw.board import Marking, draw_board, fit
from ttt_client.tui.draw.canvas import Area, Canvas, shown, wrap
from ttt_client.tui.draw.layout import split
from ttt_client.tui.model.connection import Connecting, Live
from ttt_client.tui.model.input import TextField, aimed, moved
from ttt_client.tui.model.keymap import ARROWS, DOUBLE_S
from ttt_client.tui.scenes.scene import Scene, Stage
from ttt_protocol.messages import Hint

_LINES = {"pageup": "back", "backspace": "back", "pagedown": "forward", "delete": "cut"}
_LINES |= {"home": "start", "end": "end", "c-r": "board"}
"""The lines of the plain `explore` that keys stand for."""
_KEYS = {"Del": "cut", ":": "type", "PgDn": "forward", "PgUp": "back", "Enter": "play"}
_HELP = (
    "arrows: the cursor; Enter, Space or a click: play there; a letter or : begins a line",
    "PageUp or Backspace: back; PageDown: forward; Home, End: the ends of the line; Delete: cut",
    "Ctrl-R: ask the server again; q: quit. Lines:",
    *(line for line in HELP.splitlines() if not line.startswith(("board", "quit", "moves"))),
)


class ExploreScene(Scene):
    """The board with the worth of its moves, and the moves that were tried."""

    title = "explore - ttt"

    def __init__(self, explorer: Explorer, place: str, stage: Stage) -> None:
        super().__init__(stage)
        self._explorer = explorer
        self._place = place
        rules = explorer.it.rules
        self._cursor = rules.rows // 2 * rules.columns + rules.columns // 2
        self._origin: tuple[int, int] | None = None
        self._moved_at: float | None = None
        self._field: TextField | None = None
        self._help = False
        self._said: list[str] = []
        """The answer to the last line."""
        self._waits = True
        """Whether the server is asked."""
        self._lines: asyncio.Queue[str] = asyncio.Queue()

    async def run(self) -> Ending:
        """Carry out what is typed until `quit`."""
        said: list[str] | Ending = await self._explorer.ask() or []
        while True:
            self._said = [said.words or ""] if isinstance(said, Ending) else said
            self._waits = False
            self._changed()
            line = await self._lines.get()
            if line.strip().lower() == "quit":
                return Ending(0)
            self._waits = True
            said = await self._explorer.take(line)

    def press(self, key: str, now: float) -> bool:
        if self._field is not None:
            self._field, line = self._field.press(key)
            if line is not None:
                self._lines.put_nowait(line)
            return True
        if self._help:
            self._help = False
            return True
        rules, game = self._explorer.it.rules, self._explorer.it.game(self._explorer.told)
        if key.startswith("cell:"):
            self._cursor = int(key[5:])
        if key in {"enter", " "} or key.startswith("cell:"):
            if self._moved_at is None or now >= self._moved_at + DOUBLE_S:
                self._moved_at = now
                self._lines.put_nowait(render.label(aimed(self._cursor, rules, game), rules))
        elif key in ARROWS:
            self._moved_at = None
            self._cursor = moved(self._cursor, rules, *ARROWS[key])
        elif key in _LINES:
            self._lines.put_nowait(_LINES[key])
        elif key == "?":
            self._help = True
        elif "1" <= key <= "9" and (rules.gravity or not render.has_edges(rules)):
            self._lines.put_nowait(key)
        elif key in {"tab", ":"}:
            self._field = TextField(kind="line")
        elif len(key) == 1 and key != "q":
            self._field = TextField(key, kind="line")
        return key not in {"q", "c-d", "escape"}

    def paste(self, text: str) -> None:
        if self._field is not None:
            self._field = self._field.add(text)

    def paint(self, canvas: Canvas, now: float) -> None:
        it, told = self._explorer.it, self._explorer.told
        words = ["explore", variants.words(it.rules), self._place]
        frame.draw_header(canvas, words, Connecting() if self._waits else Live(), now)
        area = frame.middle(canvas)
        if self._help:
            canvas.write(replace(area, x=1, columns=area.columns - 2), _HELP, "class:does")
        else:
            self._draw_middle(canvas, area)
        position = "asking the server" if self._waits else position_words(it, told)
        frame.draw_turn(canvas, shown(position), "class:turn")
        if self._field is not None:
            frame.draw_text_field(canvas, ": ", self._field.text, self._field.behind)
        elif self._said:
            frame.draw_notice(canvas, shown(self._said[0]), "class:refused")
        frame.draw_keys(canvas, (*frame.keyed(**_KEYS), frame.HELP, frame.QUIT))

    def _draw_middle(self, canvas: Canvas, area: Area) -> None:
        it, told = self._explorer.it, self._explorer.told
        panel, left = split(area)
        game = it.game(told)
        grid = fit(it.rules, left, self._cursor, origin=self._origin)
        values: dict[str, Any] = {str(cell): value for cell, value in told.values.items()}
        hint = Hint.model_construct(best=told.best, values=values, reason="")
        target = aimed(self._cursor, it.rules, game)
        draw_board(canvas, grid, game, Marking(target, hint, clickable=True))
        self._origin = canvas.origin
        if panel is not None:
            said = self._said if len(self._said) > 1 else []
            told_lines = map(shown, [*move_lines(it), "", *said])
            lines = [line for text in told_lines for line in wrap(text, panel.columns) or [""]]
            for y, line in enumerate(lines[-panel.rows :], start=panel.y):
                canvas.put(panel.x, y, line)
