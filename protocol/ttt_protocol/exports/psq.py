"""The form `.psq` of Piskvork, in which Gomocup keeps its games. Pure.

    Piskvorky 15x15, 11:11, 0       the board; levels; 1 if the second player began
    8,8,1200                        column and row from 1, and the milliseconds
    ENGINE1.zip                     the players
    ENGINE2.zip
    -1                              how it ended, which is seen on the board
    0,Freestyle15_1                 Gomocup's name of the league, from which the rule follows

The form only knows five in a row. Source: https://github.com/plastovicka/Piskvork, in
`source/game.cpp`.
"""

import re
from collections.abc import Sequence

from ttt_protocol.exports.notation import MOST_IN_FILES, board_name, board_of
from ttt_protocol.exports.plain_game import Move, NoSuchForm, PlainGame

BEGINNING = "Piskvorky "
_HEAD = re.compile(r"Piskvorky (\d{1,3})x(\d{1,3}), *-?\d+:-?\d+, *([01])")
_MOVE = re.compile(r"(\d{1,3}), *(\d{1,3})(?:, *(-?\d{1,9}))?")
_LEAGUE = re.compile(r"\d+,(\w+)")
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
        elif not re.fullmatch(r"-?\d+", line):
            names.append(re.sub(r"\.(zip|exe)$", "", line))
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
    lines += [game.x, game.o, "-1", f"0,{'Standard' if rules.exact else 'Freestyle'}"]
    return "\n".join([*lines, ""])
