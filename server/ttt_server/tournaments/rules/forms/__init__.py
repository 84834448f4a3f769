"""The forms of tournaments: each decides who plays whom next. Pure."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet

from ttt_protocol.state import SessionId
from ttt_protocol.tournament.settings import Form
from ttt_server.tournaments.rules.forms.arena import arena
from ttt_server.tournaments.rules.forms.base import Field, Over, Pair, Pairing, Step
from ttt_server.tournaments.rules.forms.knockout import Tie, bracket, knockout
from ttt_server.tournaments.rules.forms.match import match
from ttt_server.tournaments.rules.forms.round_robin import round_robin
from ttt_server.tournaments.rules.forms.simul import simul
from ttt_server.tournaments.rules.forms.swiss import swiss
from ttt_server.tournaments.rules.values import Tournament

_IN_ROUNDS: dict[Form, Callable[[Tournament], Step]] = {
    Form.SWISS: swiss,
    Form.ROUND_ROBIN: round_robin,
    Form.KNOCKOUT: knockout,
    Form.MATCH: match,
    Form.SIMUL: simul,
}

__all__ = ["Field", "Over", "Pair", "Pairing", "Step", "Tie", "bracket", "step_of"]


def step_of(it: Tournament, present: AbstractSet[SessionId], now: int) -> Step:
    """Return the next step of a running tournament by the rules of its form.

    Args:
        it: the tournament.
        present: the players who are connected; only an arena asks.
        now: Unix ms.
    """
    if it.settings.form is Form.ARENA:
        return arena(it, present, now)
    return _IN_ROUNDS[it.settings.form](it)
