"""Column strings: the columns of four in a row on 7x6, one digit a move, from 1. Pure.

    44536            and after a space perhaps its score, as the sets of tests have it

Solvers of the game write so; see http://blog.gamesolver.org/solving-connect-four/02-test-protocol/
"""

import re

from ttt_protocol.exports.notation import board_name
from ttt_protocol.exports.plain_game import Move, NoSuchForm, PlainGame
from ttt_protocol.state import Rules

_RULES = Rules(columns=7, rows=6, in_a_row=4, gravity=True)
LINE = re.compile(r"([1-7]{1,42})(?:[ \t]+-?\d{1,2})?")


def read_columns(line: str) -> PlainGame:
    """Return the game of a line.

    Raises:
        ValueError: a column is full, or the line has another form.
    """
    if not (found := LINE.fullmatch(line)):
        raise ValueError("a column string has a digit from 1 to 7 for each move, as 44536")
    heights = [0] * _RULES.columns
    moves = []
    for ply, digit in enumerate(found[1], 1):
        column = int(digit) - 1
        if heights[column] == _RULES.rows:
            raise ValueError(f"move {ply}: column {digit} is full")
        heights[column] += 1
        moves.append(Move((_RULES.rows - heights[column]) * _RULES.columns + column))
    return PlainGame(_RULES, tuple(moves))


def as_columns(game: PlainGame) -> str:
    """Return the game as a line.

    Raises:
        NoSuchForm: it is played on another board.
    """
    if game.rules != _RULES:
        raise NoSuchForm(f"{board_name(game.rules)}: column strings are for 7x6x4g")
    return "".join(str(cell % _RULES.columns + 1) for cell, _ in game.moves) + "\n"
