"""A recorded game on the screen: one position after another, with a slider."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ttt_client.model.study import Analysis
from ttt_client.model.view import View
from ttt_client.play.replay import Recording
from ttt_client.text.study import move_line, verdict
from ttt_client.tui.draw import frame
from ttt_client.tui.draw.canvas import Canvas
from ttt_client.tui.draw.layout import draw_middle
from ttt_client.tui.model.connection import Recorded
from ttt_client.tui.model.input import InputState, stepped
from ttt_client.tui.model.screen import ScreenState
from ttt_client.tui.scenes.scene import Scene, Stage
from ttt_protocol.messages import Hint, Update

_KEYS = {"]": "game after", "[": "game before", "End": "last", "Home": "first"}
_KEYS |= {"Space": "play", "Left": "back", "Right": "on"}
PACE_S = 1.0
"""Seconds that a position stays while the game is played."""

_STEPS = dict.fromkeys(("left", "h", "up", "k"), -1) | dict.fromkeys(("right", "l", "down", "j"), 1)
_STEPS |= {"pageup": -5, "pagedown": 5}


def screens(
    recording: Recording, server: str, analysis: Analysis | None = None
) -> list[ScreenState]:
    """Return the screen after each step, with what the moves were worth if that is known.

    The values of the cells are those of the position; the words are about the move before it.
    """
    view = View(room=recording.steps[0].room)
    shown = [ScreenState(recording.record.room, server, view, Recorded())]
    for scene in recording.steps[1:]:
        shown.append(shown[-1].hear(Update(events=scene.events, room=scene.room), 0.0))
    return shown if analysis is None else [_weighed(screen, analysis) for screen in shown]


def _weighed(screen: ScreenState, analysis: Analysis) -> ScreenState:
    """Return the screen of a position with its place in the analysis; some were taken back."""
    room, game, moves = screen.view.room, screen.view.game, analysis.moves
    if room is None or game is None or game.moves != tuple(m.cell for m in moves[: game.ply]):
        return screen
    words = move_line(moves[game.ply - 1], room.settings.rules) if game.ply else ""
    if game.outcome is not None:
        words = "; ".join(filter(None, (words, verdict(analysis, room.settings.rules))))
    values: dict[str, Any] = {}
    if game.ply < len(moves):
        values = {str(cell): value for cell, value in moves[game.ply].values.items()}
    hint = Hint(best=(), values=values, reason="")
    return replace(screen, hint=hint, notice=words)


def step_after(at: int, key: str, count: int) -> int:
    """Return the step that a key leads to, out of `count`."""
    if key.startswith("step:"):
        return int(key[5:])
    return stepped(at, key, count - 1, _STEPS)


def draw_replay(shown: Sequence[ScreenState], at: int, canvas: Canvas, notice: str = "") -> None:
    """Draw the whole window."""
    screen = shown[at]
    frame.draw_room_header(canvas, screen, 0.0)
    draw_middle(canvas, screen, InputState(), 0.0)
    words, style = (notice, "class:refused") if notice else frame.turn_words(screen)
    if screen.notice and not notice:
        words, style = f"{words}  {screen.notice}", "class:turn"
    frame.draw_turn(canvas, words, style)
    _draw_slider(canvas, at, len(shown) - 1)
    frame.draw_keys(canvas, (*frame.keyed(**_KEYS), frame.QUIT))


def _draw_slider(canvas: Canvas, at: int, last: int) -> None:
    """Draw `━━━━●───── 4/9`; a click goes to that step."""
    label = f" {at}/{last}"
    left, y, room = 1, canvas.size.rows - 2, canvas.size.columns - 2 - len(label)
    done, knob, rest = ("=", "O", "-") if canvas.ascii_only else ("━", "●", "─")
    place = round(at * (room - 1) / last) if last else 0
    canvas.put(left, y, done * place, "class:slider")
    canvas.put(left + place, y, knob, "class:knob")
    canvas.put(left + place + 1, y, rest * (room - place - 1), "class:dim")
    canvas.put(left + room, y, label, "class:knob")
    for column in range(room):
        step = round(column * last / (room - 1))
        canvas.target(left + column, y, 1, 1, f"step:{step}")


class ReplayScene(Scene):
    """A scene that steps through a game."""

    title = "replay - ttt"

    def __init__(
        self, recording: Recording, server: str, stage: Stage, analysis: Analysis | None = None
    ) -> None:
        super().__init__(stage)
        self._shown = screens(recording, server, analysis)
        self._game = recording.number
        self._at = len(self._shown) - 1
        self._notice = ""
        self._next_at: float | None = None
        """The time of the next step while the game is played."""
        self._wanted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def other_game(self) -> int:
        """Return the number of the game that the user asks for, before or after this one."""
        self._wanted = asyncio.get_running_loop().create_future()
        return await self._wanted

    def say(self, words: str) -> None:
        """Show why another game is not shown."""
        self._notice = words

    def paint(self, canvas: Canvas, now: float) -> None:  # noqa: ARG002 - `tick` counts the time
        draw_replay(self._shown, self._at, canvas, self._notice)

    def press(self, key: str, now: float) -> bool:
        self._notice = ""
        if key in {"[", "]"}:
            number = self._game + (1 if key == "]" else -1)
            if number >= 1 and not self._wanted.done():
                self._wanted.set_result(number)
        elif key == " ":
            self._play(now)
        else:
            self._next_at = None
            self._at = step_after(self._at, key, len(self._shown))
        return key not in {"q", "c-d", "escape"}

    def _play(self, now: float) -> None:
        """Begin to play the game, from its beginning if it is at its end, or stop."""
        self._next_at = now + PACE_S if self._next_at is None else None
        if self._next_at is not None and self._at == len(self._shown) - 1:
            self._at = 0

    def tick(self, now: float) -> float | None:
        if self._next_at is None:
            return None
        if now >= self._next_at:
            self._at = step_after(self._at, "right", len(self._shown))
            is_over = self._at == len(self._shown) - 1
            self._next_at = None if is_over else now + PACE_S
        return None if self._next_at is None else max(0.02, self._next_at - now)
