"""A Swiss: rounds against players with similar points; no two meet twice.

`swiss` decides who takes part in the next round; `matching.find_round` pairs them.
"""

from collections import defaultdict

from ttt_protocol.state import SessionId
from ttt_protocol.tournament.settings import EarlyEnd
from ttt_server.tournaments.rules.forms.base import Candidate, Field, Over, Step
from ttt_server.tournaments.rules.values import Tournament


def swiss(it: Tournament) -> Step:
    """Return the players of the next round when the one before has ended."""
    if it.open_games:
        return None
    if it.round >= it.settings.rounds:
        return Over()
    if len(it.active) < 2:
        return Over(EarlyEnd.WITHDREW)
    return field_of(it)


def field_of(it: Tournament) -> Field:
    """Return the players to be paired, by points and then in the order of entering."""
    taking_part = [each for each in it.active if each.id not in (it.called or ())]
    stand_in = it.stand_in
    if stand_in is not None and len(taking_part) % 2:
        taking_part.append(stand_in)
    taking_part.sort(key=lambda each: (-each.points, each.is_stand_in, each.number))
    index = {each.id: at for at, each in enumerate(taking_part)}
    seats: defaultdict[SessionId, str] = defaultdict(str)
    opponents: defaultdict[SessionId, list[int]] = defaultdict(list)
    for game in it.games:
        if not game.is_void:
            seats[game.X] += "X"
            seats[game.O] += "O"
            if game.X in index and game.O in index:
                opponents[game.X].append(index[game.O])
                opponents[game.O].append(index[game.X])
    return Field(
        tuple(
            Candidate(
                each.id,
                each.points,
                "" if each.is_stand_in else seats[each.id],
                tuple(opponents[each.id]),
                len(each.byes),
                is_late=it.round > 0 and not seats[each.id] and not each.byes,
                is_stand_in=each.is_stand_in,
            )
            for each in taking_part
        )
    )
