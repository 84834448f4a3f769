"""A simul: the player who entered first plays all others at once, sides changing by board."""

from collections.abc import Set as AbstractSet

from ttt_protocol.state import SessionId
from ttt_server.tournaments.rules.forms.base import NOTHING, Pair, Pairing
from ttt_server.tournaments.rules.values import Tournament


class Simul:
    """Pairs the first player with every other, once."""

    def pairing(self, tournament: Tournament, present: AbstractSet[SessionId], now: int) -> Pairing:
        """Return the boards of the players who have none yet; who comes late is one of them."""
        del present, now
        if not tournament.active:
            return NOTHING
        one = next(iter(tournament.entrants.values()))
        if not one.is_active:
            return NOTHING
        met = tournament.met()
        boards = len(tournament.games)
        pairs: list[Pair] = []
        for other in tournament.active:
            if other is not one and frozenset((one.id, other.id)) not in met:
                is_x = (boards + len(pairs)) % 2 == 0
                pairs.append(Pair(one.id, other.id) if is_x else Pair(other.id, one.id))
        return Pairing(tuple(pairs), begins_round=not tournament.round)

    def is_over(self, tournament: Tournament, now: int) -> bool:
        """Return whether every board is finished."""
        return not tournament.open_games and not self.pairing(tournament, frozenset(), now).pairs
