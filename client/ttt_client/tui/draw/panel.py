"""The panel beside the board: the seats, the score, and the feed of talk and news."""

from collections.abc import Iterator

from ttt_client.model.view import keeps_name, name_of
from ttt_client.text import render
from ttt_client.text.narrate import CHAT, watching
from ttt_client.tui.draw.canvas import Area, Canvas, clip, shown, width, wrap
from ttt_client.tui.model.connection import Recorded
from ttt_client.tui.model.screen import ScreenState
from ttt_protocol.state import AiSeat, ChatMode, Human, HumanSeat, Mark, RoomState, Seat, Status

_LOW_MS = 20_000
"""The time in ms below which a clock is marked."""

KEPT, KEPT_ASCII = " ✓", " +"
"""What follows a name that is kept on the server."""


def _seat(screen: ScreenState, mark: Mark) -> Seat | None:
    return None if screen.view.room is None else screen.view.room.seats[mark]


def _seat_name(screen: ScreenState, mark: Mark) -> str:
    """Return `ada`, `minimax 9` or `free`."""
    room = screen.view.room
    return "free" if room is None or room.seats[mark] is None else shown(name_of(room, mark))


def _seat_state(screen: ScreenState, mark: Mark, now: float) -> str:
    """Return the kind of player on a seat, and its presence."""
    match _seat(screen, mark):
        case None:
            return "waiting for a player"
        case AiSeat(strategy=strategy, level=level):
            grade = "" if level is None else f", level {level}"
            return f"AI: {shown(strategy)}{grade}"
        case HumanSeat(connected=True):
            return "human" if isinstance(screen.connection, Recorded) else "human, here"
        case _:
            return _away(screen, mark, now)


def _away(screen: ScreenState, mark: Mark, now: float) -> str:
    away_s = screen.away_s(mark, now) or 0.0
    words = f"away {int(away_s)} s"
    room, seat = screen.view.room, screen.view.seat
    if room is None or seat is not mark.other or room.status is not Status.PLAYING:
        return words
    if room.settings.days is not None:  # the flag falls by itself
        return words
    if screen.claimable(now):
        is_to_act = room.game is not None and room.game.turn is seat
        claim = [] if is_to_act else ["C claims"]
        means = ", ".join([*claim, *([] if room.settings.rated else ["F seats an AI"])])
        return f"{words}: {means}" if means else words
    return f"{words}, you may claim in {int(room.settings.grace_s - away_s) + 1} s"


def absence(screen: ScreenState, now: float) -> str:
    """Return a line about a player who is away; to a player, about the other one."""
    marks = [screen.view.seat.other] if screen.view.seat is not None else list(Mark)
    gone = next((mark for mark in marks if mark in screen.away), None)
    return "" if gone is None else f"{_seat_name(screen, gone)} {_seat_state(screen, gone, now)}"


def _clock(screen: ScreenState, mark: Mark, now: float) -> tuple[str, str]:
    """Return `4:59` and its style; a low clock has a mark too."""
    left = screen.left_ms(mark, now)
    if left is None:
        return "", ""
    text = render.time_left(left)
    game = screen.view.game
    running = game is not None and game.clock is not None and game.clock.running is mark
    if left < _LOW_MS:
        return f"!{text}", "class:clock class:low"
    return text, "class:clock class:running" if running else "class:clock"


def _rating(screen: ScreenState, mark: Mark) -> str:
    """Return `1582?` where the player on a seat has a rating; else nothing."""
    seat = _seat(screen, mark)
    person = seat.person if isinstance(seat, Human) else None
    return "" if person is None else screen.ratings.get(person, "")


