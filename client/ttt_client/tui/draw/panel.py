"""The panel beside the board: the seats, the score, and the feed of talk and news."""

from dataclasses import replace

from ttt_client.text import render
from ttt_client.text.narrate import CHAT
from ttt_client.text.narrate import watching as spectating
from ttt_client.tui.draw.canvas import Area, Canvas, clip, shown, wrap
from ttt_client.tui.draw.seats import draw_seat, rating, seat_state
from ttt_client.tui.model.screen import Recorded, ScreenState
from ttt_protocol.state import ChatMode, Mark

_STYLES = {"said": "class:said", "news": "class:news"}
_MOST_LINES = 2
"""The most lines of a fact; the rest is cut."""


def draw_panel(canvas: Canvas, screen: ScreenState, area: Area, now: float) -> None:
    """Draw seats and facts, and below them as much of the feed as fits."""
    y, bottom = area.y, area.y + area.rows
    for mark in Mark:
        draw_seat(canvas, screen, mark, Area(area.x, y, area.columns, 1), now)
        y += 1
        for text, style in _about(screen, mark, now):
            y = _put(canvas, Area(area.x + 4, y, area.columns - 4, bottom - y), text, style)
    y += 1
    for fact in facts(screen):
        y = _put(canvas, Area(area.x, y, area.columns, bottom - y), fact, "class:dim")
    draw_feed(canvas, screen, Area(area.x, y + 1, area.columns, bottom - y - 1))


def _about(screen: ScreenState, mark: Mark, now: float) -> list[tuple[str, str]]:
    state = seat_state(screen, mark, now)
    thought = screen.thoughts.get(mark)
    text = ", ".join(filter(None, (rating(screen, mark), state)))
    lines = [(text, "class:away" if state.startswith("away") else "class:dim")]
    return lines + ([(shown(thought), "class:thought")] if thought else [])


def _put(canvas: Canvas, area: Area, text: str, style: str) -> int:
    """Write a text of a few lines, and return the row after it."""
    return area.y + canvas.write(replace(area, rows=min(_MOST_LINES, area.rows)), [text], style)


def facts(screen: ScreenState) -> list[str]:
    """Return what is known of score, last move and spectators."""
    room = screen.view.room
    score = "" if room is None else render.score(room) or ""
    watching = f"{room.spectators} watching" if room is not None and room.spectators else ""
    yours = spectating(screen.view) if room is not None and screen.view.seat is None else ""
    yours = "" if isinstance(screen.connection, Recorded) else yours
    host = "you are the host" if screen.view.is_host else ""
    return [
        fact
        for fact in (shown(score), last_move(screen), watching, yours, host, _chat(screen))
        if fact
    ]


def _chat(screen: ScreenState) -> str:
    """Return who may chat, where not all may; or that the reader hides the chat."""
    room = screen.view.room
    if screen.hides_chat:
        return "chat hidden: H shows it"
    return "" if room is None or room.chat is ChatMode.ALL else CHAT[room.chat]


def last_move(screen: ScreenState, *, short: bool = False) -> str:
    """Return `last move: O at b2`, or `O b2` for short; empty before the first move."""
    room, game = screen.view.room, screen.view.game
    if room is None or game is None:
        return ""
    words = ("{} {}",) if short else ()
    return render.last_move(room.settings.rules, game, *words)


def draw_feed(canvas: Canvas, screen: ScreenState, area: Area) -> None:
    """Draw the newest lines of the feed, the last at the bottom."""
    if area.rows < 1:
        return
    lines = [
        (line, _STYLES[entry.kind])
        for entry in screen.shown_feed[-area.rows :]
        for line in wrap(shown(entry.text), area.columns)
    ][-area.rows :]
    for offset, (line, style) in enumerate(lines, start=area.rows - len(lines)):
        canvas.put(area.x, area.y + offset, line, style)


def newest_line(screen: ScreenState, columns: int, *, ascii_only: bool) -> tuple[str, str]:
    """Return the newest line of the feed, and its style."""
    if not (feed := screen.shown_feed):
        return "", ""
    newest = feed[-1]
    return clip(shown(newest.text), columns, ascii_only=ascii_only), _STYLES[newest.kind]
