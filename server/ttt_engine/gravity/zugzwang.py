"""With gravity: find the side that runs out of harmless moves first and loses."""

from typing import Final

from ttt_engine.bitboard import bitboard
from ttt_engine.rules import Rules


class Columns:
    """Plays a position to its end in the plainest way, as players count columns.

    A cell that completes a line is out of reach until the cell below it is taken. To take that cell
    gives the other side its turn on the cell above. So both sides fill harmless cells first. Then
    the side to move must play below such cells: first below its own, which the other side blocks,
    and at last below one of the other side, and loses.
    """

    def __init__(self, rules: Rules) -> None:
        self._width: Final = rules.columns
        self._columns: Final = tuple(
            bitboard(range(column, rules.cells, rules.columns)) for column in range(rules.columns)
        )

    def run_out(self, free: int, own_ends: int, other_ends: int) -> int:
        """Return 1 if the side to move wins that way, -1 if it loses, 0 if neither side wins.

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
                    # In reach at once: a win, or a cell to block, which is as good as harmless.
                    # Cells further up are ignored.
                    if own_ends >> lowest & 1:
                        return side
                else:
                    waiting[column] = lowest
                    harmless -= self._and_above(lowest)
        return 0

    def _and_above(self, end: int) -> int:
        """Return the number of cells that are not harmless: the end, the cell below, all above."""
        return end // self._width + 2
