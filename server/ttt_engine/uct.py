"""Monte Carlo tree search: UCT with proofs, on any game of which positions can be played.

It asks of a position only `turn`, `legal_moves`, `play` and `outcome`, so it plays every variant,
and `playout`, which a variant may do faster than move by move.

Sources: Kocsis and Szepesvári, "Bandit based Monte-Carlo Planning" (2006); Winands, Björnsson and
Saito, "Monte-Carlo PlayoutTree Search Solver" (2008).
"""

from math import log, sqrt
from random import Random
from typing import Final

from ttt_engine.mark import Mark
from ttt_engine.outcome import Value
from ttt_engine.position import Position

EXPLORATION: Final = 0.7
"""The weight of what was rarely tried, against what did well; measured by the arena."""


class Node:
    """A position in the tree, seen by the side that moved into it."""

    __slots__ = (
        "cell",
        "children",
        "has_draw",
        "mover",
        "points",
        "position",
        "proven",
        "turn",
        "untried",
        "visits",
    )

    def __init__(self, position: Position, mover: Mark, cell: int) -> None:
        self.position = position
        self.mover = mover
        self.cell = cell
        """The move that led here."""
        self.turn = position.turn
        self.visits = 0
        self.points = 0.0
        """One for each game that the mover won, half for each draw."""
        self.proven: Value | None = None
        """What the mover gets with best play, once that is certain."""
        self.untried: list[int] = []
        """The cells without a child, once somebody has looked."""
        self.children: list[Node] = []
        self.has_draw = False
        """Whether the side to move has a proven draw, so that it need not lose."""

    @property
    def worth(self) -> float:
        """What the mover expects, from -1 to 1."""
        if self.proven is not None:
            return float(self.proven)
        return 2 * self.points / self.visits - 1 if self.visits else 0.0

    def look(self) -> None:
        """See which moves end the game. One that wins proves the node."""
        turn, position = self.turn, self.position
        untried = []
        for cell in position.legal_moves:
            after = position.play(cell)
            outcome = after.outcome()
            if outcome is None:
                untried.append(cell)
                continue
            child = Node(after, turn, cell)
            child.proven = 0 if outcome.winner is None else 1 if outcome.winner is turn else -1
            self.children.append(child)
        self.untried = untried
        self.prove()

    def prove(self) -> None:
        """Take over what the children prove."""
        best: Value = -1
        is_open = bool(self.untried)
        for child in self.children:
            proven = child.proven
            if proven is None:
                is_open = True
            elif proven > best:
                best = proven
        if best == 1 or not is_open:
            self.proven = best if self.mover is self.turn else _NEGATED[best]
        self.has_draw = best == 0

    def add_child(self, random: Random) -> "Node":
        """Make a node of a cell that was not tried."""
        untried = self.untried
        index = int(random.random() * len(untried))
        cell = untried[index]
        untried[index] = untried[-1]
        untried.pop()
        child = Node(self.position.play(cell), self.turn, cell)
        self.children.append(child)
        return child

    def best_child(self) -> "Node":
        """Return the child to visit: not proven, and doing well or rarely visited."""
        weight = EXPLORATION * sqrt(log(self.visits))
        best, highest = self.children[0], -1.0
        for child in self.children:
            if child.proven is None:
                visits = child.visits
                score = child.points / visits + weight / sqrt(visits)
                if score > highest:
                    best, highest = child, score
        return best


_NEGATED: Final[dict[int, Value]] = {-1: 1, 0: 0, 1: -1}


class PlayoutTree:
    """The tree below a position in which the game goes on."""

    def __init__(self, position: Position, random: Random) -> None:
        self.root = Node(position, position.turn, -1)
        """Its mover is the side to move, so that its values are for that side."""
        self._random = random
        self.root.look()

    def grow(self) -> None:
        """Play one game: down the tree, then at random, and count it on the way."""
        node = self.root
        path = [node]
        while not node.untried:
            node = node.best_child()
            path.append(node)
        node = node.add_child(self._random)
        path.append(node)
        node.look()
        if node.proven is None:
            self._count(path, node.position.playout(self._random))
        else:
            self._count_proven(path)

    def _count_proven(self, path: list[Node]) -> None:
        """Carry the proof of the last node up as far as it goes, and count its result."""
        last = path[-1]
        for index in range(len(path) - 2, -1, -1):
            node = path[index]
            node.prove()
            if node.proven is None:
                break
            last = node
        mover = last.mover
        self._count(path, None if not last.proven else mover if last.proven == 1 else mover.other)

    @staticmethod
    def _count(path: list[Node], winner: Mark | None) -> None:
        for node in reversed(path):
            if node.has_draw and winner is not node.turn:
                winner = None
            node.visits += 1
            if winner is None:
                node.points += 0.5
            elif winner is node.mover:
                node.points += 1.0

    @property
    def is_decided(self) -> bool:
        """Whether more games would change nothing: the value is proven, or one move is legal."""
        return self.root.proven is not None or len(self.root.position.legal_moves) == 1

    def best(self) -> tuple[int, ...]:
        """Return the best moves, ascending: the proven ones, or else the most visited."""
        children = self.root.children
        if self.root.proven in {0, 1}:
            return tuple(sorted(one.cell for one in children if one.proven == self.root.proven))
        if not children:
            return self.root.position.legal_moves
        highest = max(map(_rank, children))
        return tuple(sorted(one.cell for one in children if _rank(one) == highest))

    def expected(self) -> int:
        """Return how many moves the tree expects from here on, as far as it goes."""
        node, count = self.root, 0
        while node.children:
            node = max(node.children, key=_rank)
            count += 1
        return count


def _rank(node: Node) -> tuple[int, int]:
    """Rank a move: a proven win first, a proven loss last, and else by visits."""
    return node.proven or 0, node.visits
