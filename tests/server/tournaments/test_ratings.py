"""Ratings within a tournament."""

import pytest

from tests.server.tournaments.rules.tournaments import Evening, names, stronger
from ttt_protocol.state import SessionId
from ttt_protocol.tournament.settings import Form, Result
from ttt_server.tournaments import view
from ttt_server.tournaments.view import rated


def played(players: int) -> Evening:
    evening = Evening(Form.ROUND_ROBIN, names(players))
    evening.start()
    evening.play_on(stronger)
    return evening


def test_players_are_rated_by_their_games() -> None:
    found = rated(played(5).it)
    elos = [found[player].elo for player in names(5)]
    assert elos == sorted(elos, reverse=True)
    assert abs(sum(elos)) < 1
    assert all(rating.error > 100 for rating in found.values())  # of four games each


def test_games_that_were_not_played_out_do_not_count() -> None:
    evening = Evening(Form.ROUND_ROBIN, names(2))
    evening.start()
    evening.step()
    evening.end(1, Result.X, "absent")
    assert rated(evening.it) == {}


def test_only_the_largest_group_that_met_is_rated() -> None:
    evening = Evening(Form.SWISS, names(8), rounds=2)
    evening.start()
    evening.play_round(stronger)
    found = rated(evening.it)
    assert len(found) == 2
    evening.play_round(stronger)
    assert len(rated(evening.it)) == 4


def test_a_large_field_is_not_rated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "MOST_RATED", 4)
    assert rated(played(5).it) == {}
    assert SessionId("p1") in rated(played(4).it)
