"""An independent check of forced wins: a plain walk over every legal answer.

It shares no code with the engine: the marks of a side are a set of cells, and so is a line.
"""

from collections.abc import Mapping, Sequence

Cells = frozenset[int]

Answers = Mapping[tuple[Cells, Cells], int]
"""By its own marks and those of the other the move of the side that claims to win."""


class NotWonError(Exception):
    """The claimed win has a hole: the moves that lead there."""


def check_win(size: int, in_a_row: int, moves: Sequence[int], answers: Answers) -> None:
    """Check that the side to move wins with these answers, on a square board.

    The answers may be silent where it wins at once, or makes two threats at once that the other
    side cannot meet.

    Raises:
        NotWonError: after some legal answer it does not win.
    """
    first, second = frozenset(moves[::2]), frozenset(moves[1::2])
    own, other = (second, first) if len(moves) % 2 else (first, second)
    _Walk(size, in_a_row, answers).attack(own, other)


class _Walk:
    def __init__(self, size: int, in_a_row: int, answers: Answers) -> None:
        self.board = frozenset(range(size * size))
        self.answers = answers
        self.lines: list[Cells] = []
        for row in range(size):
            for column in range(size):
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    places = [(row + i * down, column + i * right) for i in range(in_a_row)]
                    if all(0 <= r < size and 0 <= c < size for r, c in places):
                        self.lines.append(frozenset(r * size + c for r, c in places))
        self.done: set[tuple[Cells, Cells]] = set()
        self.last_double = -1

    def attack(self, own: Cells, other: Cells) -> None:
        if (own, other) in self.done or self.completing(own, other):
            return
        cell = self.answers.get((own, other))
        if cell is None:
            cell = self.double(own, other)
        if cell in own | other:
            raise NotWonError(sorted(own), sorted(other))
        self.defend(own | {cell}, other)
        self.done.add((own, other))

    def defend(self, own: Cells, other: Cells) -> None:
        threats = self.completing(own, other)
        if self.completing(other, own):
            raise NotWonError(sorted(own), sorted(other))
        if len(threats) > 1:
            return
        # With one threat any other answer loses at once.
        for cell in threats or self.board - own - other:
            self.attack(own, other | {cell})

    def double(self, own: Cells, other: Cells) -> int:
        """Return a cell that leaves two completing cells, while the other side has none."""
        if not self.completing(other, own):
            free = self.board - own - other
            for cell in (self.last_double, *self.lacking(own, other, 2)):
                if cell in free and len(self.completing(own | {cell}, other)) > 1:
                    self.last_double = cell
                    return cell
        raise NotWonError(sorted(own), sorted(other))

    def completing(self, own: Cells, other: Cells) -> Cells:
        """Return the cells that complete a line."""
        return self.lacking(own, other, 1)

    def lacking(self, own: Cells, other: Cells, few: int) -> Cells:
        """Return the free cells of the lines that lack so many marks."""
        found: set[int] = set()
        for line in self.lines:
            left = line - own
            if len(left) == few and not left & other:
                found |= left
        return frozenset(found)
