"""A tournament as messages show it."""

from tests.server.tournaments.rules.tournaments import Evening, names
from ttt_protocol.state import AiSetting
from ttt_protocol.tournament.commands import AddAi, Excuse, Finish, Remove
from ttt_protocol.tournament.messages import RemovedPlayer, RemovedPlayers
from ttt_protocol.tournament.settings import EarlyEnd, Form, Result
from ttt_server.tournaments.view import removed_players, tournament_state

P1, P2 = names(2)


def test_games_that_have_ended_stay_in_sight_so_that_they_can_be_corrected() -> None:
    evening = Evening(Form.SWISS, names(4), rounds=3)
    evening.start()
    evening.play_round(lambda _: Result.X)
    evening.step()
    third, fourth = evening.it.open_games
    assert _shown(evening) == [third, fourth, 2, 1], "the games under way, then the latest"
    assert _shown(evening, most=3) == [third, fourth, 2]


def test_an_arena_shows_what_was_played() -> None:
    evening = Evening(Form.ARENA, (P1, P2))
    evening.start()
    evening.play_round(lambda _: Result.X)
    assert _shown(evening) == [1]


def test_a_game_that_is_void_is_not_shown() -> None:
    evening = Evening(Form.ARENA, (P1, P2))
    evening.start()
    evening.play_round(lambda _: Result.VOID)
    assert _shown(evening) == []


def test_a_stand_in_that_has_not_played_is_not_counted() -> None:
    evening = Evening(Form.SWISS, names(3), stand_in={"strategy": "rules"})
    assert tournament_state(evening.it, set(), evening.now).players == 3
    evening.start()
    evening.play_round(lambda _: Result.X)
    state = tournament_state(evening.it, set(), evening.now)
    assert state.players == len(state.standings) == 4


def _shown(evening: Evening, most: int = 50) -> list[int]:
    state = tournament_state(evening.it, set(), evening.now, most)
    return [game.number for game in state.games]


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


def test_a_state_says_why_the_event_ended_early_and_whose_results_do_not_count() -> None:
    evening = Evening(Form.ROUND_ROBIN, names(4))
    evening.start()
    assert "ended_early" not in tournament_state(evening.it, set(), evening.now).model_dump()
    evening.play_round(lambda _: Result.X)
    evening.tell(Excuse(player=P1))
    evening.tell(Finish())
    state = tournament_state(evening.it, set(), evening.now)
    assert state.ended_early is EarlyEnd.ORGANISER
    assert [row.id for row in state.standings if row.left_out] == [P1]
    assert [row.model_dump().get("left_out") for row in state.standings[:3]] == [None] * 3
