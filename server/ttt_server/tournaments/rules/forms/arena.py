"""An arena: free players are paired at once, with players of similar points."""

from collections.abc import Set as AbstractSet

from ttt_protocol.state import SessionId
from ttt_server.tournaments.rules.forms.base import Over, Pair, Pairing, Step, seated
from ttt_server.tournaments.rules.values import Entrant, Tournament

REMATCH_AFTER_MS = 10_000
"""Two who have just met are paired again once no other player was free for this long."""


def arena(it: Tournament, present: AbstractSet[SessionId], now: int) -> Step:
    """Pair players who are free and present with their neighbours in the standings.

    When the time is over, the games under way still count.
    """
    if it.ends_at is not None and now >= it.ends_at:
        return None if it.open_games else Over()
    busy = it.busy
    free = [
        each
        for each in it.active
        if each.id not in busy and (each.ai is not None or each.id in present)
    ]
    free.sort(key=lambda each: (-each.points, each.number))
    pairs: list[Pair] = []
    while len(free) > 1:
        player = free.pop(0)
        at = next((i for i, each in enumerate(free) if _may_meet(player, each, now)), None)
        if at is not None:
            other = free.pop(at)
            pairs.append(seated(player, other)._replace(again=_have_just_met(player, other)))
    return Pairing(tuple(pairs), begins_round=not it.round) if pairs else None


def _may_meet(player: Entrant, other: Entrant, now: int) -> bool:
    if player.ai is not None and other.ai is not None:
        return False  # AIs are there for the people
    both_free_since = max(player.free_since, other.free_since)
    return not _have_just_met(player, other) or now - both_free_since >= REMATCH_AFTER_MS


def _have_just_met(player: Entrant, other: Entrant) -> bool:
    return player.last_opponent == other.id and other.last_opponent == player.id
