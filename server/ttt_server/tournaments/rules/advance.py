"""The automatic steps of a tournament: pair players, begin rounds, end. Pure."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import chain

from ttt_protocol.state import SessionId
from ttt_protocol.tournament.settings import Form, Result
from ttt_server.tournaments.rules import events
from ttt_server.tournaments.rules.decide import NameRoom
from ttt_server.tournaments.rules.forms import Field, Over, Pairing, Step, step_of
from ttt_server.tournaments.rules.values import Tournament

ABSENT_MS = 10_000
"""How long a player may miss a new arena game before the opponent is paired again."""


def next_step(it: Tournament, present: AbstractSet[SessionId], now: int) -> Step:
    """Return the next automatic step at `now`, in Unix ms; usually `None`."""
    if it.status != "running":
        return None
    step = step_of(it, present, now)
    return None if _waits(it, step) else step


def awaits_next(it: Tournament) -> bool:
    """Return whether the next round begins when the organiser says so."""
    if not it.settings.manual or it.status != "running" or it.open_games:
        return False
    return _waits(it, step_of(it, frozenset(), 0))


def _waits(it: Tournament, step: Step) -> bool:
    begins = isinstance(step, Field) or (
        isinstance(step, Pairing) and step.begins_round and bool(step.pairs)
    )
    return begins and it.settings.manual and it.called is None


def advance(
    it: Tournament, step: Pairing | Over | None, now: int, name_room: NameRoom
) -> events.Decision:
    """Return the events of a step, which must be the tournament's next one."""
    if step is None:
        return ()
    if isinstance(step, Over):
        if it.called:  # they may come back, and then a round may be possible
            return events.numbered(it.seq, now, events.Called(absent=None))
        return events.numbered(it.seq, now, events.Finished(early=step.early))
    return _paired(it, step, now, name_room)


def ended(it: Tournament, number: int, result: Result, reason: str, now: int) -> events.Decision:
    """Return the end of a game that was played; nothing if it already has a result."""
    game = it.game(number)
    if not game.is_open or it.status == "finished":
        return ()
    end = events.Ended(game=number, result=result, reason=reason)
    return events.numbered(it.seq, now, end)


def ended_all(
    it: Tournament, results: Iterable[tuple[int, Result, str]], now: int
) -> events.Decision:
    """Return the ends of several games, given as number, result and reason."""
    ends: dict[int, events.Decision] = {}
    for number, result, reason in results:
        ends.setdefault(number, ended(it, number, result, reason, now))
    return events.numbered(it.seq, now, *chain.from_iterable(ends.values()))


def absent(
    it: Tournament, number: int, away: AbstractSet[SessionId], away_ms: int, now: int
) -> events.Decision:
    """Return what follows from players being away from their game; nothing where they have days.

    Args:
        it: the tournament.
        number: of the game; nothing follows if it already has a result.
        away: its absent players.
        away_ms: how long they have been away.
        now: Unix ms.
    """
    game = it.game(number)
    is_on = game.is_open and it.status == "running"
    if not is_on or not away or it.settings.days is not None:
        return ()
    has_not_come = now - game.at - away_ms < ABSENT_MS // 2  # never came, or hardly
    if it.settings.form is Form.ARENA and has_not_come and away_ms >= ABSENT_MS:
        return ended(it, number, Result.VOID, "absent", now)
    if away_ms < it.settings.grace_s * 1000:
        return ()
    if game.X in away and game.O in away:
        result = Result.NEITHER
    else:
        result = Result.O if game.X in away else Result.X
    return ended(it, number, result, "absent", now)


def _paired(it: Tournament, pairing: Pairing, now: int, name_room: NameRoom) -> events.Decision:
    round_, bonus = it.round + pairing.begins_round, pairing.bye_points
    begun = [events.RoundBegun(round=round_)] * pairing.begins_round
    byes = (events.Byed(round=round_, player=player, bonus=bonus) for player in pairing.byes)
    games = (
        events.Paired(game=number, round=round_, room=name_room(number), **pair._asdict())
        for number, pair in enumerate(pairing.pairs, len(it.games) + 1)
    )
    return events.numbered(it.seq, now, *begun, *byes, *games)
