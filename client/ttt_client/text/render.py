"""A room as text: board, seats, clocks, outcome. It is clean and has no escape codes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ttt_client.model import variants, words
from ttt_client.model.lobby import in_order
from ttt_client.model.view import View, keeps_name, name_of, who, whose_turn
from ttt_protocol import state
from ttt_protocol.codes import Choice, Opening, Reason
from ttt_protocol.messages import Rooms
from ttt_protocol.notation import board_name
from ttt_protocol.state import Game, Human, Mark, PersonId, RoomState, Rules
from ttt_protocol.text import clean

MAX_NUMBERED = 9
"""The most cells of a board with numbers in its free cells; a larger one has edges."""

DAY_MS, HOUR_MS = 86_400_000, 3_600_000


def label(cell: int, rules: Rules) -> str:
    """Return what to type for a cell: its number on a small board, `b2` on a large one."""
    if not has_edges(rules):
        return str(cell + 1)
    return variants.shape_of(rules).name(cell)


def labels(cells: Sequence[int], rules: Rules, separator: str = " ", most: int = 9) -> str:
    """Return the names of the cells, the first ones of many: `a1 b2 and 7 more`."""
    more = len(cells) - most
    named = separator.join(label(cell, rules) for cell in cells[:most])
    return named + (f" and {more} more" if more > 0 else "")


def column_letter(column: int) -> str:
    return chr(ord("a") + column)


def board(
    rules: Rules, game: Game, *, ascii_only: bool = False, signs: Mapping[int, str] | None = None
) -> list[str]:
    """Return the lines of the board, and below it what the drawing alone does not say.

    `[X]` is the last move, `*X*` part of a winning line, `!X!` of one that loses, and a small
    letter is a mark that vanishes next. `signs` stand in free cells: behind the number on a small
    board, in its place on a large one.
    """
    numbered = not has_edges(rules)
    signs = signs or {}
    dot = "." if ascii_only else "·"
    shape = variants.shape_of(rules)

    def free(cell: int) -> str:
        sign = signs.get(cell, " ")
        if not variants.may_play(game, cell):
            return "  "
        return f"{cell + 1}{sign}" if numbered else f"{dot if sign == ' ' else sign} "

    rows = [
        [_cell(rules, game, shape.cell(column, row), free) for column in range(shape.columns)]
        for row in range(shape.rows)
    ]
    lines = _ruled(rows, ascii_only=ascii_only) if numbered else _edged(rows, shape, ascii_only)
    return [*lines, *_below(rules, game)]


def _below(rules: Rules, game: Game) -> list[str]:
    """Return what people who only hear the board need to know."""
    told = [", ".join(variants.board_names(game))] if game.boards else []
    leaving = {} if game.outcome else variants.ages(rules, game)
    oldest = sorted(cell for cell, age in leaving.items() if age == 1)
    if oldest:
        named = ", ".join(f"{game.board[cell]} at {label(cell, rules)}" for cell in oldest)
        told.append(f"vanishing next: {named}")
    if variants.is_round(rules):
        told.append("the edges meet: left and right, top and bottom")
    return list(filter(None, told))


def has_edges(rules: Rules) -> bool:
    """Return whether the board is too large for numbers, and has edges with letters and digits."""
    return rules.columns * rules.rows > MAX_NUMBERED


def _cell(rules: Rules, game: Game, cell: int, free: Callable[[int], str]) -> str:
    mark = game.board[cell]
    if mark == ".":
        return f" {free(cell)}"
    if game.outcome is not None and game.outcome.line and cell in game.outcome.line:
        sign = "!" if variants.loses(rules) else "*"
        return f"{sign}{mark}{sign}"
    mark = mark.lower() if variants.ages(rules, game).get(cell) == 1 else mark
    return f"[{mark}]" if game.moves and game.moves[-1] == cell else f" {mark} "


def _ruled(rows: list[list[str]], *, ascii_only: bool) -> list[str]:
    upright, level, cross = ("|", "-", "+") if ascii_only else ("│", "─", "┼")
    rule = cross.join(level * 3 for _ in rows[0])
    lines = [upright.join(row).rstrip() for row in rows]
    return [line for row in lines for line in (rule, row)][1:]


def _edged(rows: list[list[str]], shape: variants.Shape, ascii_only: bool) -> list[str]:
    wide, tall = shape.block_columns, shape.block_rows
    upright, level, cross = (" | ", "-", "-+-") if ascii_only else (" │ ", "─", "─┼─")

    def in_blocks(cells: Sequence[str], between: str) -> str:
        starts = range(0, shape.columns, wide)
        return between.join("".join(cells[start : start + wide]) for start in starts)

    names = [f" {column_letter(shape.cell_column(column))} " for column in range(shape.columns)]
    letters = f"   {in_blocks(names, '   ')}".rstrip()
    lines = [letters]
    if shape.is_cube:
        layers = [f" layer {layer + 1}".ljust(3 * wide) for layer in range(shape.columns // wide)]
        lines.insert(0, f"   {'   '.join(layers)}".rstrip())
    for number, row in enumerate(rows, start=1):
        if number > 1 and (number - 1) % tall == 0:
            lines.append(f"   {in_blocks([level * 3] * shape.columns, cross)}")
        right = f" {number}" if shape.columns > MAX_NUMBERED and not shape.is_cube else ""
        between = "   " if shape.is_cube else upright
        lines.append(f"{number:2} {in_blocks(row, between)}{right}".rstrip())
    return [*lines, letters] if shape.rows > MAX_NUMBERED else lines


def game_words(rules: Rules, opening: Opening) -> str:
    """Return `15x15, 5 in a row; opening: swap2`."""
    return "; ".join(filter(None, (variants.words(rules), opening_words(opening))))


def opening_words(opening: Opening) -> str:
    """Return how the games of a room begin; nothing for the usual beginning."""
    return "" if opening is Opening.NONE else f"opening: {opening}"


def seats(view: View, at: int | None = None) -> list[str]:
    """Return a line for each seat, with how long its player has been away at the server's time."""
    room = view.room
    return [] if room is None else [f"{mark}: {_seat(view, room, mark, at)}" for mark in Mark]


