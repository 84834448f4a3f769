"""With gravity: who runs out of harmless moves first, and has to let the other side win."""

from typing import Final

from ttt_engine.bitboard import bitboard
from ttt_engine.rules import Rules


class Columns:
    """Plays a position to its end in the plainest way, as people count columns to see who wins.

    A cell that completes a line is out of reach until the one below it is taken, and who takes
    that one gives the other side its turn on the cell above. So both fill what is harmless first.
    Then the side to move must play below such cells: below one of its own, which the other blocks,
    as long as there are any; at last below one of the other's, and loses.
    """

    def __init__(self, rules: Rules) -> None:
        self._width: Final = rules.columns
        self._columns: Final = tuple(
            bitboard(range(column, rules.cells, rules.columns)) for column in range(rules.columns)
        )

    def run_out(self, free: int, own_ends: int, other_ends: int) -> int:
        """1 if that way the side to move wins, -1 if it loses, 0 if nobody does.

        Args:
            free: the cells without a mark.
            own_ends: those that complete a line of the side to move; none is playable now.
            other_ends: the same for the other side.
        """
        harmless = free.bit_count()
        waiting: dict[int, int] = {}  # by column the lowest cell that completes a line
        for column in self._columns:
            ends = (own_ends | other_ends) & column
            if ends:
                waiting[column] = lowest = ends.bit_length() - 1
                harmless -= self._and_above(lowest)
        side = 1
        while waiting:
            if harmless & 1:
                side = -side
                own_ends, other_ends = other_ends, own_ends
            column = next((one for one, end in waiting.items() if not other_ends >> end & 1), 0)
            if not column:
                return -side
            blocked = waiting.pop(column)
            above = column & (1 << blocked) - 1
            harmless = above.bit_count()
            ends = (own_ends | other_ends) & above
            if ends:
                lowest = ends.bit_length() - 1
                if lowest == blocked - self._width:
                    # At once in reach: a win, or to be blocked like any harmless cell. What lies
                    # further up is left out.
                    if own_ends >> lowest & 1:
                        return side
                else:
                    waiting[column] = lowest
                    harmless -= self._and_above(lowest)
        return 0

    def _and_above(self, end: int) -> int:
        """How many cells are not harmless for this end: the one below it, itself, and all above."""
        return end // self._width + 2
