"""Proofs of forced wins: fours and threes only, against every defence (proof-number search).

The attacker plays threats only: marks after which it wins at once (a four) or makes an open four
or two fours (a three), if the defender does nothing about it. The defender has all answers that
do not lose at once: its own fours, and each cell that stops every such win. So a win that is found
is certain. No win found says nothing: the attacker may have one by quiet moves.
"""

from typing import Final

from ttt_engine.bitboard import cells_of
from ttt_engine.outcome import Mark
from ttt_engine.position import Position
from ttt_engine.rules import Rules
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.threats.board import ThreatBoard, ThreatState

NEVER: Final = 1 << 30
"""The number of a proof that does not exist."""

MOST_NODES: Final = 1 << 15
"""The most that are held at a time. Each takes about 2 KB."""


class ProofNode:
    """A position of the proof, and how far the proof is: two counts, of which one is 0 at its end.

    `proof` is the least number of positions below that must still be shown won, `disproof` the
    least number to be shown not won.
    """

    __slots__ = ("attacks", "disproof", "is_grown", "kids", "plies", "proof", "state")

    def __init__(self, state: ThreatState, *, attacks: bool) -> None:
        self.state = state
        self.attacks = attacks
        self.proof = self.disproof = 1
        self.plies = 0
        """The plies to the end, once the win is proven: at most so many."""
        self.is_grown = False
        self.kids: list[tuple[int, ProofNode]] = []
        """The moves to look at and the nodes after them, once it is grown."""

    def win(self, plies: int) -> None:
        """The win is proven: in so many plies at most."""
        self.proof, self.disproof, self.plies = 0, NEVER, plies

    def count(self) -> bool:
        """Sum up the kids. Return whether the node is still open."""
        kids = [kid for _, kid in self.kids]
        if kids and self.attacks:
            self.proof = min([kid.proof for kid in kids])
            self.disproof = min(sum([kid.disproof for kid in kids]), NEVER)
        elif kids:
            self.proof = min(sum([kid.proof for kid in kids]), NEVER)
            self.disproof = min([kid.disproof for kid in kids])
        if not self.proof and kids:
            won = [kid.plies for kid in kids if not kid.proof]
            self.plies = 1 + (min(won) if self.attacks else max(won))
        return bool(self.proof and self.disproof)


Nodes = dict[tuple[int, int], ProofNode]
"""The nodes of proofs by the cells of the side to move and of the other side."""


class Proof:
    """Looks for a forced win of one side, the attacker."""

    def __init__(self, board: ThreatBoard, budget: Budget, nodes: Nodes | None = None) -> None:
        """Go on with the `nodes` of earlier proofs of the attacker's wins on this board, if any."""
        self._board = board
        self.budget = budget
        self._nodes: Nodes = {} if nodes is None else nodes

    def prove(self, state: ThreatState) -> ProofNode:
        """Return the node of a state in which the attacker moves, proven or disproven.

        Raises:
            Exhausted: the budget is spent, or the nodes are too many. Then all are forgotten.
        """
        root = self._node(state, attacks=True)
        while root.proof and root.disproof:
            self._grow(root, NEVER, NEVER)
        return root

    def first(self, node: ProofNode) -> int:
        """Return the cell with which the attacker wins soonest, in a node that is won."""
        if node.kids:
            return min((kid.plies, cell) for cell, kid in node.kids if not kid.proof)[1]
        mine, _ = self._board.threats(node.state)
        cells = mine.ends or mine.doubles
        return (cells & -cells).bit_length() - 1

    def _node(self, state: ThreatState, *, attacks: bool) -> ProofNode:
        key = state.own, state.other
        node = self._nodes.get(key)
        if node is None:
            self._nodes[key] = node = ProofNode(state, attacks=attacks)
            self._judge(node)
        return node

    def _judge(self, node: ProofNode) -> None:
        """Settle a node that is plain at a look, and guess the counts of the others."""
        if not node.attacks:
            ends = self._board.ends_made(node.state)
            if ends & ends - 1:
                node.win(2)
            elif not ends:
                node.proof = 2  # it has more than one answer to a three
            return
        ends, their_ends, doubles, tries = self._board.attack(node.state)
        if their_ends:
            tries &= their_ends
        if ends:
            node.win(1)
        elif their_ends & their_ends - 1 or not tries:
            node.proof, node.disproof = NEVER, 0  # these threats do not win
        elif doubles and not their_ends:
            node.win(3)
        else:
            node.disproof = tries.bit_count()

    def _expand(self, node: ProofNode) -> None:
        """Work out the kids of a node."""
        if len(self._nodes) >= MOST_NODES:
            self._nodes.clear()
            raise Exhausted
        board, state = self._board, node.state
        if node.attacks:
            _, their_ends, _, tries = board.attack(state)
            cells = their_ends or tries
        else:
            _, their_ends, _, doubles, _ = board.urgent(state)
            cells = their_ends or board.fours(state) | board.breakers(state, doubles)
        self.budget.spend(1 + cells.bit_count())
        node.kids = [
            (cell, self._node(board.place(state, cell), attacks=not node.attacks))
            for cell in cells_of(cells)
        ]
        node.is_grown = True
        if not node.kids:  # the defender has lost
            node.win(4)

    def _grow(self, node: ProofNode, most_proof: int, most_disproof: int) -> None:
        """Grow the tree below a node until one of its counts reaches its limit."""
        if not node.is_grown:
            self._expand(node)
        while node.count() and node.proof < most_proof and node.disproof < most_disproof:
            kids = [kid for _, kid in node.kids]
            if node.attacks:
                best, rival = _two_least([kid.proof for kid in kids])
                kid = kids[best]
                self._grow(
                    kid, min(most_proof, rival + 1), most_disproof - node.disproof + kid.disproof
                )
            else:
                best, rival = _two_least([kid.disproof for kid in kids])
                kid = kids[best]
                self._grow(kid, most_proof - node.proof + kid.proof, min(most_disproof, rival + 1))


def _two_least(counts: list[int]) -> tuple[int, int]:
    """Return where the least count is, and the least of the others."""
    best = counts.index(min(counts))
    others = counts[:best] + counts[best + 1 :]
    return best, min(others, default=NEVER)


class KeptProofs:
    """The nodes of the last thought's proofs: of wins of its side, and of wins of the other."""

    def __init__(self) -> None:
        self._last: tuple[Rules, Mark] | None = None
        self._tables: tuple[Nodes, Nodes] = {}, {}

    def tables(self, position: Position) -> tuple[Nodes, Nodes]:
        """Return the nodes to go on with: of wins of the side to move, and of wins of the other.

        The next thought finds those that its proofs add. Kept are the nodes with all marks of the
        position, and none if the last thought had other rules, or was that of the other side.
        """
        thought = position.rules, position.turn
        own, other = self._tables if thought == self._last else ({}, {})
        marks = position.x | position.o
        self._last, self._tables = thought, (_with(marks, own), _with(marks, other))
        return self._tables


def _with(marks: int, nodes: Nodes) -> Nodes:
    return {sides: node for sides, node in nodes.items() if not marks & ~(sides[0] | sides[1])}
