"""Monte Carlo tree search: it plays many games to their end, and learns from how they go.

It is UCT with proofs, and asks of a position only `turn`, `legal_moves`, `play` and `outcome`, so
it plays every variant, and `playout`, which a variant may do faster than move by move.

Sources: Kocsis and Szepesvári, "Bandit based Monte-Carlo Planning" (2006); Winands, Björnsson and
Saito, "Monte-Carlo Tree Search Solver" (2008).
"""

from collections.abc import Callable
from math import log, sqrt
from random import Random
from typing import Final

from ttt_engine.builtin import Builtin, long_cost, told
from ttt_engine.outcome import Mark, Value
from ttt_engine.position import Position
from ttt_engine.search.negamax import WON, depth_reason
from ttt_engine.search.result import SearchResult
from ttt_engine.strategy import EVERY, HIGHEST_LEVEL, Thought, require_level, require_playable
from ttt_engine.tracing.steps import Tell

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


FEWEST: Final = 30
"""The playouts of level 0. Each level has twice those of the one below."""

FEW: Final = 3
"""How many cells an unproven result names at most."""

MOST_SECONDS: Final = 2.0
"""The longest thought with a clock."""

PACE: Final = 400_000
"""How many cells of playouts count as one second without a clock: 5 000 boards of 81."""

_RESERVE: Final = 0.03
"""The share of the time reserved for the last playout and the answer."""


class Mcts(Builtin):
    """Plays games in its mind, more of those that do well, until its playouts or its time are over.

    It needs nothing but the rules, so it plays every variant. It stops as soon as it has a proof.
    With a clock, such as `time.monotonic`, it also stops after `seconds`. Without one it counts
    playouts only, and the same position always gets the same thought.

    The values of a thought are what it expects of a cell: from -1, a loss, to 1, a win.

    Args:
        level: 0 to 9; see `FEWEST`.
        clock: returns seconds.
        seconds: the time for a thought.
        playouts: their number, in place of the level's.
        seed: of the random games.

    Raises:
        InvalidLevel: the level is not 0 to 9.
    """

    name = "mcts"
    levels = True
    cost = staticmethod(long_cost)
    parts = ("clock", "seconds")
    about = "Plays many random games in its mind, and the move that wins most of them."
    boards = "every board and variant"
    variants = EVERY

    def __init__(
        self,
        level: int = HIGHEST_LEVEL,
        clock: Callable[[], float] | None = None,
        seconds: float = MOST_SECONDS,
        *,
        playouts: int | None = None,
        seed: int = 0,
    ) -> None:
        self.level = require_level(level)
        self.seconds = seconds
        self._clock = clock
        self._playouts = FEWEST << level if playouts is None else playouts
        self._seed = seed

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        tree = self._grown(position)
        values = {child.cell: child.worth for child in tree.root.children}
        values = {cell: values[cell] for cell in sorted(values)}
        return told(Thought(tree.best(), _reason(tree), values), tell)

    def search(self, position: Position) -> SearchResult:
        """Return what the playouts prove of the position, and estimate of its value.

        Of many cells that were tried as often, it names the few that did best. Without a reason it
        saw no further than a move.

        Raises:
            GameOver: the game has its outcome.
        """
        tree = self._grown(position)
        values = {one.cell: one.proven for one in tree.root.children if one.proven is not None}
        value, worth = tree.root.proven, int(WON * tree.root.worth)
        cells, reason = tree.best(), _reason(tree)
        if value is None and len(cells) > FEW:
            worths = {one.cell: one.worth for one in tree.root.children}
            cells = tuple(sorted(sorted(cells, key=lambda cell: -worths.get(cell, 0))[:FEW]))
            reason = reason if tree.expected() > 1 else ""
        return SearchResult(value, cells, values, reason, worth)

    def worth(self, position: Position) -> int:
        """Return the value of the position for the side to move: see `openings.choose`."""
        return self.search(position).estimate

    def _grown(self, position: Position) -> PlayoutTree:
        deadline = None if self._clock is None else self._clock() + self.seconds * (1 - _RESERVE)
        require_playable(self, position)
        tree = PlayoutTree(position, Random(self._seed))
        playouts = self._playouts
        if self._clock is None:
            playouts = min(playouts, int(self.seconds * PACE / position.rules.cells))
        for _ in range(max(1, playouts)):
            if tree.is_decided:
                break
            tree.grow()
            if self._clock is not None and deadline is not None and self._clock() >= deadline:
                break
        return tree


def _reason(tree: PlayoutTree) -> str:
    proven, depth = tree.root.proven, tree.expected()
    if proven == 1 and depth == 1:
        return "win"
    return depth_reason(depth, proven)
