"""A round-robin: all play all, by the Berger tables.

Source: FIDE Handbook C.05, annex 1. The last player stays in place while the others rotate; with
an odd number of players, the last place is a bye.
"""

from math import ceil

from ttt_protocol.state import SessionId
from ttt_protocol.tournament.settings import EarlyEnd
from ttt_server.tournaments.rules.forms.base import Over, Pair, Pairing, Step
from ttt_server.tournaments.rules.values import Entrant, Tournament


def round_robin(it: Tournament) -> Step:
    """Return the next round. The table is played `games` times, with sides swapped each time.

    Withdrawals may leave a round without games.
    """
    if it.open_games:
        return None
    players = players_of(it)
    cycle, number = divmod(it.round, rounds_of(len(players)))
    if cycle >= it.settings.games:
        return Over()
    if len(it.active) < 2:
        return Over(EarlyEnd.WITHDREW)
    pairs: list[Pair] = []
    byes: list[SessionId] = []
    for i, j in berger(len(players), number):
        if max(i, j) == len(players):
            left_over = players[min(i, j)]
            byes += [left_over.id] if left_over.is_active else []
        elif players[i].is_active and players[j].is_active:
            x, o = (players[i], players[j]) if cycle % 2 == 0 else (players[j], players[i])
            pairs.append(Pair(x.id, o.id))
    return Pairing(tuple(pairs), tuple(byes))


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


def players_of(it: Tournament) -> list[Entrant]:
    """Return everyone who ever entered, in that order, without a stand-in."""
    return [each for each in it.entrants.values() if not each.is_stand_in]
