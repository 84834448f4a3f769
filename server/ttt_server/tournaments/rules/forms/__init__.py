"""The forms of tournaments: who plays whom next, and is it over. Pure."""

from ttt_protocol.tournament.settings import Form
from ttt_server.tournaments.rules.forms.arena import Arena
from ttt_server.tournaments.rules.forms.base import FormRules, Pair, Pairing
from ttt_server.tournaments.rules.forms.knockout import Knockout, Tie, bracket
from ttt_server.tournaments.rules.forms.match import Match
from ttt_server.tournaments.rules.forms.round_robin import RoundRobin
from ttt_server.tournaments.rules.forms.simul import Simul
from ttt_server.tournaments.rules.forms.swiss import Swiss

FORMS: dict[Form, FormRules] = {
    Form.ARENA: Arena(),
    Form.SWISS: Swiss(),
    Form.ROUND_ROBIN: RoundRobin(),
    Form.KNOCKOUT: Knockout(),
    Form.MATCH: Match(),
    Form.SIMUL: Simul(),
}

__all__ = ["FORMS", "FormRules", "Pair", "Pairing", "Tie", "bracket"]
