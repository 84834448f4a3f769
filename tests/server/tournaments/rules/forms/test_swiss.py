"""The pairings of a Swiss."""

from random import Random

import pytest

from tests.server.tournaments.rules.tournaments import Evening, at_random, names, stronger
from ttt_protocol.state import SessionId
from ttt_protocol.tournament.commands import Excuse, Finish, Recreate
from ttt_protocol.tournament.settings import EarlyEnd, Form, Result
from ttt_server.tournaments.rules.forms import field_of


def pairs_of(evening: Evening) -> list[tuple[str, str]]:
    return [(game.X, game.O) for game in evening.it.games_of_round(evening.it.round)]


def test_the_upper_half_meets_the_lower_half_in_order() -> None:
    evening = Evening(Form.SWISS, names(8), rounds=3)
    evening.start()
    evening.step()
    met = [set(pair) for pair in pairs_of(evening)]
    assert met == [{"p1", "p5"}, {"p2", "p6"}, {"p3", "p7"}, {"p4", "p8"}]


def test_winners_meet_winners() -> None:
    evening = Evening(Form.SWISS, names(8), rounds=3)
    evening.start()
    evening.play_round(stronger)
    evening.step()
    met = [set(pair) for pair in pairs_of(evening)]
    # p1 and p3 would be in order, but both have just played X.
    assert met == [{"p1", "p4"}, {"p2", "p3"}, {"p5", "p8"}, {"p6", "p7"}]


def test_sides_change() -> None:
    evening = Evening(Form.SWISS, names(6), rounds=4)
    evening.start()
    evening.play_on(stronger)
    assert all(abs(it.as_x) <= 2 for it in evening.it.entrants.values())


@pytest.mark.parametrize("players", [2, 5, 6, 9, 16, 31])
def test_no_two_meet_twice_and_no_player_has_two_byes(players: int) -> None:
    evening = Evening(Form.SWISS, names(players), rounds=min(players - 1, 7))
    evening.start()
    evening.play_on(at_random(Random(players)))
    met = [frozenset((game.X, game.O)) for game in evening.it.games]
    assert len(met) == len(set(met))
    assert all(len(it.byes) <= 1 for it in evening.it.entrants.values())


def test_a_bye_goes_to_the_last_and_is_worth_a_win_at_once() -> None:
    evening = Evening(Form.SWISS, names(5), rounds=3)
    evening.start()
    evening.step()
    last = evening.it[SessionId("p5")]
    assert last.byes == (1,)
    assert last.points == 2


def test_a_stand_in_takes_the_odd_place() -> None:
    stand_in = {"strategy": "rules"}
    evening = Evening(Form.SWISS, names(3), rounds=2, stand_in=stand_in)
    evening.start()
    evening.step()
    assert any("ai-1" in pair for pair in pairs_of(evening))
    assert not any(it.byes for it in evening.it.entrants.values())


def test_it_ends_early_when_all_have_met() -> None:
    evening = Evening(Form.SWISS, names(4), rounds=9)
    evening.start()
    evening.play_on(lambda _: Result.DRAW)
    assert evening.it.round == 3
    assert evening.it.ended_early is EarlyEnd.NO_PAIRING


def test_it_ends_after_its_rounds_and_then_not_early() -> None:
    evening = Evening(Form.SWISS, names(4), rounds=2)
    evening.start()
    evening.play_on(stronger)
    assert (evening.it.round, evening.it.ended_early) == (2, None)


def test_the_last_player_left_has_no_byes() -> None:
    evening = Evening(Form.SWISS, names(3), rounds=5)
    evening.start()
    evening.play_round(stronger)
    for player in names(2):
        evening.tell(Excuse(player=player))
    evening.step()
    assert evening.it.status == "finished"
    assert evening.it.ended_early is EarlyEnd.WITHDREW
    assert sum(len(it.byes) for it in evening.it.entrants.values()) == 1


def test_an_organiser_who_ends_it_is_the_reason() -> None:
    evening = Evening(Form.SWISS, names(3), rounds=5)
    evening.start()
    evening.tell(Finish())
    assert evening.it.ended_early is EarlyEnd.ORGANISER


def test_an_earlier_choice_is_taken_back_where_the_last_two_have_met() -> None:
    # p1 would meet p2 of the same points, but then only p3 and p4 are left, who have met.
    evening = Evening(Form.SWISS, names(4), rounds=3)
    evening.start()
    evening.play_round(lambda _: Result.DRAW)  # 1-3, 2-4
    evening.play_round(lambda _: Result.DRAW)
    third = {frozenset(pair) for pair in ((g.X, g.O) for g in evening.play_round(stronger))}
    assert len(third) == 2


def test_who_comes_late_gets_half_points_only_by_the_setting() -> None:
    for setting, points in ((True, 1), (False, 0)):
        evening = Evening(Form.SWISS, names(4), rounds=3, late_half_points=setting)
        evening.start()
        evening.play_round(stronger)
        evening.enter("late")
        assert evening.it[SessionId("late")].points == points


def test_void_games_and_players_who_left_are_no_part_of_the_field() -> None:
    evening = Evening(Form.SWISS, names(4), rounds=3)
    evening.start()
    evening.step()
    evening.tell(Recreate(game=1))
    assert field_of(evening.it).candidates[0].seats == "X"
