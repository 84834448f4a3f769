"""The boards of a simul."""

from tests.server.tournaments.rules.tournaments import Evening, names, stronger
from ttt_protocol.state import SessionId
from ttt_protocol.tournament.commands import Excuse
from ttt_protocol.tournament.settings import EarlyEnd, Form


def test_the_first_player_plays_all_others_at_once() -> None:
    evening = Evening(Form.SIMUL, names(4))
    evening.start()
    evening.step()
    assert [(game.X, game.O) for game in evening.it.games] == [
        ("p1", "p2"),
        ("p3", "p1"),
        ("p1", "p4"),
    ]


def test_a_late_player_gets_a_board_while_others_play() -> None:
    evening = Evening(Form.SIMUL, names(2))
    evening.start()
    evening.step()
    evening.enter("p3")
    evening.step()
    assert len(evening.it.open_games) == 2
    evening.play_on(stronger)
    assert evening.it[SessionId("p1")].wins == 2


def test_it_ends_when_the_one_withdraws_and_when_all_do() -> None:
    evening = Evening(Form.SIMUL, names(2))
    evening.start()
    evening.tell(Excuse(player=SessionId("p1")))
    evening.step()
    assert evening.it.status == "finished"
    evening = Evening(Form.SIMUL, names(2))
    evening.start()
    for player in names(2):
        evening.tell(Excuse(player=player))
    evening.step()
    assert evening.it.status == "finished"


def test_it_ends_early_only_when_boards_are_left_unplayed() -> None:
    evening = Evening(Form.SIMUL, names(3))
    evening.start()
    evening.play_on(stronger)
    assert evening.it.ended_early is None
    evening = Evening(Form.SIMUL, names(3))
    evening.start()
    evening.tell(Excuse(player=SessionId("p1")))
    evening.step()
    assert evening.it.ended_early is EarlyEnd.WITHDREW


def test_a_stand_in_is_not_the_host() -> None:
    evening = Evening(Form.SIMUL, names(3), stand_in={"strategy": "rules"})
    evening.start()
    evening.step()
    assert all("p1" in (game.X, game.O) for game in evening.it.games)
