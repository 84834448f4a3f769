"""SGF, the Smart Game Format FF[4]. Pure.

    (;FF[4]GM[4]SZ[15]RU[15x15x5]PB[ada]PW[bob]RE[B+Resign];B[hh];W[hg])

`GM[4]` is Gomoku and Renju; the format has no number for tic-tac-toe or four in a row. Programs
write the name of such a game in place of the number, and so does this. `RU` has the board as an
export names it. B is X. A point is a letter for the column and one for the row from the top; a
number counts the row from the bottom, as in records of Gomoku. Of variations the first is read.

Sources: https://www.red-bean.com/sgf/properties.html, and for names http://dashstofsk.net/sgf.html
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from ttt_protocol.codes import Reason
from ttt_protocol.exports.notation import MOST_IN_FILES, board_name, board_of
from ttt_protocol.exports.plain_game import Move, NoSuchForm, PlainGame
from ttt_protocol.state import Mark, Outcome, Rules

Node = dict[str, str]
"""The first value of each property."""

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
    return re.sub(r"([\]\\:])", r"\\\1", value)
