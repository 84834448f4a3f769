"""An event between games: what goes on, the reader's place, the standings, and the games."""

from dataclasses import replace

from ttt_client.text import event as texts
from ttt_client.text.render import game_words
from ttt_client.tui.draw import frame
from ttt_client.tui.draw.canvas import GAP, Area, Canvas, Size, shown, width, wrap
from ttt_client.tui.model.connection import Lost
from ttt_client.tui.model.event import EventScreen
from ttt_protocol.text import counted, plural
from ttt_protocol.tournament.messages import TournamentState

StyledTexts = list[tuple[str, str]]
"""Lines, each with its style."""

_BESIDE_FROM = 100
"""The least width of a window with a panel of games and announcements."""
_NAME = 12
"""The least width of a name beside other columns."""
_LEAST_ROWS = 6
"""Rows of the standings, with their heads, that boards below them leave."""
_MOST_ANNOUNCED = 3
"""Lines of announcements above the standings."""
_HELP = (
    "Up Down PageUp PageDown Home End: the standings; Esc: your own row",
    "Enter: to your game; on a board E shows the standings, [ and ] other boards of yours",
    "w: withdraw, or return; Ctrl-R: retry now; q: quit, your place is kept",
    "a game is gone to by itself, and left by itself when it is over",
)
_ASKED = {
    "withdraw": ("withdraw from the event?", frame.keyed(y="withdraw", n="stay")),
    "quit": ("leave? your game is lost soon", frame.keyed(y="leave", n="stay")),
}


def draw_event(screen: EventScreen, canvas: Canvas, now: float) -> None:
    """Draw the whole window."""
    size, event = canvas.size, screen.event
    words = [screen.place] if event is None else [event.title, *_about(event)]
    frame.draw_header(canvas, words, screen.connection, now)
    area = Area(1, 1, size.columns - 2, size.rows - frame.ROWS - 1)
    if screen.help:
        canvas.write(area, _HELP, "class:does")
    elif event is None:
        frame.draw_words(canvas, area, f"connecting to {screen.server}")
    else:
        _draw_middle(canvas, screen, event, now, area)
    _draw_footer(canvas, screen)


def rows_seen(screen: EventScreen, size: Size, now: float) -> int:
    """Return the number of rows of the standings that a window of that size has."""
    if screen.event is None:
        return 0
    area = Area(1, 1, size.columns - 2, size.rows - frame.ROWS - 1)
    rows = area.rows - len(_heads(screen, screen.event, now, area))
    return max(0, (_table_rows(screen, rows) if area.columns < _BESIDE_FROM else rows) - 1)


