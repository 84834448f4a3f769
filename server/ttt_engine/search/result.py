"""What a search makes of a position."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ttt_engine.bitboard import cells_of
from ttt_engine.position import Position
from ttt_engine.search.budget import Budget
from ttt_engine.search.options import options_of
from ttt_engine.search.rounds import Rounds
from ttt_engine.search.state import board_of
from ttt_engine.search.value import sign


@dataclass(frozen=True, slots=True)
class Judgement:
    """Cells to choose from, and what is proven."""

    value: int | None
    """1, 0 or -1 if the side to move wins, draws or loses when both play best; None: not solved."""

    cells: tuple[int, ...]
    """The best cells found: ascending, never empty."""

    values: Mapping[int, int] = field(hash=False)
    """By cell its proven value, 1, 0 or -1. A cell that is left out is not solved."""

    reason: str
    """As in a thought: "win", "block", "draw", "depth 7, +1" when solved, "depth 6" when not."""

    estimate: int = field(default=0, compare=False)
    """The search's opinion where it is not solved: above 0 it is good for the side to move."""


def judge(position: Position, budget: Budget) -> Judgement:
    """Judge a position in which the game goes on, as far as the budget goes."""
    plain = judge_at_once(position)
    if plain is not None and plain.value is not None:
        return plain
    rounds = Rounds(position, budget)
    rounds.run()
    value, values, legal = rounds.value, rounds.values, position.legal_moves
    cells: tuple[int, ...] = (rounds.best,)
    if value == 0:
        cells = tuple(cell for cell in legal if values.get(cell) == 0)
    elif value == -1:
        values = dict.fromkeys(legal, -1)
    if plain is not None:  # one cell to block; all others lose
        told = {**plain.values, **values}
        return Judgement(value, plain.cells, told, plain.reason, rounds.estimate)
    found = "" if value is None else f", {value:+}" if value else ", 0"
    return Judgement(value, cells, values, f"depth {rounds.depth}{found}", rounds.estimate)


def judge_at_once(position: Position) -> Judgement | None:
    """What can be told without a search, of a position in which the game goes on.

    That is a win in one, a threat to block, and a game that no one can win any more. Where one
    cell blocks, the value may be None all the same. None: a search is needed.
    """
    rules = position.rules
    state = board_of(rules).state(position)
    playable = rules.playable(state.own | state.other)
    wins, threats = cells_of(state.own_ends & playable), cells_of(state.other_ends & playable)
    if wins:
        return Judgement(1, wins, dict.fromkeys(wins, 1), "win")
    legal = position.legal_moves
    value = options_of(rules, state).value
    if value is not None:
        value = sign(value)
        reason = "block" if threats else "depth 2, -1" if value else "draw"
        return Judgement(value, threats or legal, dict.fromkeys(legal, value), reason)
    if threats:
        lost = {cell: -1 for cell in legal if cell not in threats}
        return Judgement(None, threats, lost, "block")
    return None
