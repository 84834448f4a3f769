"""A match: two players, several games, sides changing, until it is decided."""

from collections.abc import Set as AbstractSet

from ttt_protocol.state import SessionId
from ttt_server.tournaments.rules.forms.base import NOTHING, Pair, Pairing
from ttt_server.tournaments.rules.values import WIN, Entrant, Tournament


class Match:
    """Plays one game after the other between the first two players."""

    def pairing(self, tournament: Tournament, present: AbstractSet[SessionId], now: int) -> Pairing:
        """Return the next game."""
        del present
        if tournament.open_games or self.is_over(tournament, now):
            return NOTHING
        first, second = _players(tournament)
        pair = Pair(first.id, second.id)
        return Pairing((pair if _played(tournament) % 2 == 0 else Pair(pair.O, pair.X),))

    def is_over(self, tournament: Tournament, now: int) -> bool:
        """Return whether the games are played, or one player cannot be caught up with."""
        del now
        players = _players(tournament)
        if len(players) < 2 or not all(it.is_active for it in players):
            return True
        left = tournament.settings.games - _played(tournament)
        lead = abs(players[0].points - players[1].points)
        return left <= 0 or lead > WIN * left


def _players(tournament: Tournament) -> list[Entrant]:
    return [it for it in tournament.entrants.values() if not it.is_stand_in][:2]


def _played(tournament: Tournament) -> int:
    return sum(game.counts for game in tournament.games)
