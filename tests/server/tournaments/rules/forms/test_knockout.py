"""The bracket of a knockout."""

import pytest

from tests.server.tournaments.rules.tournaments import Evening, names, stronger
from ttt_protocol.state import SessionId
from ttt_protocol.tournament.commands import Excuse
from ttt_protocol.tournament.settings import EarlyEnd, Form, Result
from ttt_server.tournaments.rules.forms import bracket, seeds
from ttt_server.tournaments.rules.standings import standings


def knockout(players: int, **settings: object) -> Evening:
    evening = Evening(Form.KNOCKOUT, names(players), **settings)
    evening.start()
    return evening


def test_the_first_two_seeds_can_only_meet_in_the_final() -> None:
    assert seeds(8) == [0, 7, 3, 4, 1, 6, 2, 5]


@pytest.mark.parametrize("players", range(2, 10))
def test_the_strongest_wins_and_every_other_player_loses_once(players: int) -> None:
    evening = knockout(players)
    evening.play_on(stronger)
    assert len(evening.it.games) == players - 1
    assert standings(evening.it)[0].entrant.id == "p1"
    assert sum(it.losses for it in evening.it.entrants.values()) == players - 1


def test_the_first_seeds_have_the_byes() -> None:
    evening = knockout(6)
    evening.step()
    assert {it.id for it in evening.it.entrants.values() if it.byes} == {"p1", "p2"}


def test_a_drawn_tie_goes_on_and_ends_with_a_game_in_which_o_needs_a_draw() -> None:
    evening = knockout(2)
    for _ in range(4):
        evening.play_round(lambda _: Result.DRAW)
    last = evening.it.game(4)
    assert [game.armageddon for game in evening.it.games] == [False, False, False, True]
    assert {game.X for game in evening.it.games[:2]} == {"p1", "p2"}  # sides change
    evening.step()
    assert evening.it.status == "finished"
    assert standings(evening.it)[0].entrant.id == last.O


def test_a_tie_of_three_games_ends_when_it_is_decided() -> None:
    evening = knockout(2, games=3)
    evening.play_on(stronger)
    assert len(evening.it.games) == 2
    assert evening.it.round == 1


def test_a_tie_under_way_is_not_decided() -> None:
    evening = knockout(2, games=3)
    evening.step()
    assert not bracket(evening.it)[0][0].is_decided


def test_who_withdraws_loses_the_tie() -> None:
    evening = knockout(2, games=3)
    evening.play_round(lambda _: Result.DRAW)
    evening.tell(Excuse(player=SessionId("p1")))
    evening.play_on(stronger)
    assert standings(evening.it)[0].entrant.id == "p2"


def test_where_both_stay_away_the_next_opponent_is_through() -> None:
    evening = knockout(4)
    evening.step()
    evening.end(1, Result.NEITHER, "absent")
    evening.end(2, Result.X)
    evening.play_on(stronger)
    assert bracket(evening.it)[-1][0].winner == "p2"


def test_a_bracket_of_one_and_of_none() -> None:
    assert bracket(Evening(Form.KNOCKOUT, names(1)).it)[0][0].winner == "p1"
    assert bracket(Evening(Form.KNOCKOUT).it)[0][0].winner is None


def test_a_round_that_needs_no_game_is_passed_over() -> None:
    evening = knockout(8)
    evening.play_round(stronger)
    for player in ("p3", "p4"):
        evening.tell(Excuse(player=SessionId(player)))
    evening.play_on(stronger)
    last = evening.it.games[-1]
    assert ({last.X, last.O}, last.round) == ({"p1", "p2"}, 3)
    assert len(evening.it.games) == 4 + 1
    assert evening.it.ended_early is None


def test_it_ends_early_when_all_withdraw() -> None:
    evening = knockout(4)
    evening.step()
    for player in names(4):
        evening.tell(Excuse(player=player))
    evening.step()
    assert evening.it.ended_early is EarlyEnd.WITHDREW


def test_the_next_games_wait_for_those_under_way() -> None:
    evening = knockout(4)
    evening.step()
    assert evening.step() == ()
