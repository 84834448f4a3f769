"""Contradictions between an event and the tournament before it. Pure.

`decide` and `advance` give no event that contradicts its tournament, so the server carries events
out unchecked. Logs that come from elsewhere are checked here, by asking the same rules again.
"""

from typing import assert_never

from ttt_protocol.state import RoomName, SessionId
from ttt_protocol.tournament import commands
from ttt_protocol.tournament.settings import Form
from ttt_server.core.errors import Refused
from ttt_server.tournaments.rules import decide, events
from ttt_server.tournaments.rules.advance import ended
from ttt_server.tournaments.rules.values import Tournament

_Pairing = events.RoundBegun | events.Byed | events.Paired
_Free = events.Opened | events.Invited | events.Renamed | events.Removed | events.Announced
"""Events that no rule forbids, whenever they come."""


def contradiction(it: Tournament, event: events.TournamentEvent) -> str | None:
    """Return what `event` contradicts in the tournament before it, as what "event 5" does or is.

    `None` if the rules may have given it, as far as the tournament tells: not who was connected,
    so not which players were to be paired. Nor whether two names look alike.
    This does not look for what `evolve` refuses.
    """
    if isinstance(event, events.Opened) is not (it.seq == 0):
        return "opens the event again" if it.seq else "comes before the event is opened"
    if isinstance(event, _Free):
        return None
    try:
        if isinstance(event, _Pairing):
            return _of_pairing(it, event)
        decision = _decided(it, event)
    except Refused as refused:
        return f"is against the rules: {refused.reason}"
    return None if _is_first(event, decision) else "is none that follows by the rules"


def _is_first(event: events.TournamentEvent, decision: events.Decision) -> bool:
    """Return whether a decision begins with this event, but for a name or why it ends early."""
    free = event.model_dump(include={"name", "early"})
    return any(given.model_copy(update=free) == event for given in decision[:1])


def _decided(
    it: Tournament,
    event: events.Entered
    | events.Withdrew
    | events.Returned
    | events.DoorsSet
    | events.Begun
    | events.Paused
    | events.Resumed
    | events.Finished
    | events.Ended
    | events.Corrected,
) -> events.Decision:
    """Return what follows from the command, or the result of a game, that leads to such an event.

    Raises:
        Refused: nothing does.
    """
    now = event.at
    match event:
        case events.Entered(stand_in=True):
            wished = commands.Create(settings=it.settings)
            return decide.create(Tournament(it.name), wished, _NEW, now)[it.seq :]
        case events.Entered() if event.ai is not None:
            return _organised(it, commands.AddAi(ai=event.ai), now)
        case events.Entered():
            return decide.enter(it, event.player, event.name, now, is_bot=event.bot)
        case events.Withdrew(player=player):
            return _organised(it, commands.Excuse(player=player), now)
        case events.Returned(player=player) if it[player].status == "removed":
            return decide.enter(it, player, it[player].name, now)
        case events.Returned(player=player):
            return decide.command_of_player(it, player, commands.Return(), now)
        case events.DoorsSet(open=is_open):
            return _organised(it, commands.Doors(open=is_open), now)
        case events.Begun():
            return _organised(it, commands.Start(), now)
        case events.Paused():
            return _organised(it, commands.Pause(), now)
        case events.Resumed():
            return _organised(it, commands.Resume(), now)
        case events.Finished():
            return _organised(it, commands.Finish(), now)
        case events.Ended(game=number, result=result, reason=reason):
            return ended(it, number, result, reason, now)
        case events.Corrected(game=number, result=result):
            return _organised(it, commands.SetResult(game=number, result=result), now)
        case _:
            assert_never(event)


_NEW = SessionId("new")
"""An id in place of those that chance gives; no event that is checked has it."""


def _organised(it: Tournament, command: commands.OrganiserCommand, now: int) -> events.Decision:
    return decide.command_of_organiser(it, command, now, lambda _: RoomName(_NEW), lambda: _NEW)


def _of_pairing(it: Tournament, event: _Pairing) -> str | None:
    """Return what a step of a pairing contradicts.

    A simul pairs its host with all others at once, and a Swiss its stand-in even when it is gone.

    Raises:
        Refused: by the rules of pairs.
    """
    decide.require_status(it, "running", "paused")
    if isinstance(event, events.RoundBegun):
        is_next = event.round == it.round + 1
        return None if is_next else f"begins round {event.round} after round {it.round}"
    # A game that replaces another in an arena or a simul may be of an earlier round.
    if event.round > it.round or (isinstance(event, events.Byed) and event.round < it.round):
        return f"is of round {event.round} in round {it.round}"
    if isinstance(event, events.Paired) and it.settings.form is not Form.SIMUL:
        x, o = it[event.X], it[event.O]
        if not (x.is_stand_in or o.is_stand_in):
            decide.require_pairable(it, x.id, o.id)
    return None
