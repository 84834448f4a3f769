"""Pair a round of a Swiss by maximum-weight matching. Pure, but slow.

The priorities are those of the Dutch system (FIDE Handbook C.04.3) in its main line:

1. No two players meet twice, and everybody is paired. An odd player meets the stand-in or has a
   bye; no player has a second bye before all have had one.
2. Nobody plays one side three times in a row, or three times more often than the other side.
3. The bye goes to the player with the fewest points, then the most games, then the lowest rank.
   A latecomer who has not played yet is the last choice.
4. Opponents have similar points.
5. Sides alternate.
6. In each group of equal points the upper half meets the lower half in order, and a player left
   over meets the first of the next group.

Importing networkx takes 0.2 s and a round of 500 players about a second, so `pairing_worker` runs
this in its own process.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from heapq import nsmallest
from typing import NamedTuple

import networkx as nx

from ttt_protocol.tournament.settings import EarlyEnd
from ttt_server.tournaments.rules.forms import Candidate, Field, Over, Pair, Pairing
from ttt_server.tournaments.rules.values import WIN

_NEAR = (6, 24)
"""How many of each player's best opponents to consider: first 6, then 24, then all."""

_MUST = 3
"""The strength of a wish for a seat that is granted wherever a pairing allows."""

_BITS = 30
"""Each part of a cost has this many bits: enough for its sum over 1000 players."""


class _Edge(NamedTuple):
    """Two candidates that may be paired, by index; one past the last is the bye."""

    cost: int
    first: int
    second: int


def find_round(field: Field) -> Pairing | Over:
    """Return the next round, or `Over` if none exists."""
    candidates = field.candidates
    everyone = range(len(candidates))
    matched = _matched(candidates, everyone)
    people = [at for at in everyone if not candidates[at].is_stand_in]
    if not matched and len(people) < len(candidates):
        matched = _matched(candidates, people)  # with a bye instead
    if not matched:
        return Over(EarlyEnd.NO_PAIRING)
    bye = len(candidates)
    return Pairing(
        tuple(_seated(candidates, *pair) for pair in matched if bye not in pair),
        tuple(candidates[first].id for first, second in matched if second == bye),
        bye_points=WIN,
    )


def _matched(candidates: Sequence[Candidate], nodes: Sequence[int]) -> list[tuple[int, int]]:
    """Return the best pairing of these candidates, in order; empty if there is none."""
    edges = [*_pairs(candidates, nodes)]
    if len(nodes) % 2:
        edges += _byes(candidates, nodes)
    one_broken = 1 << 4 * _BITS
    unbroken = [edge for edge in edges if edge.cost < one_broken]
    for near in _NEAR:
        if matched := _perfect(_nearest(unbroken, near), len(nodes)):
            return matched
    return _perfect(edges, len(nodes))


def _pairs(candidates: Sequence[Candidate], nodes: Sequence[int]) -> Iterator[_Edge]:
    wishes = [_wish(each.seats) for each in candidates]
    first_of: dict[int, int] = {}
    size: defaultdict[int, int] = defaultdict(int)
    for at, node in enumerate(nodes):
        first_of.setdefault(candidates[node].points, at)
        size[candidates[node].points] += 1
    for at, one in enumerate(nodes):
        points, wish = candidates[one].points, wishes[one]
        met = set(candidates[one].opponents)
        middle = at + size[points] // 2
        last = first_of[points] + size[points] - 1
        for to in range(at + 1, len(nodes)):
            other = nodes[to]
            if other in met:
                continue
            gap = points - candidates[other].points
            off = to - middle if gap == 0 else last - at + to - first_of[candidates[other].points]
            clash = min(abs(wish), abs(wishes[other])) if wish * wishes[other] > 0 else 0
            broken = (clash == _MUST) << 4 * _BITS
            cost = broken + (gap * gap << 2 * _BITS) + (clash << _BITS) + off * off
            yield _Edge(cost, one, other)


def _byes(candidates: Sequence[Candidate], nodes: Sequence[int]) -> Iterator[_Edge]:
    fewest = min(candidates[at].byes for at in nodes)

    def turn(at: int) -> tuple[bool, int, int, int]:
        one = candidates[at]
        return one.is_late, one.points, -len(one.seats), -at

    eligible = sorted((at for at in nodes if candidates[at].byes == fewest), key=turn)
    for place, at in enumerate(eligible):
        yield _Edge(place << 3 * _BITS, at, len(candidates))


def _nearest(edges: Sequence[_Edge], near: int) -> set[_Edge]:
    """Return each player's cheapest edges, and those to neighbours in rank, for floaters."""
    of: defaultdict[int, list[_Edge]] = defaultdict(list)
    for edge in edges:
        of[edge.first].append(edge)
        of[edge.second].append(edge)
    kept: set[_Edge] = set()
    for own in of.values():
        kept.update(nsmallest(near, own), nsmallest(near, own, lambda it: it.second - it.first))
    return kept


def _perfect(edges: Sequence[_Edge] | set[_Edge], nodes: int) -> list[tuple[int, int]]:
    """Return the cheapest perfect matching; empty if there is none."""
    graph = nx.Graph()
    most = max((edge.cost for edge in edges), default=0)
    graph.add_weighted_edges_from((one, other, most - cost) for cost, one, other in sorted(edges))
    matched = nx.max_weight_matching(graph, maxcardinality=True)
    return sorted((min(pair), max(pair)) for pair in matched) if 2 * len(matched) >= nodes else []


def _wish(seats: str) -> int:
    """Return how much a player is due to play X; negative for O.

    Source: FIDE Handbook C.04.3, A.6: an absolute, a strong and a mild preference.
    """
    balance = _balance(seats)
    last_two = seats[-2:]
    if balance >= 2 or (last_two == "XX" and balance > -2):
        return -_MUST
    if balance <= -2 or last_two == "OO":
        return _MUST
    if balance:
        return -2 * balance
    return {"X": -1, "O": 1, "": 0}[seats[-1:]]


def _seated(candidates: Sequence[Candidate], first: int, second: int) -> Pair:
    """Seat two players, by C.04.3, E.

    The stronger wish for a seat wins. Between equal wishes the seats alternate from the last
    round in which they differed; after that the higher player's wish, or the rank, decides.
    """
    one, other = candidates[first], candidates[second]
    wish, others_wish = _wish(one.seats), _wish(other.seats)
    balance, others_balance = _balance(one.seats), _balance(other.seats)
    backwards = zip(reversed(one.seats), reversed(other.seats), strict=False)
    if wish != others_wish:
        is_x = wish > others_wish
    elif balance != others_balance:
        is_x = balance < others_balance
    elif differ := next((seat for seat, others in backwards if seat != others), None):
        is_x = differ == "O"
    else:
        is_x = wish > 0 or (wish == 0 and first % 2 == 0)
    return Pair(one.id, other.id) if is_x else Pair(other.id, one.id)


def _balance(seats: str) -> int:
    return seats.count("X") - seats.count("O")
