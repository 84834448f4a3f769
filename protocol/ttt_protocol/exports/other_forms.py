"""Games as other programs write them: two names, moves and a result, in three forms. Pure.

`PlainGame` is what all of them hold.

Column strings have the columns of four in a row on 7x6, one digit a move, from 1. Solvers of the
game write so; see http://blog.gamesolver.org/solving-connect-four/02-test-protocol/

    44536            and after a space perhaps its score, as the sets of tests have it

`.psq` is the form of Piskvork, in which Gomocup keeps its games.

    Piskvorky 15x15, 11:11, 0       the board; levels; 1 if the second player began
    8,8,1200                        column and row from 1, and the milliseconds
    ENGINE1.zip                     the players
    ENGINE2.zip
    -1                              how it ended, which is seen on the board
    0,Freestyle15_1                 Gomocup's name of the league, from which the rule follows

It only knows five in a row. A name that could be another line, such as `42`, has `.zip` after it,
too, which is no part of it. Source: https://github.com/plastovicka/Piskvork, in
`source/game.cpp`.

SGF is the Smart Game Format FF[4].

    (;FF[4]GM[4]SZ[15]RU[15x15x5]PB[ada]PW[bob]RE[B+Resign];B[hh];W[hg])

`GM[4]` is Gomoku and Renju; the format has no number for tic-tac-toe or four in a row. Programs
write the name of such a game in place of the number, and so does this. `RU` has the board as an
export names it. B is X. A point is a letter for the column and one for the row from the top; a
number counts the row from the bottom, as in records of Gomoku. Of variations the first is read.

Sources: https://www.red-bean.com/sgf/properties.html, and for names http://dashstofsk.net/sgf.html
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from ttt_protocol import state
from ttt_protocol.codes import Choice, Reason
from ttt_protocol.events import Chosen, Ended, Offered, Played, Started, TakenBack
from ttt_protocol.notation import MOST_IN_FILES, board_name, board_of, cell_name
from ttt_protocol.records import ExportedGame, GameEvent
from ttt_protocol.state import Mark, OfferKind, Outcome, Rules

_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


class NoSuchForm(ValueError):
    """A form cannot hold a game; the message is for people."""


class Move(NamedTuple):
    """A move, and the milliseconds that it took if known."""

    cell: int
    time_ms: int = 0


class PlainGame(NamedTuple):
    """A game without a room. Its end follows from the board, or else is `result`."""

    rules: Rules
    moves: tuple[Move, ...]
    x: str = "X"
    o: str = "O"
    began_at: int | None = None
    """The time of its start, in Unix ms; None if the file does not tell."""
    result: Outcome | None = None
    """How it ended off the board; None if it did not, or nobody knows."""


def exported(game: PlainGame, room: state.RoomName, number: int, at: int) -> ExportedGame:
    """Return the game as one of a room.

    Args:
        game: the game.
        room: the name of the room.
        number: that of the game in its room.
        at: the time of its start, in Unix ms, if the file does not tell it.

    Raises:
        ValueError: a move may not be played; the message names it.
    """
    began = at if game.began_at is None else game.began_at
    events: list[GameEvent] = [Started(seq=1, at=began, game=number)]
    marks: dict[int, Mark] = {}
    outcome = None
    for ply, (cell, time_ms) in enumerate(game.moves):
        if outcome is not None:
            raise ValueError(f"move {ply + 1} comes after the end of the game")
        seat = Mark.O if ply % 2 else Mark.X
        _require_free(marks, cell, game.rules, ply)
        marks[cell] = seat
        at = events[-1].at + time_ms
        events.append(Played(seq=ply + 2, at=at, game=number, ply=ply, seat=seat, cell=cell))
        outcome = _on_the_board(marks, cell, game.rules)
    if (outcome := outcome or game.result) is not None:
        at = events[-1].at
        if outcome.reason is Reason.AGREEMENT:  # the file does not tell who offered it
            seat = Mark.X if len(game.moves) % 2 else Mark.O  # not the side to move
            events.append(Offered(seq=len(events) + 1, at=at, kind=OfferKind.DRAW, seat=seat))
        events.append(Ended(seq=len(events) + 1, at=at, game=number, outcome=outcome))
    return ExportedGame(
        room=room,
        game=number,
        rules=game.rules,
        seats=state.BySeat[state.Player | None](X=_player("x", game.x), O=_player("o", game.o)),
        events=tuple(events),
        settings=state.Settings(rules=game.rules),
        locked=False,
    )


def plain(game: ExportedGame) -> PlainGame:
    """Return the game without its room, clock and offers.

    Raises:
        NoSuchForm: it is a variant, which no other program's form can say.
    """
    if game.rules.variant is not None:
        raise NoSuchForm(f"{board_name(game.rules)}: only JSON and text hold a variant")
    moves = [Move(cell) for cell in game.start]
    before, is_swapped, result = game.began_at, False, None
    for event in game.events:
        match event:
            case Played():
                moves.append(Move(event.cell, max(0, event.at - before)))
            case TakenBack():
                del moves[event.ply :]
            case Chosen(choice=Choice.SWAP):
                is_swapped = not is_swapped
            case Ended():
                result = event.outcome
            case _:
                continue
        before = event.at
    x, o = (_name(game.seats[mark]) for mark in Mark)
    if is_swapped:
        x, o = o, x
    return PlainGame(game.rules, tuple(moves), x, o, game.began_at, result)


def _require_free(marks: dict[int, Mark], cell: int, rules: Rules, ply: int) -> None:
    below = cell + rules.columns
    name = cell_name(cell, rules.columns)
    if cell in marks:
        raise ValueError(f"move {ply + 1}, {name}, is on a taken cell")
    if rules.gravity and below < rules.columns * rules.rows and below not in marks:
        raise ValueError(f"move {ply + 1}, {name}, would fall: the board is {board_name(rules)}")


def _on_the_board(marks: dict[int, Mark], last: int, rules: Rules) -> Outcome | None:
    """Return the outcome after the last move; None while the game goes on."""
    line = sorted(set(_lines(marks, last, rules)))
    if line:
        return Outcome(winner=marks[last], reason=Reason.LINE, line=tuple(line))
    if len(marks) == rules.columns * rules.rows:
        return Outcome(winner=None, reason=Reason.FULL, line=None)
    return None


def _lines(marks: dict[int, Mark], last: int, rules: Rules) -> Iterator[int]:
    """Yield the cells of all rows through the last move that win."""
    for right, down in _DIRECTIONS:
        run = [last]
        for sign in (1, -1):
            row, column = divmod(last, rules.columns)
            while True:
                row, column = row + sign * down, column + sign * right
                cell = row * rules.columns + column
                is_inside = 0 <= row < rules.rows and 0 <= column < rules.columns
                if not is_inside or marks.get(cell) is not marks[last]:
                    break
                run.append(cell)
        if len(run) == rules.in_a_row or (len(run) > rules.in_a_row and not rules.exact):
            yield from run


def _player(id_: str, name: str) -> state.Human:
    return state.Human(id=state.SessionId(id_), name=name[:64].strip() or id_.upper())


def _name(player: state.Player | None) -> str:
    return "nobody" if player is None else player.name


# Column strings

_FOUR = Rules(columns=7, rows=6, in_a_row=4, gravity=True)
COLUMNS = re.compile(r"([1-7]{1,42})(?:[ \t]+-?\d{1,2})?")


def read_columns(line: str) -> PlainGame:
    """Return the game of a line.

    Raises:
        ValueError: a column is full, or the line has another form.
    """
    if not (found := COLUMNS.fullmatch(line)):
        raise ValueError("a column string has a digit from 1 to 7 for each move, as 44536")
    heights = [0] * _FOUR.columns
    moves = []
    for ply, digit in enumerate(found[1], 1):
        column = int(digit) - 1
        if heights[column] == _FOUR.rows:
            raise ValueError(f"move {ply}: column {digit} is full")
        heights[column] += 1
        moves.append(Move((_FOUR.rows - heights[column]) * _FOUR.columns + column))
    return PlainGame(_FOUR, tuple(moves))


def as_columns(game: PlainGame) -> str:
    """Return the game as a line.

    Raises:
        NoSuchForm: it is played on another board.
    """
    if game.rules != _FOUR:
        raise NoSuchForm(f"{board_name(game.rules)}: column strings are for 7x6x4g")
    return "".join(str(cell % _FOUR.columns + 1) for cell, _ in game.moves) + "\n"


# .psq

BEGINNING = "Piskvorky "
_HEAD = re.compile(r"Piskvorky (\d{1,3})x(\d{1,3}), *-?\d+:-?\d+, *([01])")
_MOVE = re.compile(r"(\d{1,3}), *(\d{1,3})(?:, *(-?\d{1,9}))?")
_NUMBER = re.compile(r"-?\d+")
_LEAGUE = re.compile(r"\d+,([a-z][^,.]*)", re.IGNORECASE)
_PROGRAM = re.compile(r"\.(zip|exe)$")
_IN_A_ROW = 5


def read_psq(lines: Sequence[str]) -> PlainGame:
    """Return the game in these lines; none is empty.

    Raises:
        ValueError: it is none; the message is for people.
    """
    if not (head := _HEAD.fullmatch(lines[0])):
        raise ValueError("the first line is not like Piskvorky 15x15, 11:11, 0")
    found = [_MOVE.fullmatch(line) for line in lines[1:]]
    count = found.index(None) if None in found else len(found)
    names, league = [], ""
    for line in lines[1 + count :]:
        if in_league := _LEAGUE.fullmatch(line):
            league = in_league[1].lower()
        elif not _NUMBER.fullmatch(line):
            names.append(_PROGRAM.sub("", line))
    if league.startswith(("renju", "caro")):
        raise ValueError(f"its rule is {league}, which forbids moves that no board here forbids")
    exact = "!" if league.startswith("standard") else ""
    rules = board_of(f"{head[1]}x{head[2]}x{_IN_A_ROW}{exact}", MOST_IN_FILES)
    moves = []
    for ply, move in enumerate(found[:count], 1):
        column, row, time_ms = (int(number or 0) for number in move.groups()) if move else (0, 0, 0)
        if not (1 <= column <= rules.columns and 1 <= row <= rules.rows):
            raise ValueError(f"move {ply} is off the board")
        moves.append(Move((row - 1) * rules.columns + column - 1, max(0, time_ms)))
    first, second, *_ = [*names, "X", "O"] if len(names) != 1 else [*names, "O"]
    if head[3] == "1":
        first, second = second, first
    return PlainGame(rules, tuple(moves), first, second)


def as_psq(game: PlainGame) -> str:
    """Return the game as a file.

    Raises:
        NoSuchForm: it is no five in a row.
    """
    rules = game.rules
    if rules.in_a_row != _IN_A_ROW or rules.gravity:
        raise NoSuchForm(f"{board_name(rules)}: a .psq holds five in a row, without gravity")
    lines = [f"{BEGINNING}{rules.columns}x{rules.rows}, 0:0, 0"]
    for cell, time_ms in game.moves:
        row, column = divmod(cell, rules.columns)
        lines.append(f"{column + 1},{row + 1},{time_ms}")
    lines += [_told_apart(game.x), _told_apart(game.o)]
    lines += ["-1", f"0,{'Standard' if rules.exact else 'Freestyle'}"]
    return "\n".join([*lines, ""])


def _told_apart(name: str) -> str:
    """Return the name as a line that is read as nothing else."""
    is_other = any(form.fullmatch(name) for form in (_MOVE, _NUMBER, _LEAGUE))
    is_other = is_other or name.startswith(("#", BEGINNING))
    return f"{name}.zip" if is_other or _PROGRAM.search(name) else name


# SGF

Node = dict[str, str]
"""The first value of each property of a node."""

_GAMES = {"4": "15x15x5", "tic-tac-toe": "3x3x3", "connect four": "7x6x4g"}
"""The known values of GM, with their default boards."""

_TOKEN = re.compile(r"([();])|([A-Za-z]+)\s*((?:\[(?:[^\]\\]|\\.)*\]\s*)+)|(\S)", re.DOTALL)
_VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
_RESULT = re.compile(r"([BW])\+(.*)|(0|draw)", re.IGNORECASE)
_REASONS = {"r": Reason.RESIGNATION, "t": Reason.TIMEOUT, "f": Reason.FORFEIT}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_MARKS = {"B": Mark.X, "W": Mark.O}


def read_sgf(text: str) -> Iterator[PlainGame]:
    """Yield the games of a collection.

    Raises:
        ValueError: it is none; the message is for people.
    """
    for number, nodes in enumerate(_main_lines(text), 1):
        try:
            yield _game(nodes)
        except ValueError as error:
            raise ValueError(f"game {number}: {error}") from None


def _main_lines(text: str) -> Iterator[list[Node]]:
    """Yield the nodes of each tree, following the first of several variations."""
    depth, is_first, nodes = 0, True, list[Node]()
    for found in _TOKEN.finditer(text):
        sign, name, values, other = found.groups()
        if other is not None or (depth == 0 and sign != "("):
            line = 1 + text.count("\n", 0, found.start())
            raise ValueError(f"line {line}: {found[0][:20]!r} is out of place")
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth, is_first = depth - 1, False
            if depth == 0:
                yield nodes
                is_first, nodes = True, []
        elif sign == ";" and is_first:
            nodes.append({})
        elif name and is_first and nodes:
            # Names of FF[3] may have small letters, which mean nothing. A backslash escapes.
            value = _VALUE.match(values)
            short = re.sub("[a-z]", "", name)
            nodes[-1].setdefault(short, re.sub(r"\\(.)", r"\1", value[1]) if value else "")
    if depth:
        raise ValueError("the last game has no end")


def _game(nodes: list[Node]) -> PlainGame:
    root: Node = {name: value for node in reversed(nodes) for name, value in node.items()}
    rules = _rules(root)
    moves: list[Move] = []
    for node in nodes:
        if {"AB", "AW", "AE"} & set(node):
            raise ValueError("it begins with stones that are set, which no game here does")
        for name in ("B", "W"):
            if name in node:
                moves.append(Move(_cell(node[name], rules, len(moves) + 1)))
    x, o = (" ".join(root.get(name, mark).split()) for name, mark in (("PB", "X"), ("PW", "O")))
    return PlainGame(rules, tuple(moves), x, o, _date(root.get("DT", "")), _result(root))


def _rules(root: Node) -> Rules:
    kind = root.get("GM", "1").strip().lower()
    if kind not in _GAMES:
        raise ValueError(f"GM[{root.get('GM', '1')}] is another game; five in a row is GM[4]")
    named, size = root.get("RU", "").strip(), root.get("SZ", "").strip()
    if re.fullmatch(r"\d+x\d+x\d+.*", named):  # else it has the name of the rules
        return _board(named, f"RU[{named}]")
    board = _GAMES[kind]
    if found := re.fullmatch(r"(\d+)(?::(\d+))?", size):
        board = re.sub(r"^\d+x\d+", f"{found[1]}x{found[2] or found[1]}", board)
    elif size:
        raise ValueError(f"SZ[{size}] is not a size")
    return _board(board, f"SZ[{size}]")


def _board(name: str, source: str) -> Rules:
    try:
        return board_of(name, MOST_IN_FILES)
    except ValueError:
        most = f"3 to {MOST_IN_FILES} columns and rows, and a line that fits"
        raise ValueError(f"{source} is not a board that is known here: {most}") from None


def _cell(point: str, rules: Rules, move: int) -> int:
    found = re.fullmatch(r"([a-z])(?:([a-z])|([0-9]{1,2}))", point.strip().lower())
    column = row = -1
    if found:
        column = _LETTERS.index(found[1])
        row = _LETTERS.index(found[2]) if found[2] else rules.rows - int(found[3])
    if not (0 <= column < rules.columns and 0 <= row < rules.rows):
        raise ValueError(f"move {move}, [{point}], is off the board")
    return row * rules.columns + column


def _date(text: str) -> int | None:
    try:
        return round(datetime.fromisoformat(text[:10]).replace(tzinfo=UTC).timestamp() * 1000)
    except ValueError:
        return None


def _result(root: Node) -> Outcome | None:
    if not (found := _RESULT.fullmatch(root.get("RE", "").strip())):
        return None
    if found[3]:
        return Outcome(winner=None, reason=Reason.AGREEMENT, line=None)
    reason = _REASONS.get(found[2][:1].lower(), Reason.RESIGNATION)
    return Outcome(winner=_MARKS[found[1].upper()], reason=reason, line=None)


def as_sgf(game: PlainGame) -> str:
    """Return the game as a tree of its own.

    Raises:
        NoSuchForm: SGF is not used for games on its board.
    """
    rules = game.rules
    name = board_name(rules)
    kind = "4" if rules.in_a_row == 5 and not rules.gravity else None
    kind = kind or next((kind for kind, board in _GAMES.items() if board == name), None)
    if kind is None:
        raise NoSuchForm(f"{name}: SGF is for five in a row, tic-tac-toe and 7x6x4g")
    size = f"{rules.columns}" if rules.columns == rules.rows else f"{rules.columns}:{rules.rows}"
    head = {"FF": "4", "GM": kind, "CA": "UTF-8", "SZ": size, "RU": name}
    head |= {"PB": game.x, "PW": game.o}
    if game.began_at is not None:
        head["DT"] = datetime.fromtimestamp(game.began_at // 1000, UTC).date().isoformat()
    if game.result is not None:
        head["RE"] = _told(game.result)
    told = "".join(f"{name}[{_escaped(value)}]" for name, value in head.items())
    moves = (
        f";{'BW'[ply % 2]}[{_LETTERS[cell % rules.columns]}{_LETTERS[cell // rules.columns]}]"
        for ply, (cell, _) in enumerate(game.moves)
    )
    return f"(;{told}\n{''.join(moves)})\n"


def _told(outcome: Outcome) -> str:
    if outcome.winner is None:
        return "Void" if outcome.reason is Reason.ABANDONMENT else "0"
    words = {Reason.RESIGNATION: "R", Reason.TIMEOUT: "T", Reason.LINE: ""}
    return f"{'B' if outcome.winner is Mark.X else 'W'}+{words.get(outcome.reason, 'F')}"


def _escaped(value: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", value)
