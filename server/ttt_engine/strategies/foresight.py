"""What is plain a move or two ahead, under any rules."""

from collections import Counter
from typing import Final, NamedTuple

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.position import SMALLEST, GridPosition, Position
from ttt_engine.rules import Rules
from ttt_engine.strategy import Cost, best_of

_IN_A_TURN: Final = 2
"""The most marks of a turn, in a game where a turn has several."""


class Foresight(NamedTuple):
    """Legal cells, ascending. Where one wins, the others are not looked at."""

    wins: tuple[int, ...]
    """Those that win at once, or begin to in a turn of several marks."""
    safe: tuple[int, ...]
    """Those that neither lose at once nor let the other side win at once."""
    forces: tuple[int, ...]
    """The safe ones after which each move of the other side loses at once."""


def cost_of_foresight(rules: Rules) -> Cost:
    """Return the cost of a look ahead: without a grid it plays each move and each answer to it."""
    if rules.variant is None:
        return Cost.INSTANT if rules.cells == SMALLEST else Cost.SHORT
    is_short = rules.cells == SMALLEST or isinstance(Position.start(rules), GridPosition)
    return Cost.SHORT if is_short else Cost.LONG


def foresee(position: Position) -> Foresight:
    """Look ahead in a position in which the game goes on."""
    if position.marks is not None:
        return _in_turns(position)
    if not isinstance(position, GridPosition):
        return _by_the_rules(position)
    return _where_lines_lose(position) if position.rules.loses else _where_lines_win(position)


def _where_lines_win(position: GridPosition) -> Foresight:
    own, other = position.sides
    legal, ends = bitboard(position.legal_moves), position.rules.lines.ends
    threats = ends(other) & legal
    return Foresight(cells_of(ends(own) & legal), cells_of(threats or legal), ())


def _where_lines_lose(position: GridPosition) -> Foresight:
    rules = position.rules
    own, other = position.sides
    safe = cells_of(bitboard(position.legal_moves) & ~rules.lines.ends(own))
    lost_to_other = rules.lines.ends(other)
    forces = []
    for cell in safe:
        answers = rules.playable(own | other | 1 << cell)
        if answers and not answers & ~lost_to_other:
            forces.append(cell)
    return Foresight((), safe, tuple(forces))


def _in_turns(position: Position) -> Foresight:
    """Look at the lines that lack no more marks than a turn has, in games without other rules."""
    own, other = position.sides
    marks = position.marks or 1
    wins = 0
    blocks: Counter[int] = Counter()
    for line in position.rules.lines.masks:
        if not line & other and (line & ~own).bit_count() <= marks:
            wins |= line & ~own
        if not line & own and (line & ~other).bit_count() <= _IN_A_TURN:
            blocks.update(cells_of(line & ~other))
    return Foresight(cells_of(wins), best_of(blocks) if blocks else position.legal_moves, ())


def _by_the_rules(position: Position) -> Foresight:
    turn = position.turn
    wins, safe, forces = [], [], []
    for cell in position.legal_moves:
        after = position.play(cell)
        outcome = after.outcome()
        if outcome is not None:
            if outcome.winner is turn:
                wins.append(cell)
            elif outcome.winner is None:
                safe.append(cell)
        elif not wins:
            ends = [after.play(answer).outcome() for answer in after.legal_moves]
            winners = {None if end is None else end.winner for end in ends}
            if turn.other not in winners:
                safe.append(cell)
                if winners == {turn}:
                    forces.append(cell)
    return Foresight(tuple(wins), tuple(safe), tuple(forces))
