"""An arena: players are paired as soon as they are free, with players of about as many points."""

from collections.abc import Set as AbstractSet

from ttt_protocol.state import SessionId
from ttt_server.tournaments.rules.forms.base import NOTHING, Pair, Pairing, seated
from ttt_server.tournaments.rules.values import Entrant, Tournament

REMATCH_AFTER_MS = 10_000
"""Two who have just met are paired again only when no other player was free for so long."""


class Arena:
    """Pairs free players with their neighbours in the standings, and not the same two again."""

    def pairing(self, tournament: Tournament, present: AbstractSet[SessionId], now: int) -> Pairing:
        """Pair players who are free and present."""
        if self.is_over(tournament, now):
            return NOTHING
        busy = tournament.busy
        free = sorted(
            (
                it
                for it in tournament.active
                if it.id not in busy and (it.ai is not None or it.id in present)
            ),
            key=lambda it: (-it.points, it.number),
        )
        pairs: list[Pair] = []
        while len(free) > 1:
            player = free.pop(0)
            at = next((i for i, it in enumerate(free) if _may_meet(player, it, now)), None)
            if at is not None:
                other = free.pop(at)
                pairs.append(seated(player, other)._replace(again=_have_just_met(player, other)))
        return Pairing(tuple(pairs), begins_round=not tournament.round)

    def is_over(self, tournament: Tournament, now: int) -> bool:
        """Return whether the time is over; games under way still count."""
        return tournament.ends_at is not None and now >= tournament.ends_at


def _may_meet(player: Entrant, other: Entrant, now: int) -> bool:
    if player.ai is not None and other.ai is not None:
        return False  # programs are there for the people
    both_free_since = max(player.free_since, other.free_since)
    return not _have_just_met(player, other) or now - both_free_since >= REMATCH_AFTER_MS


def _have_just_met(player: Entrant, other: Entrant) -> bool:
    return player.last_opponent == other.id and other.last_opponent == player.id
