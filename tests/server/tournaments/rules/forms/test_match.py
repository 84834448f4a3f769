"""The games of a match."""

from tests.server.tournaments.rules.tournaments import Evening, names, stronger
from ttt_protocol.state import SessionId
from ttt_protocol.tournament.commands import Excuse, Return
from ttt_protocol.tournament.settings import EarlyEnd, Form, Result
from ttt_server.tournaments.rules.decide import command_of_player


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
    evening.play_round(lambda _: Result.DRAW)
    evening.tell(Excuse(player=SessionId("p2")))
    evening.step()
    assert evening.it.status == "finished"
    assert evening.it.ended_early is EarlyEnd.WITHDREW


def test_a_match_that_is_decided_does_not_end_early() -> None:
    evening = Evening(Form.MATCH, names(2), games=3)
    evening.start()
    evening.play_on(stronger)
    assert evening.it.ended_early is None


def test_players_who_left_before_the_start_are_none_of_the_two() -> None:
    evening = Evening(Form.MATCH, names(3), games=2)
    evening.tell(Excuse(player=SessionId("p1")))
    evening.start()
    evening.play_round(stronger)
    evening.take(command_of_player(evening.it, SessionId("p1"), Return(), evening.now))
    evening.play_on(stronger)
    assert [(game.X, game.O) for game in evening.it.games] == [("p2", "p3"), ("p3", "p2")]


def test_it_does_not_begin_when_both_players_withdraw_at_once() -> None:
    evening = Evening(Form.MATCH, names(2))
    evening.start()
    for player in names(2):
        evening.tell(Excuse(player=player))
    evening.step()
    assert evening.it.ended_early is EarlyEnd.WITHDREW