def _seat(view: View, room: RoomState, mark: Mark, at: int | None) -> str:
    seat = room.seats[mark]
    if seat is None:
        return "free"
    since = seat.away_since if isinstance(seat, state.HumanSeat) else None
    away = "away" if since is None or at is None else f"away {max(0, at - since) // 1000} s"
    notes = [
        *(["you"] if view.seat is mark else []),
        *(["AI"] if isinstance(seat, state.AiSeat) else []),
        *(["kept name"] if keeps_name(seat) else []),
        *([] if seat.connected else [away]),
    ]
    return name_of(room, mark) + (f" ({', '.join(notes)})" if notes else "")


def score(room: RoomState) -> str | None:
    """Return `score: ada 1, bob 0, draws 2`; None before the first outcome."""
    if room.score.X + room.score.O + room.score.draws == 0:
        return None
    x, o = name_of(room, Mark.X), name_of(room, Mark.O)
    return f"score: {x} {room.score.X}, {o} {room.score.O}, draws {room.score.draws}"


def last_move(rules: Rules, game: Game, words: str = "last move: {} at {}") -> str:
    """Return `last move: O at b2`, or as `words` say; empty before the first move."""
    if not game.moves:
        return ""
    return words.format(game.board[game.moves[-1]], label(game.moves[-1], rules))


def clocks(game: Game, elapsed_ms: int = 0) -> str | None:
    """Return `clock: X 4:59, O 5:00`, so long after the state; None in a game without clocks."""
    if (clock := game.clock) is None:
        return None
    left = {mark: (clock.X, clock.O)[mark is Mark.O] for mark in Mark}
    if clock.running is not None:
        left[clock.running] -= elapsed_ms
    return "clock: " + ", ".join(f"{mark} {time_left(ms)}" for mark, ms in left.items())


def time_left(ms: int) -> str:
    """Return `4:59`; `0:09.3` in the last ten seconds; `2d 3h` from a day on. Rounded down."""
    if ms >= DAY_MS:
        return f"{ms // DAY_MS}d {ms % DAY_MS // HOUR_MS}h"
    tenths = max(ms, 0) // 100
    minutes, rest = divmod(tenths, 600)
    if tenths < 100:
        return f"0:0{rest // 10}.{rest % 10}"
    return f"{minutes}:{rest // 10:02}"


def outcome(view: View, result: state.Outcome, rules: Rules) -> str:
    """Return `you won: a line, 1 5 9`."""
    if result.reason is Reason.ABANDONMENT and result.winner is None:
        return "nobody won: both players were gone too long"
    reason = words.outcome(result.reason)
    if result.line:
        reason += ", " + " ".join(label(cell, rules) for cell in result.line)
    return f"{won_words(view, result.winner)}: {reason}"


def won_words(view: View, winner: Mark | None) -> str:
    """Return `you won`, `bob (O) won` or `draw`."""
    if winner is None:
        return "draw"
    if view.seat is None or view.is_shared:
        return f"{who(view, winner)} won"
    return "you won" if winner is view.seat else "you lost"


def turn(view: View) -> str:
    """Return whose turn it is, or what the room waits for."""
    if view.choosing is not None:
        return _choice(view, view.choosing)
    if view.to_move is not None:
        yours = view.your_turn and not view.is_shared
        words = f"your turn, {view.seat}" if yours else whose_turn(view, view.to_move)
        return f"{words}{placing(view) or task(view)}"
    if view.room is not None and view.room.status is state.Status.WAITING:
        return f"waiting for another player to join {clean(view.room.name)}"
    # In an event the next game comes by itself, in a room of its own.
    may_go_on = view.seat is not None and not view.is_of_event
    return "the game is over" + (": rematch or quit" if may_go_on else "")


_FIRST_STONES = 3
"""The stones of a swap2 opening before the first choice."""


