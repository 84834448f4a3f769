"""Questions to a program."""

from typing import Any

from ttt_protocol.bots.language import BotTurn
from ttt_protocol.codes import Choice, Opening
from ttt_protocol.state import Mark, Rules

GOMOKU = Rules(columns=15, rows=15, in_a_row=5)


def build_turn(*moves: int, rules: Rules | None = None, **changes: Any) -> BotTurn:
    """Build the question after these moves; `changes` replace its fields."""
    rules = rules or Rules()
    board = ["."] * (rules.columns * rules.rows)
    for ply, cell in enumerate(moves):
        board[cell] = "XO"[ply % 2]
    seat = Mark.O if len(moves) % 2 else Mark.X
    legal = tuple(cell for cell, mark in enumerate(board) if mark == ".")
    return BotTurn(1, rules, seat, "".join(board), moves, legal, 1000)._replace(**changes)


def build_choosing(*moves: int, rules: Rules | None = None, **changes: Any) -> BotTurn:
    """Build the question what to choose after these moves, or the first of a pie opening."""
    asked = {"legal": (), "opening": Opening.PIE, "choices": (Choice.STAY, Choice.SWAP)}
    return build_turn(*(moves or (0,)), rules=rules, **asked | changes)
