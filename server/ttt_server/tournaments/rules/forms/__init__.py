"""The forms of tournaments: each decides who plays whom next. Pure."""

from ttt_protocol.tournament.settings import Form
from ttt_server.tournaments.rules.forms.arena import arena
from ttt_server.tournaments.rules.forms.base import Field, FormRules, Over, Pair, Pairing, Step
from ttt_server.tournaments.rules.forms.knockout import Tie, bracket, knockout
from ttt_server.tournaments.rules.forms.match import match
from ttt_server.tournaments.rules.forms.round_robin import round_robin
from ttt_server.tournaments.rules.forms.simul import simul
from ttt_server.tournaments.rules.forms.swiss import swiss

FORMS: dict[Form, FormRules] = {
    Form.ARENA: arena,
    Form.SWISS: swiss,
    Form.ROUND_ROBIN: round_robin,
    Form.KNOCKOUT: knockout,
    Form.MATCH: match,
    Form.SIMUL: simul,
}

__all__ = ["FORMS", "Field", "FormRules", "Over", "Pair", "Pairing", "Step", "Tie", "bracket"]