def placing(view: View) -> str:
    """Return `: place three stones for both sides`, in an opening; else nothing."""
    count = view.to_place
    if not count or view.room is None or view.game is None:
        return ""
    if view.room.settings.opening is Opening.PIE:
        return ": place the first stone, and the other player takes a side"
    if view.game.ply == 0:
        return ": place three stones for both sides, an X first"
    if view.game.ply == _FIRST_STONES:
        return ": place two stones, then the other chooses"
    return f": now an {variants.turn_at(view.rules, view.game.ply)}, {count} to go"


def task(view: View) -> str:
    """Return `: do not make three`, or what else the side to move needs to know; or nothing."""
    game = view.game
    if game is None or game.outcome is not None:
        return ""
    where = variants.open_boards(view.rules, game)
    if where.startswith("board") and view.your_turn and not view.is_shared:
        where += ", you may play here"
    told = [variants.goal(view.rules), where, _stones(game)]
    return "".join(f": {words}" for words in told if words)


def _stones(game: Game) -> str:
    """Return how many stones the side to move still places in its turn, where that is told."""
    if not game.marks:
        return ""
    more = " more" if game.marks == 1 and game.ply else ""
    return ("one stone" if game.marks == 1 else f"{game.marks} stones") + more


def _choice(view: View, mark: Mark) -> str:
    """Return `you choose: stay (play O), swap (play X), or more (...)`."""
    if not view.your_choices or view.is_shared:
        name = mark.value if view.room is None else name_of(view.room, mark)
        return f"{name} chooses" + (f": {listed_choices(view.choices)}" if view.choices else "")
    does = {
        Choice.STAY: f"stay (play {mark})",
        Choice.SWAP: f"swap (play {mark.other})",
        Choice.MORE: "more (place two more stones, and the other player chooses)",
    }
    return f"you choose: {_listed([does[choice] for choice in view.your_choices])}"


CHOICES = {Choice.STAY: "stay", Choice.SWAP: "swap", Choice.MORE: "two more"}
"""The choices of a player in an opening, as text."""


def listed_choices(choices: Sequence[Choice]) -> str:
    """Return `stay, swap, or two more`."""
    return _listed([CHOICES[choice] for choice in choices])


def _listed(names: Sequence[str]) -> str:
    """Return `a, b, or c`."""
    if len(names) < 3:
        return " or ".join(names)
    return f"{', '.join(names[:-1])}, or {names[-1]}"


SUMMARY = ("ROOM", "STATUS", "BOARD", "X", "O", "PLY", "WATCHING")
"""The headings of a `summary`."""


def room_list(rooms: Rooms) -> list[str]:
    """Return the lobby as lines of a table."""
    if not rooms.rooms:
        return ["no public rooms"]
    lines = table([SUMMARY, *map(summary, in_order(rooms.rooms))])
    if rooms.total is not None and rooms.total > len(rooms.rooms):
        listed, last = len(rooms.rooms), max(room.name for room in rooms.rooms)
        lines.append(f"{listed} of {rooms.total} rooms; those after: --after {clean(last)}")
    return lines


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def summary(room: state.Summary) -> tuple[str, str, str, str, str, str, str]:
    """Return a room of the lobby as the cells of a row."""
    name = clean(room.name) + (" (locked)" if room.locked else "")
    status = "deserted" if room.deserted else room.status.value
    x, o = ("-" if player is None else clean(player) for player in (room.seats.X, room.seats.O))
    return name, status, board_name(room.rules), x, o, str(room.ply), str(room.spectators)


def rating_words(room: RoomState, ratings: Mapping[str, Any]) -> str:
    """Return `ratings: ada 1582? (+12), bob 1498`; empty without any.

    Args:
        room: whose players they are.
        ratings: as `GET /api/rooms/{room}/ratings` has them.

    Raises:
        KeyError, TypeError, ValueError: if they are not understood.
    """
    told = [
        f"{name_of(room, mark)} {_words(ratings[mark.value])}"
        for mark in Mark
        if mark.value in ratings and room.seats[mark] is not None
    ]
    return f"ratings: {', '.join(told)}" if told else ""


def points_of_persons(room: RoomState, ratings: Mapping[str, Any]) -> dict[PersonId, str]:
    """Return `1582?` for each person in a seat who has a rating.

    `ratings`, and what is raised, are as in `rating_words`.
    """
    seats = {mark: room.seats[mark] for mark in Mark if mark.value in ratings}
    return {
        seat.person: _points(ratings[mark.value])
        for mark, seat in seats.items()
        if isinstance(seat, Human) and seat.person is not None
    }


def is_counted(ratings: Mapping[str, Any]) -> bool:
    """Return whether they say what the last game changed."""
    return any("change" in rating for rating in ratings.values())


def _words(rating: Mapping[str, Any]) -> str:
    points = _points(rating)
    return f"{points} ({round(rating['change']):+d})" if "change" in rating else points


def _points(rating: Mapping[str, Any]) -> str:
    return f"{round(rating['rating'])}{'?' if rating['provisional'] else ''}"
