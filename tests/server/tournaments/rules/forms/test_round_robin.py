"""The pairings of a round-robin."""

from itertools import combinations

import pytest

from tests.server.tournaments.rules.tournaments import Evening, names, stronger
from ttt_protocol.state import SessionId
from ttt_protocol.tournament.commands import Doors, Excuse, Pause, Resume
from ttt_protocol.tournament.settings import EarlyEnd, Form
from ttt_server.core.errors import Refused
from ttt_server.tournaments.rules.forms import berger, rounds_of


def test_the_table_of_six_is_that_of_the_handbook() -> None:
    # FIDE Handbook C.05, annex 1, "5 or 6 players", with players from 1.
    table = [{frozenset((i + 1, j + 1)) for i, j in berger(6, number)} for number in range(5)]
    assert table == [
        {frozenset(pair) for pair in pairs}
        for pairs in (
            [(1, 6), (2, 5), (3, 4)],
            [(6, 4), (5, 3), (1, 2)],
            [(2, 6), (3, 1), (4, 5)],
            [(6, 5), (1, 4), (2, 3)],
            [(3, 6), (4, 2), (5, 1)],
        )
    ]


@pytest.mark.parametrize("players", range(2, 12))
def test_all_play_all_once(players: int) -> None:
    evening = Evening(Form.ROUND_ROBIN, names(players))
    evening.start()
    evening.play_on(stronger)
    met = [frozenset((game.X, game.O)) for game in evening.it.games]
    assert sorted(map(sorted, met)) == sorted(map(sorted, combinations(names(players), 2)))
    assert evening.it.round == rounds_of(players)
    assert {len(it.byes) for it in evening.it.entrants.values()} == {players % 2}


def test_sides_change_in_the_second_cycle() -> None:
    evening = Evening(Form.ROUND_ROBIN, names(4), games=2)
    evening.start()
    evening.play_on(stronger)
    assert all(it.as_x == 0 for it in evening.it.entrants.values())


def test_a_withdrawn_player_has_no_more_games_and_no_losses() -> None:
    evening = Evening(Form.ROUND_ROBIN, names(4))
    evening.start()
    evening.play_round(stronger)
    evening.tell(Excuse(player=SessionId("p4")))
    evening.play_on(stronger)
    assert evening.it[SessionId("p4")].played == 1
    assert len(evening.it.games) == 2 + 1 + 1


def test_a_round_without_a_game_does_not_end_it() -> None:
    evening = Evening(Form.ROUND_ROBIN, names(4))
    evening.start()
    for player in ("p2", "p3"):  # the first round is p1 against p4, and p2 against p3
        evening.tell(Excuse(player=SessionId(player)))
    evening.tell(Pause())
    evening.tell(Resume())
    evening.play_on(stronger)
    assert [(game.X, game.O) for game in evening.it.games] == [("p1", "p4")]
    assert (evening.it.round, evening.it.ended_early) == (3, None)
    later = Evening(Form.ROUND_ROBIN, names(4))
    later.start()
    for player in ("p3", "p4"):  # p1 meets p2 in the second round
        later.tell(Excuse(player=SessionId(player)))
    later.play_on(stronger)
    assert len(later.it.games) == 1


def test_it_ends_when_fewer_than_two_are_left() -> None:
    evening = Evening(Form.ROUND_ROBIN, names(3))
    evening.start()
    for player in names(2):
        evening.tell(Excuse(player=player))
    evening.step()
    assert evening.it.ended_early is EarlyEnd.WITHDREW
    assert not any(it.byes for it in evening.it.entrants.values())


def test_a_player_who_has_left_has_no_bye() -> None:
    evening = Evening(Form.ROUND_ROBIN, names(3))
    evening.start()
    evening.tell(Excuse(player=SessionId("p1")))
    evening.play_on(stronger)
    assert not evening.it[SessionId("p1")].byes


def test_its_doors_stay_closed() -> None:
    evening = Evening(Form.ROUND_ROBIN, names(3))
    evening.start()
    with pytest.raises(Refused) as refusal:
        evening.tell(Doors(open=True))
    assert refusal.value.reason == "this form takes no players after the start"


def test_a_round_begins_when_the_one_before_has_ended() -> None:
    evening = Evening(Form.ROUND_ROBIN, names(4))
    evening.start()
    evening.step()
    assert evening.step() == ()
