"""A match: two players, several games, alternating sides, until it is decided."""

from ttt_protocol.tournament.settings import EarlyEnd
from ttt_server.tournaments.rules.forms.base import Over, Pair, Pairing, Step
from ttt_server.tournaments.rules.values import WIN, Tournament


def match(it: Tournament) -> Step:
    """Return the next game, unless the match is decided."""
    if it.open_games:
        return None
    entrants = [each for each in it.entrants.values() if not each.is_stand_in]
    players = [each for each in entrants if each.last_seat] or list(it.active)
    if len(players) < 2:
        return Over(EarlyEnd.WITHDREW)
    first, second = players[:2]
    played = sum(game.counts for game in it.games)
    left = it.settings.games - played
    if left <= 0 or abs(first.points - second.points) > WIN * left:
        return Over()
    if not (first.is_active and second.is_active):
        return Over(EarlyEnd.WITHDREW)
    return Pairing((Pair(first.id, second.id) if played % 2 == 0 else Pair(second.id, first.id),))
