"""A tournament as messages show it."""

from tests.server.tournaments.rules.tournaments import Evening, names
from ttt_protocol.state import AiSetting
from ttt_protocol.tournament.commands import AddAi, Remove
from ttt_protocol.tournament.messages import RemovedPlayer, RemovedPlayers
from ttt_protocol.tournament.settings import Form
from ttt_server.tournaments.view import removed_players, tournament_state

P1, P2 = names(2)


def test_those_who_were_removed_are_told_apart_from_the_standings() -> None:
    evening = Evening(Form.ARENA, (P1, P2))
    ai = AiSetting(strategy="rules", level=None)
    evening.tell(AddAi(ai=ai))
    assert removed_players(evening.it) == RemovedPlayers(players=())
    for row in tournament_state(evening.it, set(), evening.now).standings:
        evening.tell(Remove(player=row.id, may_return=row.id == P2))
    first, second = [RemovedPlayer(id=it, name=it, may_return=it == P2) for it in (P1, P2)]
    assert removed_players(evening.it) == RemovedPlayers(players=(first, second)), "but for the AI"
    assert tournament_state(evening.it, set(), evening.now).standings == ()
    evening.enter(P2)
    assert removed_players(evening.it) == RemovedPlayers(players=(first,))
