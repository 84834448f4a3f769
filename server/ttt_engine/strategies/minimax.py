"""Full minimax: every continuation to its end."""

from functools import cache

from ttt_engine.bitboard import cells_of
from ttt_engine.position import Position
from ttt_engine.rules import TIC_TAC_TOE, Rules
from ttt_engine.strategies.base import HIGHEST_LEVEL, Thought, require_level, require_playable
from ttt_engine.strategies.random import Random


class Minimax:
    """Never errs where it searches: when at most `level` cells are empty. Else plays at random.

    A thought's values are exact scores; see `Scores`.

    Raises:
        InvalidLevel: the level is not 0 to 9.
    """

    name = "minimax"
    levels = True
    about = "Plays perfectly once no more cells are empty than its level; at random before."
    boards = "every board; on 3x3, level 9 never loses"

    def __init__(self, level: int = HIGHEST_LEVEL) -> None:
        self.level = require_level(level)

    def plays(self, rules: Rules) -> bool:  # noqa: ARG002 - the protocol's; the answer is yes
        return True

    def think(self, position: Position) -> Thought:
        require_playable(self, position)
        empty = position.rules.cells - position.ply
        if empty > self.level:
            return Random().think(position)
        scores = _tic_tac_toe() if position.rules == TIC_TAC_TOE else Scores(position.rules)
        own, other = position.sides
        values = {cell: scores.of_move(own, other, 1 << cell) for cell in position.legal_moves}
        best = max(values.values())
        sign = "+1" if best > 0 else "-1" if best < 0 else "0"
        reason = "win" if best == empty else f"depth {empty}, {sign}"
        return Thought(tuple(cell for cell in values if values[cell] == best), reason, values)


class Scores:
    """The exact scores of one board's positions, each worked out once.

    A game won by the side to move scores 1 and the number of cells that are still empty at its
    end; a game lost, the same below 0; a draw 0. So on every board a win is worth more the sooner
    it comes, a loss the later, and any win more than a draw.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._known: dict[tuple[int, int], int] = {}

    def of_move(self, own: int, other: int, bit: int) -> int:
        """The score, for the side that holds `own`, of taking the cell `bit`."""
        own |= bit
        rules = self._rules
        if rules.lines.complete(own):
            return 1 + rules.cells - (own | other).bit_count()
        if own | other == rules.full:
            return 0
        return -self.of_position(other, own)

    def of_position(self, own: int, other: int) -> int:
        """The score of a game that goes on, for the side to move, which holds `own`."""
        key = own, other
        score = self._known.get(key)
        if score is None:
            best = self._rules.cells - (own | other).bit_count()  # a win at once
            score = -best
            for cell in cells_of(self._rules.playable(own | other)):
                score = max(score, self.of_move(own, other, 1 << cell))
                if score == best:
                    break
            self._known[key] = score
        return score


@cache
def _tic_tac_toe() -> Scores:
    """The scores of 3x3, shared by all; the first thought on the empty board fills them."""
    return Scores(TIC_TAC_TOE)
