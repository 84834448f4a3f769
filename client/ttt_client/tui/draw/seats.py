"""The two seats: name, presence and clock."""

from ttt_client.model.view import name_of
from ttt_client.text import render
from ttt_client.tui.draw.canvas import Area, Canvas, shown, width
from ttt_client.tui.model.screen import Recorded, ScreenState
from ttt_protocol.state import AiSeat, HumanSeat, Mark, Seat, Status

LOW_MS = 20_000
"""The time in ms below which a clock is marked."""

YOU = " (you)"


def seat_name(screen: ScreenState, mark: Mark) -> str:
    """Return `ada (you)`, `minimax 9` or `free`."""
    room = screen.view.room
    if room is None or room.seats[mark] is None:
        return "free"
    you = YOU if screen.view.seat is mark else ""
    return shown(name_of(room, mark)) + you


def seat_state(screen: ScreenState, mark: Mark, now: float) -> str:
    """Return the kind of player on a seat, and its presence."""
    room = screen.view.room
    seat: Seat | None = None if room is None else room.seats[mark]
    match seat:
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
    if screen.claimable(now):
        is_to_act = room.game is not None and room.game.turn is seat
        return f"{words}: F seats an AI" if is_to_act else f"{words}: C claims, F seats an AI"
    return f"{words}, you may claim in {int(room.settings.grace_s - away_s) + 1} s"


def absence(screen: ScreenState, now: float) -> str:
    """Return a line about a player who is away; to a player, about the other one."""
    marks = [screen.view.seat.other] if screen.view.seat is not None else list(Mark)
    gone = next((mark for mark in marks if mark in screen.away), None)
    return "" if gone is None else f"{seat_name(screen, gone)} {seat_state(screen, gone, now)}"


def clock(screen: ScreenState, mark: Mark, now: float) -> tuple[str, str]:
    """Return `4:59` and its style; a low clock has a mark too."""
    left = screen.left_ms(mark, now)
    if left is None:
        return "", ""
    text = render.time_left(left)
    game = screen.view.game
    running = game is not None and game.clock is not None and game.clock.running is mark
    if left < LOW_MS:
        return f"!{text}", "class:clock class:low"
    return text, "class:clock class:running" if running else "class:clock"


def draw_seat(canvas: Canvas, screen: ScreenState, mark: Mark, area: Area, now: float) -> None:
    """Draw one line: pointer to move, mark, name, clock."""
    x, y = area.x, area.y
    to_move = (screen.view.to_move or screen.view.choosing) is mark
    pointer = (">" if canvas.ascii_only else "▶") if to_move else " "
    canvas.put(x, y, pointer, "class:pointer")
    canvas.put(x + 2, y, mark.value, "class:x" if mark is Mark.X else "class:o")
    time, style = clock(screen, mark, now)
    room = area.columns - 4 - (len(time) + 1 if time else 0)
    name = "class:to-move" if to_move else "class:name"
    text = seat_name(screen, mark)
    if width(text) > room:
        text = text.removesuffix(YOU)
    canvas.put(x + 4, y, text, name, columns=room)
    canvas.put(x + area.columns - len(time), y, time, style)