def _table_rows(screen: EventScreen, rows: int) -> int:
    """Return the rows of the standings among `rows` that they share with boards below them."""
    if not screen.wall or screen.event is None:
        return rows
    return min(len(screen.event.standings) + 1, max(_LEAST_ROWS, rows // 2))


def _about(event: TournamentState) -> list[str]:
    settings = event.settings
    words = [texts.form_words(event), game_words(settings.rules, settings.opening)]
    if settings.clock is not None:
        words.append(f"clock {settings.clock.initial_s / 60:g}+{settings.clock.increment_s:g}")
    if settings.days is not None:
        words.append(f"{counted(settings.days, 'day')} a move")
    return words


def _heads(screen: EventScreen, event: TournamentState, now: float, area: Area) -> StyledTexts:
    """Return the lines above the standings."""
    left_s = screen.left_s(now)
    # Without the title, which is in the header, and with a clock that runs.
    status = texts.status_line(event).removeprefix(f"{event.title}: ")
    status = f"{texts.time_left(left_s)} left" if left_s is not None else status
    doors = "" if event.doors_open or event.status == "finished" else ", entry is closed"
    lines = [(f"{status}{doors}", "class:outcome")]
    if event.status == "created" and event.doors_open:
        lines.append((f"join at {screen.page}", "class:does"))
    elif screen.is_player and screen.you is not None:
        row = screen.own_row
        beyond = f"beyond place {len(event.standings)}"
        place = beyond if row is None else texts.place_words(event, row)
        lines.append((f"{screen.you.name}: {place}", "class:to-move"))
    if area.columns < _BESIDE_FROM:
        most = max(0, min(_MOST_ANNOUNCED, area.rows - 6))
        lines += [(line, "class:news") for line in _announced(event, area.columns, most)]
    wrapped = [(line, style) for text, style in lines for line in wrap(shown(text), area.columns)]
    kept = wrapped[: max(1, area.rows - 2)]
    return [*kept, ("", "")] if area.rows - len(kept) > 6 else kept


def _announced(event: TournamentState, columns: int, most: int) -> list[str]:
    """Return the announcements in at most this many lines: the latest, and those before it."""
    lines: list[str] = []
    for text in reversed(event.announcements):
        wrapped = wrap(f"* {shown(text)}", columns)
        if lines and len(lines) + len(wrapped) > most:
            break
        lines = [*wrapped, *lines]
    return lines[:most]


def _draw_middle(
    canvas: Canvas, screen: EventScreen, event: TournamentState, now: float, area: Area
) -> None:
    heads = _heads(screen, event, now, area)
    for y, (text, style) in enumerate(heads, start=area.y):
        canvas.put(area.x, y, text, style)
    area = area.below(len(heads))
    if area.columns < _BESIDE_FROM:
        table = replace(area, rows=_table_rows(screen, area.rows))
        games = area.below(_draw_table(canvas, screen, event, table) + 1)
    else:
        columns = area.columns * 3 // 5
        _draw_table(canvas, screen, event, replace(area, columns=columns))
        beside = replace(area, x=area.x + columns + 2, columns=area.columns - columns - 2)
        told = _announced(event, beside.columns, beside.rows // 2)
        canvas.write(beside, told, "class:news")
        games = beside.below(len(told) + bool(told))
    _draw_games(canvas, screen, event, games)


def _draw_table(canvas: Canvas, screen: EventScreen, event: TournamentState, area: Area) -> int:
    """Draw the standings from the first row shown on, and return the number of lines."""
    if not event.standings:
        canvas.put(area.x, area.y, "no players yet", "class:dim", columns=area.columns)
        return 1
    cells = [[shown(cell) for cell in row] for row in texts.table_cells(event)]
    widths = _fitted([max(map(width, column)) for column in zip(*cells, strict=True)], area)
    own = screen.own_row
    first = screen.first_shown
    canvas.put_row(area.x + 2, area.y, cells[0], widths, "class:edge", numbers=True)
    seen = list(zip(event.standings, cells[1:], strict=True))[first : first + area.rows - 1]
    for y, (row, line) in enumerate(seen, start=area.y + 1):
        is_own = own is not None and row.id == own.id
        if is_own:
            canvas.put(area.x, y, ">" if canvas.ascii_only else "▶", "class:pointer")
        away = row.status == "withdrawn" or not (row.present or event.status == "finished")
        style = "class:to-move" if is_own else "class:dim class:gone" if away else ""
        canvas.put_row(area.x + 2, y, line, widths, style, numbers=True)
    return len(seen) + 1


def _fitted(widths: list[int], area: Area) -> list[int]:
    """Return the widths of as many columns as fit; the name is cut before points are left out."""
    room = area.columns - 2
    kept = list(widths)
    while len(kept) > 3 and _needed(kept) - kept[1] + min(kept[1], _NAME) > room:
        kept.pop()
    kept[1] = max(1, min(kept[1], room - _needed(kept) + kept[1]))
    return kept


def _needed(widths: list[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _draw_games(canvas: Canvas, screen: EventScreen, event: TournamentState, area: Area) -> None:
    """Draw the liveliest boards, the games under way and the latest others, as far as they fit."""
    rules, ascii_only = event.settings.rules, canvas.ascii_only
    boards = texts.board_lines(screen.wall, rules, area.columns, area.rows, ascii_only=ascii_only)
    for y, line in enumerate(boards, start=area.y):
        canvas.put(area.x, y, shown(line), columns=area.columns)
    area = area.below(len(boards) + bool(boards))
    if not event.games or area.rows < 2:
        return
    lines = [shown(texts.game_line(game)) for game in event.games]
    if (left := len(lines) - area.rows + 1) > 1:
        lines[area.rows - 1 :] = [f"and {left} more {plural(left, 'game')}"]
    for y, line in enumerate(lines, start=area.y):
        canvas.put(area.x, y, line, "class:dim", columns=area.columns)


def _draw_footer(canvas: Canvas, screen: EventScreen) -> None:
    event = screen.event
    if event is not None:
        over = event.status == "finished"
        words = "the event is over" if over else texts.next_words(event, screen.own_row)
        if screen.boards:
            words = "your game waits: Enter goes there"
        frame.draw_turn(canvas, shown(words), "class:outcome" if over else "class:turn")
    if screen.asking is not None:
        words, keys = _ASKED[screen.asking]
        if screen.asking == "withdraw" and screen.boards:
            words = "withdraw, and lose your game?"
        frame.draw_question(canvas, words, keys)
    elif isinstance(screen.connection, Lost):
        frame.draw_notice(canvas, shown(screen.connection.words), "class:lost")
    else:
        frame.draw_notice(canvas, shown(screen.notice), "class:refused")
    frame.draw_keys(canvas, _keys(screen))


def _keys(screen: EventScreen) -> tuple[frame.Key, ...]:
    if isinstance(screen.connection, Lost):
        return frame.RETRY
    if screen.event is None:
        return (frame.QUIT,)
    does = {"Up Down": "standings"} if len(screen.event.standings) > screen.seen else {}
    if screen.own_row is not None and not screen.is_finished:
        does["w"] = "return" if screen.own_row.status == "withdrawn" else "withdraw"
    if screen.boards:
        does["Enter"] = "to your game"
    return (*frame.keyed(**does), frame.HELP, frame.QUIT)
