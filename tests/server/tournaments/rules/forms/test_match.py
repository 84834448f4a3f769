"""The games of a match."""

from tests.server.tournaments.rules.tournaments import Evening, names, stronger
from ttt_protocol.state import SessionId
from ttt_protocol.tournament.commands import Excuse
from ttt_protocol.tournament.settings import Form, Result


def test_sides_change_and_all_games_are_played() -> None:
    evening = Evening(Form.MATCH, names(2), games=4)
    evening.start()
    evening.play_on(lambda _: Result.DRAW)
    assert [game.X for game in evening.it.games] == ["p1", "p2", "p1", "p2"]


def test_it_ends_when_it_is_decided() -> None:
    evening = Evening(Form.MATCH, names(2), games=10)
    evening.start()
    evening.play_on(stronger)
    assert len(evening.it.games) == 6


def test_it_ends_when_a_player_withdraws() -> None:
    evening = Evening(Form.MATCH, names(2), games=10)
    evening.start()
    evening.tell(Excuse(player=SessionId("p2")))
    evening.step()
    assert evening.it.status == "finished"