def draw_seat(
    canvas: Canvas, screen: ScreenState, mark: Mark, area: Area, now: float, *, points: bool = False
) -> None:
    """Draw one line: pointer to move, mark, name, whether it is kept, the rating, clock."""
    x, y = area.x, area.y
    to_move = (screen.view.to_move or screen.view.choosing) is mark
    pointer = (">" if canvas.ascii_only else "▶") if to_move else " "
    canvas.put(x, y, pointer, "class:pointer")
    canvas.put(x + 2, y, mark, f"class:{mark.lower()}")
    time, style = _clock(screen, mark, now)
    room = area.columns - 4 - (len(time) + 1 if time else 0)
    rated = f" {_rating(screen, mark)}".rstrip() if points else ""
    text = _fitting(screen, mark, rated, room, ascii_only=canvas.ascii_only)
    canvas.put(x + 4, y, text, "class:to-move" if to_move else "class:name", columns=room)
    canvas.put(x + area.columns - len(time), y, time, style)


def _fitting(screen: ScreenState, mark: Mark, rated: str, columns: int, *, ascii_only: bool) -> str:
    """Return `ada ✓ 1582? (you)`, or as much of it as fits; the name is cut last."""
    name, seat = _seat_name(screen, mark), _seat(screen, mark)
    you = " (you)" if seat is not None and screen.view.seat is mark else ""
    kept = (KEPT_ASCII if ascii_only else KEPT) if keeps_name(seat) else ""
    for rest in (kept + rated + you, kept + you, kept):
        if width(name + rest) <= columns:
            return name + rest
    return clip(name, columns - width(kept), ascii_only=ascii_only) + kept


_MOST_LINES = 2
"""The most lines of a fact; the rest is cut."""


def draw_panel(
    canvas: Canvas, screen: ScreenState, room: RoomState, area: Area, now: float
) -> None:
    """Draw seats and facts, and below them as much of the feed as fits."""
    for mark in Mark:
        draw_seat(canvas, screen, mark, area, now)
        area = area.below(1)
        for text, style in _about(screen, mark, now):
            area = _put(canvas, area, 4, text, style)
    area = area.below(1)
    for fact in filter(None, _facts(screen, room)):
        area = _put(canvas, area, 0, fact, "class:dim")
    draw_feed(canvas, screen, area.below(1))


def _about(screen: ScreenState, mark: Mark, now: float) -> list[tuple[str, str]]:
    state = _seat_state(screen, mark, now)
    thought = screen.thoughts.get(mark)
    text = ", ".join(filter(None, (_rating(screen, mark), state)))
    lines = [(text, "class:away" if state.startswith("away") else "class:dim")]
    return lines + ([(shown(thought), "class:thought")] if thought else [])


def _put(canvas: Canvas, area: Area, indent: int, text: str, style: str) -> Area:
    """Write a text of a few lines, and return the area below it."""
    x, columns, rows = area.x + indent, area.columns - indent, min(_MOST_LINES, area.rows)
    return area.below(canvas.write(Area(x, area.y, columns, rows), [text], style))


def _facts(screen: ScreenState, room: RoomState) -> Iterator[str | None]:
    """Yield what is known of score, last move, spectators and chat."""
    yield shown(render.score(room) or "")
    yield last_move(screen)
    yield f"{room.spectators} watching" if room.spectators else None
    watches = screen.view.seat is None and not isinstance(screen.connection, Recorded)
    yield watching(screen.view) if watches else None
    yield "you are the host" if screen.view.is_host else None
    chat = None if room.chat is ChatMode.ALL else CHAT[room.chat]
    yield "chat hidden: H shows it" if screen.hides_chat else chat


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
        (line, f"class:{entry.kind}")
        for entry in screen.shown_feed[-area.rows :]
        for line in wrap(shown(entry.text), area.columns)
    ][-area.rows :]
    for offset, (line, style) in enumerate(lines, start=area.rows - len(lines)):
        canvas.put(area.x, area.y + offset, line, style)


def newest_line(screen: ScreenState) -> tuple[str, str]:
    """Return the newest line of the feed, and its style."""
    newest = screen.shown_feed[-1:]
    return (shown(newest[0].text), f"class:{newest[0].kind}") if newest else ("", "")
