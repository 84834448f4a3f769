"""Contradictions between an event and the tournament before it. Pure.

`decide` and `advance` give no event that contradicts its tournament, so the server carries events
out unchecked. Logs that come from elsewhere are checked here, by asking the same rules again.
"""

from typing import assert_never

from ttt_protocol.state import RoomName, SessionId
from ttt_protocol.tournament.commands import (
    AddAi,
    Create,
    Doors,
    Excuse,
    Finish,
    OrganiserCommand,
    Pause,
    Resume,
    Return,
    SetResult,
    Start,
)
from ttt_protocol.tournament.settings import Form
from ttt_server.core.errors import Refused
from ttt_server.tournaments.rules.advance import ended
from ttt_server.tournaments.rules.decide import (
    command_of_organiser,
    command_of_player,
    create,
    enter,
    require_pairable,
    require_status,
)
from ttt_server.tournaments.rules.events import (
    Announced,
    Begun,
    Byed,
    Corrected,
    Decision,
    DoorsSet,
    Ended,
    Entered,
    Finished,
    Invited,
    Opened,
    Paired,
    Paused,
    Removed,
    Renamed,
    Resumed,
    Returned,
    RoundBegun,
    TournamentEvent,
    Withdrew,
)
from ttt_server.tournaments.rules.values import Tournament

_Pairing = RoundBegun | Byed | Paired
_Free = Opened | Invited | Renamed | Removed | Announced
"""Events that no rule forbids, whenever they come."""


def contradiction(it: Tournament, event: TournamentEvent) -> str | None:
    """Return what `event` contradicts in the tournament before it, as what "event 5" does or is.

    `None` if the rules may have given it, as far as the tournament tells: not who was connected,
    so not which players were to be paired. Nor whether two names look alike.
    This does not look for what `evolve` refuses.
    """
    if isinstance(event, Opened) is not (it.seq == 0):
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


def _is_first(event: TournamentEvent, decision: Decision) -> bool:
    """Return whether a decision begins with this event, but for the name of a player."""
    name = event.model_dump(include={"name"})
    return any(given.model_copy(update=name) == event for given in decision[:1])


def _decided(
    it: Tournament,
    event: Entered
    | Withdrew
    | Returned
    | DoorsSet
    | Begun
    | Paused
    | Resumed
    | Finished
    | Ended
    | Corrected,
) -> Decision:
    """Return what follows from the command, or the result of a game, that leads to such an event.

    Raises:
        Refused: nothing does.
    """
    now = event.at
    match event:
        case Entered(stand_in=True):
            return create(Tournament(it.name), Create(settings=it.settings), _NEW, now)[it.seq :]
        case Entered() if event.ai is not None:
            return _organised(it, AddAi(ai=event.ai), now)
        case Entered():
            return enter(it, event.player, event.name, now, is_bot=event.bot)
        case Withdrew(player=player):
            return _organised(it, Excuse(player=player), now)
        case Returned(player=player) if it[player].status == "removed":
            return enter(it, player, it[player].name, now)
        case Returned(player=player):
            return command_of_player(it, player, Return(), now)
        case DoorsSet(open=is_open):
            return _organised(it, Doors(open=is_open), now)
        case Begun():
            return _organised(it, Start(), now)
        case Paused():
            return _organised(it, Pause(), now)
        case Resumed():
            return _organised(it, Resume(), now)
        case Finished(early=early):
            return tuple(
                each.model_copy(update={"early": early}) for each in _organised(it, Finish(), now)
            )
        case Ended(game=number, result=result, reason=reason):
            return ended(it, number, result, reason, now)
        case Corrected(game=number, result=result):
            return _organised(it, SetResult(game=number, result=result), now)
        case _:
            assert_never(event)


_NEW = SessionId("new")
"""An id in place of those that chance gives; no event that is checked has it."""


def _organised(it: Tournament, command: OrganiserCommand, now: int) -> Decision:
    return command_of_organiser(it, command, now, lambda _: RoomName(_NEW), lambda: _NEW)


def _of_pairing(it: Tournament, event: _Pairing) -> str | None:
    """Return what a step of a pairing contradicts.

    A simul pairs its host with all others at once, and a Swiss its stand-in even when it is gone.

    Raises:
        Refused: by the rules of pairs.
    """
    require_status(it, "running", "paused")
    if isinstance(event, RoundBegun):
        is_next = event.round == it.round + 1
        return None if is_next else f"begins round {event.round} after round {it.round}"
    # A game that replaces another in an arena or a simul may be of an earlier round.
    if event.round > it.round or (isinstance(event, Byed) and event.round < it.round):
        return f"is of round {event.round} in round {it.round}"
    if isinstance(event, Paired) and it.settings.form is not Form.SIMUL:
        x, o = it[event.X], it[event.O]
        if not (x.is_stand_in or o.is_stand_in):
            require_pairable(it, x.id, o.id)
    return None
