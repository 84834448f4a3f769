"""A round-robin: all play all, by the Berger tables.

Source: FIDE Handbook C.05, annex 1. The last player stays, and the others go round; with an odd
number of players the last one is a bye.
"""

from collections.abc import Set as AbstractSet
from math import ceil

from ttt_protocol.state import SessionId
from ttt_server.tournaments.rules.forms.base import NOTHING, Pair, Pairing
from ttt_server.tournaments.rules.values import Entrant, Tournament


class RoundRobin:
    """Plays the rounds of the table `games` times, sides changed each time."""

    def pairing(self, tournament: Tournament, present: AbstractSet[SessionId], now: int) -> Pairing:
        """Return the next round, without the games of players who have withdrawn."""
        del present
        if tournament.open_games or self.is_over(tournament, now):
            return NOTHING
        players = _players(tournament)
        cycle, number = divmod(tournament.round, rounds_of(len(players)))
        pairs: list[Pair] = []
        byes: list[SessionId] = []
        for i, j in berger(len(players), number):
            if max(i, j) == len(players):
                byes.append(players[min(i, j)].id)
            elif players[i].is_active and players[j].is_active:
                x, o = (players[i], players[j]) if cycle % 2 == 0 else (players[j], players[i])
                pairs.append(Pair(x.id, o.id))
        return Pairing(tuple(pairs), tuple(byes))

    def is_over(self, tournament: Tournament, now: int) -> bool:
        """Return whether the whole table has been played."""
        del now
        rounds = rounds_of(len(_players(tournament))) * tournament.settings.games
        return tournament.round >= rounds and not tournament.open_games


def rounds_of(players: int) -> int:
    """Return how many rounds it takes until all have met."""
    return 2 * ceil(players / 2) - 1


def berger(players: int, number: int) -> list[tuple[int, int]]:
    """Return the pairs of a round as indices, X first; `players` itself is a bye.

    Args:
        players: at least two.
        number: the round, from 0.
    """
    last = 2 * ceil(players / 2) - 1
    shift = number * ((last + 1) // 2) % last
    first = (shift, last) if number % 2 == 0 else (last, shift)
    return [first, *(((shift + k) % last, (shift - k) % last) for k in range(1, (last + 1) // 2))]


def _players(tournament: Tournament) -> list[Entrant]:
    """Return all players who have been there since the first round, in the order of entering."""
    return [it for it in tournament.entrants.values() if not it.is_stand_in]
