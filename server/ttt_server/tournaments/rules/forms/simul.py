"""A simul: the first player to enter plays all others at once, alternating sides."""

from ttt_protocol.tournament.settings import EarlyEnd
from ttt_server.tournaments.rules.forms.base import Over, Pair, Pairing, Step
from ttt_server.tournaments.rules.values import Tournament


def simul(it: Tournament) -> Step:
    """Return the games of players who have none yet, latecomers included."""
    host = next(each for each in it.entrants.values() if not each.is_stand_in)
    met = it.met()
    pairs: list[Pair] = []
    for other in it.active if host.is_active else ():
        if other is not host and frozenset((host.id, other.id)) not in met:
            is_x = (len(it.games) + len(pairs)) % 2 == 0
            pairs.append(Pair(host.id, other.id) if is_x else Pair(other.id, host.id))
    if pairs:
        return Pairing(tuple(pairs), begins_round=not it.round)
    if it.open_games:
        return None
    return Over() if host.is_active and it.games else Over(EarlyEnd.WITHDREW)
