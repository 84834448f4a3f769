"""Check an event against the tournament before it. Pure.

The server applies its own events unchecked, since `decide` and `advance` never contradict the
tournament. Logs from elsewhere are checked here, by asking the same rules again.
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
"""Events that are allowed at any time."""

_OfPlayers = events.Entered | events.Withdrew | events.Returned | events.DoorsSet
_OfCourse = events.Begun | events.Called | events.Paused | events.Resumed | events.Finished
_OfResults = events.Ended | events.Corrected


def contradiction(it: Tournament, event: events.TournamentEvent) -> str | None:
    """Return how `event` contradicts the tournament, as words that continue "event 5".

    Return `None` if the rules may have produced it. The tournament does not know who was
    connected, so this cannot check who should have been paired, nor whether names look alike.
    What `evolve` refuses is not checked again.
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
    return None if _is_first(event, decision) else "does not follow from the rules"


def _is_first(event: events.TournamentEvent, decision: events.Decision) -> bool:
    """Return whether a decision begins with this event, ignoring names and why it ended."""
    free = event.model_dump(include={"name", "early"})
    return any(given.model_copy(update=free) == event for given in decision[:1])


def _decided(it: Tournament, event: _OfPlayers | _OfCourse | _OfResults) -> events.Decision:
    """Return what follows from the command or result that leads to such an event.

    Raises:
        Refused: if nothing does.
    """
    now = event.at
    match event:
        case events.Entered(stand_in=True):
            wished = commands.Create(settings=it.settings)
            return decide.create(Tournament(it.name), wished, _NEW, now)[it.seq :]
        case events.Entered() if event.ai is not None:
            return _organised(it, commands.AddAi(ai=event.ai), now)
        case events.Entered():
            return decide.enter(
                it, event.player, event.name, now, is_bot=event.bot, person=event.person
            )
        case events.Withdrew(player=player):
            return _organised(it, commands.Excuse(player=player), now)
        case events.Returned(player=player) if it[player].status == "removed":
            return decide.enter(it, player, it[player].name, now)
        case events.Returned(player=player):
            return decide.command_of_player(it, player, commands.Return(), now)
        case events.DoorsSet(open=is_open):
            return _organised(it, commands.Doors(open=is_open), now)
        case events.Begun():
            # Servers before 0.2 began an arena for less than two players.
            is_arena = it.settings.form is Form.ARENA
            return decide.start(it, now, least=0 if is_arena else 2)
        case events.Called(absent=absent):
            if absent is None:
                return (event,) if it.called else ()
            return decide.call_round(it, frozenset(absent), now)
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
"""Stands for a random id; it occurs in no event that is checked."""


def _organised(it: Tournament, command: commands.OrganiserCommand, now: int) -> events.Decision:
    return decide.command_of_organiser(it, command, now, lambda _: RoomName(_NEW), lambda: _NEW)


def _of_pairing(it: Tournament, event: _Pairing) -> str | None:
    """Return how a step of a pairing contradicts the tournament.

    A simul pairs its host with everyone at once, and a Swiss pairs its stand-in even when it has
    left.

    Raises:
        Refused: if the two may not be paired.
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
