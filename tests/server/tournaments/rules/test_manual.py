"""Rounds that begin when the organiser says so."""

import pytest

from tests.server.tournaments.rules.tournaments import Evening, names, stronger
from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import AiSetting
from ttt_protocol.tournament.commands import AddAi, Next, Pause, Start
from ttt_protocol.tournament.settings import Form, Result
from ttt_server.core.errors import Refused
from ttt_server.tournaments.rules.advance import awaits_next
from ttt_server.tournaments.rules.events import Called, RoundBegun
from ttt_server.tournaments.rules.evolve import evolve_all
from ttt_server.tournaments.rules.values import Tournament
from ttt_server.tournaments.view import tournament_state

P1, P2, P3, P4 = names(4)


def swiss(count: int = 4, **settings: object) -> Evening:
    """Return a Swiss with `manual` after its first round."""
    evening = Evening(Form.SWISS, names(count), manual=True, rounds=3, **settings)
    evening.start()
    evening.play_round(stronger)
    return evening


def refusal(evening: Evening, command: Next | Start) -> tuple[RefusalCode, str]:
    with pytest.raises(Refused) as refused:
        evening.tell(command)
    return refused.value.code, refused.value.reason


def awaits(evening: Evening) -> str | None:
    state = tournament_state(evening.it, evening.present, evening.now)
    assert ("awaits" in state.model_dump()) is (state.awaits is not None)
    return state.awaits


@pytest.mark.parametrize("form", [Form.SWISS, Form.ROUND_ROBIN, Form.KNOCKOUT])
def test_a_round_begins_when_the_organiser_says_so(form: Form) -> None:
    evening = Evening(form, names(4), manual=True)
    evening.start()
    assert len(evening.play_round(stronger)) == 2
    assert awaits(evening) == "next"
    assert evening.step(60_000) == ()
    evening.tell(Next())
    assert awaits(evening) is None
    assert evening.tell(Next()) == ()
    assert isinstance(evening.step()[0], RoundBegun)
    assert evening.it.round == 2
    assert awaits(evening) is None
    evening.play_round(stronger)
    assert evening.it.called is None


def test_the_call_is_in_the_log() -> None:
    evening = swiss()
    evening.tell(Next())
    assert evolve_all(Tournament(evening.it.name), evening.log) == evening.it


def test_an_event_is_not_held_up_without_the_setting() -> None:
    evening = Evening(Form.SWISS, names(4))
    evening.start()
    evening.play_round(stronger)
    assert awaits(evening) is None
    assert refusal(evening, Next())[1] == "the rounds of this event begin by themselves"
    assert len(evening.play_round(stronger)) == 2


def test_a_player_who_is_absent_is_not_paired_until_they_are_back() -> None:
    evening = swiss(5)
    evening.present.discard(P1)
    evening.tell(Next())
    games = evening.play_round(stronger)
    assert len(games) == 2
    assert not any(game.seat(P1) for game in games)
    assert evening.it[P1].is_active
    assert 2 not in evening.it[P1].byes
    evening.present.add(P1)
    evening.tell(Next())
    games = evening.play_round(stronger)
    assert any(game.seat(P1) for game in games) or 3 in evening.it[P1].byes
    evening.step()
    assert evening.it.status == "finished"


def test_a_player_who_is_absent_at_the_start_misses_the_first_round() -> None:
    evening = Evening(Form.SWISS, names(3), manual=True)
    evening.present.discard(P3)
    evening.start()
    (game,) = evening.play_round(stronger)
    assert {game.X, game.O} == {P1, P2}
    assert not evening.it[P3].byes


def test_a_round_needs_two_players_who_are_there() -> None:
    evening = Evening(Form.SWISS, names(3), manual=True)
    evening.present = {P1}
    assert refusal(evening, Start())[0] is RefusalCode.NOT_ALLOWED
    evening = swiss()
    evening.present = {P1}
    assert refusal(evening, Next())[1] == "fewer than two players are here"


def test_a_round_is_not_called_during_another_or_a_pause() -> None:
    evening = swiss()
    evening.tell(Next())
    evening.step()
    assert refusal(evening, Next())[1] == "games are under way"
    for number in evening.it.open_games:
        evening.end(number, Result.DRAW)
    evening.tell(Pause())
    assert not awaits_next(evening.it)
    assert refusal(evening, Next())[1] == "the event is paused"


def test_an_event_goes_on_waiting_where_those_who_are_there_have_met() -> None:
    evening = Evening(Form.SWISS, names(3), manual=True, rounds=3)
    evening.present.discard(P3)
    evening.start()
    evening.play_round(stronger)
    evening.tell(Next())
    assert [type(each) for each in evening.step()] == [Called]
    assert evening.it.status == "running"
    assert awaits(evening) == "next"
    evening.present.add(P3)
    evening.tell(Next())
    assert isinstance(evening.step()[0], RoundBegun)


def test_an_ai_is_always_there() -> None:
    evening = Evening(Form.SWISS, names(1), manual=True)
    evening.tell(AddAi(ai=AiSetting(strategy="rules", level=None)))
    evening.start()
    assert len(evening.play_round(lambda _: Result.DRAW)) == 1
