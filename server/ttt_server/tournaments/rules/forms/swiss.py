"""A Swiss: in rounds, against players with about as many points, no two players twice.

The pairing is the Dutch way in its main line (FIDE Handbook C.04.3): within each group of equal
points the upper half meets the lower half in order, and who is left floats to the next group.
Where that leads to a pair that has met, the next opponent in order is taken, and earlier choices
are taken back where nothing else helps.
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from ttt_protocol.state import SessionId
from ttt_server.tournaments.rules.forms.base import NOTHING, Pairing, by_standing, seated
from ttt_server.tournaments.rules.values import WIN, Entrant, Tournament

_MOST_STEPS = 200_000
"""Choices that are tried before the search for a perfect round is given up: about a second."""

Met = AbstractSet[frozenset[SessionId]]


class Swiss:
    """Pairs each round when the one before has ended."""

    def pairing(self, tournament: Tournament, present: AbstractSet[SessionId], now: int) -> Pairing:
        """Return the next round."""
        del present
        if tournament.open_games or self.is_over(tournament, now):
            return NOTHING
        met = tournament.met()
        for players, byes in _line_ups(tournament, met):
            pairs = pair_round(players, met)
            if pairs is not None:
                chosen = tuple(seated(first, second) for first, second in pairs)
                return Pairing(chosen, byes, bye_points=WIN)
        return NOTHING

    def is_over(self, tournament: Tournament, now: int) -> bool:
        """Return whether all rounds have been played, or no round without a repetition is left."""
        del now
        return tournament.round >= tournament.settings.rounds and not tournament.open_games


def pair_round(players: list[Entrant], met: Met) -> list[tuple[Entrant, Entrant]] | None:
    """Pair an even number of players, in the order of the standings; `None` if that cannot be."""
    preferred = [_preferences(players, at, met) for at in range(len(players))]
    partner: dict[int, int] = {}
    steps = 0
    stack: list[tuple[int, int]] = []
    """Players by index with the choice that was taken for each."""
    at, choice = 0, 0
    while True:
        while at < len(players) and at in partner:
            at += 1
        if at == len(players):
            return [(players[i], players[j]) for i, j in sorted(partner.items()) if i < j]
        options = preferred[at]
        while choice < len(options) and options[choice] in partner:
            choice += 1
        steps += 1
        if choice < len(options) and steps < _MOST_STEPS:
            other = options[choice]
            partner[at], partner[other] = other, at
            stack.append((at, choice))
            at, choice = at + 1, 0
        elif stack and steps < _MOST_STEPS:
            at, choice = stack.pop()
            del partner[partner.pop(at)]
            choice += 1
        else:
            return None


def _preferences(players: list[Entrant], at: int, met: Met) -> list[int]:
    """Return the opponents of a player, later in the standings, the best first."""
    player = players[at]
    group = [i for i, it in enumerate(players) if it.points == player.points]
    ideal = at + max(1, len(group) // 2)
    later = range(at + 1, len(players))
    allowed = (i for i in later if frozenset((player.id, players[i].id)) not in met)
    return sorted(allowed, key=lambda i: (player.points - players[i].points, abs(i - ideal), i))


def _line_ups(
    tournament: Tournament, met: Met
) -> Iterator[tuple[list[Entrant], tuple[SessionId, ...]]]:
    """Yield players in even numbers, and who is left over, the best way first.

    An odd player meets the stand-in, if there is one. Otherwise the last in the standings has a
    bye, and none has one twice before all had one.
    """
    players = by_standing(tournament)
    if len(players) % 2 == 0:
        yield players, ()
        return
    stand_in = tournament.stand_in
    if stand_in is not None and any(frozenset((stand_in.id, it.id)) not in met for it in players):
        yield [*players, stand_in], ()
    fewest = min(len(it.byes) for it in players)
    for left_over in reversed(players):
        if len(left_over.byes) == fewest:
            yield [it for it in players if it is not left_over], (left_over.id,)
