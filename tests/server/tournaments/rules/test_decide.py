"""Commands on a tournament, and refusals."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tests.server.tournaments.rules.tournaments import Evening, name_room, names, stronger
from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import AiSetting, Mark, PersonId, SessionId
from ttt_protocol.tournament.commands import (
    AddAi,
    Announce,
    Create,
    Doors,
    Excuse,
    Finish,
    Forfeit,
    Invite,
    OrganiserCommand,
    Pair,
    Pause,
    PlayerCommand,
    Recreate,
    Remove,
    RenamePlayer,
    Resume,
    Return,
    SetResult,
    Start,
    Withdraw,
)
from ttt_protocol.tournament.settings import Form, Result, TournamentSettings
from ttt_server.core.errors import Refused
from ttt_server.tournaments.rules.decide import (
    RENAME_MS,
    _change_game,
    command_of_player,
    create,
    enter,
)
from ttt_server.tournaments.rules.evolve import evolve

P1, P2, P3, P4 = names(4)


def tell(evening: Evening, player: SessionId, command: PlayerCommand) -> None:
    evening.take(command_of_player(evening.it, player, command, evening.now))


def swiss(players: int = 4, *, is_started: bool = True, **settings: object) -> Evening:
    evening = Evening(Form.SWISS, names(players), **settings)
    if is_started:
        evening.start()
        evening.step()
    return evening


def refusal(evening: Evening, command: OrganiserCommand | RenamePlayer) -> RefusalCode:
    before = evening.it
    with pytest.raises(Refused) as refused:
        evening.tell(command)
    assert evening.it is before
    return refused.value.code


# Before it starts


@pytest.mark.parametrize("form", Form)
def test_an_event_does_not_begin_for_one_player(form: Form) -> None:
    assert refusal(Evening(form, names(1)), Start()) is RefusalCode.NOT_ALLOWED


def test_an_event_is_created_once() -> None:
    evening = Evening(Form.ARENA)
    wished = Create(settings=TournamentSettings(form=Form.ARENA))
    with pytest.raises(Refused) as refused:
        create(evening.it, wished, SessionId("other"), 1)
    assert refused.value.code is RefusalCode.NOT_ALLOWED


def test_names_that_look_alike_are_told_apart() -> None:
    evening = Evening(Form.ARENA)
    for session, name in zip(names(4), ("Ada", "\uff21da", "a d a", "Adá"), strict=True):
        evening.enter(session, name)
    assert [it.name for it in evening.it.entrants.values()] == [
        "Ada",
        "\uff21da 2",
        "a d a 3",
        "Adá 4",
    ]


def test_a_long_name_stays_within_its_length() -> None:
    evening = Evening(Form.ARENA)
    for session in names(2):
        evening.enter(session, "A" * 24)
    assert len(evening.it[P2].name) <= 24


def test_a_player_enters_once() -> None:
    evening = Evening(Form.ARENA, names(1))
    assert enter(evening.it, P1, "again", 1) == ()


def test_the_doors_the_size_and_the_end_keep_players_out() -> None:
    evening = Evening(Form.ARENA, names(2), max_players=2)
    with pytest.raises(Refused) as refused:
        evening.enter(P3)
    assert refused.value.code is RefusalCode.ROOM_FULL
    evening.tell(Remove(player=P2))
    evening.enter(P3)
    evening.tell(Remove(player=P3))
    evening.tell(Doors(open=False))
    assert evening.tell(Doors(open=False)) == ()
    with pytest.raises(Refused, check=lambda it: "closed" in str(it.reason)):
        evening.enter(P4)
    evening.tell(Finish())
    with pytest.raises(Refused, check=lambda it: "over" in str(it.reason)):
        evening.enter(P4)


def test_a_stand_in_takes_no_place() -> None:
    evening = Evening(Form.SWISS, names(2), max_players=2, stand_in={"strategy": "rules"})
    assert len(evening.it.active) == 2
    with pytest.raises(Refused) as refused:
        evening.enter(P3)
    assert refused.value.code is RefusalCode.ROOM_FULL


def test_a_match_starts_with_two_players() -> None:
    assert refusal(Evening(Form.MATCH, names(3)), Start()) is RefusalCode.NOT_ALLOWED
    evening = Evening(Form.MATCH, names(2))
    evening.tell(Doors(open=False))
    evening.start()
    assert refusal(evening, Start()) is RefusalCode.NOT_ALLOWED


def test_a_fixed_field_closes_its_doors_at_the_start() -> None:
    evening = Evening(Form.ROUND_ROBIN, names(2))
    evening.start()
    assert not evening.it.doors_open


# Players


def test_a_player_withdraws_and_returns() -> None:
    evening = Evening(Form.ARENA, names(2))
    tell(evening, P1, Withdraw())
    tell(evening, P1, Withdraw())
    evening.enter(P1)  # a page that is loaded again
    assert not evening.it[P1].is_active
    tell(evening, P1, Return())
    assert evening.it[P1].is_active


def test_a_player_who_withdraws_loses_the_game_under_way() -> None:
    evening = swiss(2)
    tell(evening, P1, Withdraw())
    assert evening.it[P2].wins == 1
    assert evening.it.game(1).reason == "withdrew"


def test_a_player_renames_no_other_player() -> None:
    evening = Evening(Form.ARENA, names(2))
    tell(evening, P1, RenamePlayer(name="Ada"))
    tell(evening, P1, RenamePlayer(name="Ada"))
    assert evening.it[P1].name == "Ada"
    with pytest.raises(Refused):
        tell(evening, P1, RenamePlayer(name="Eve", player=P2))


def test_a_player_renames_once_in_a_while_and_the_organiser_at_any_time() -> None:
    evening = Evening(Form.ARENA, names(2))
    tell(evening, P1, RenamePlayer(name="Ada"))
    evening.now += RENAME_MS - 1
    with pytest.raises(Refused) as refused:
        tell(evening, P1, RenamePlayer(name="Eve"))
    assert refused.value.code is RefusalCode.TOO_EARLY
    tell(evening, P1, RenamePlayer(name="Ada"))  # no change
    evening.tell(RenamePlayer(name="Bea", player=P1))
    evening.tell(RenamePlayer(name="Cia", player=P1))
    evening.now += RENAME_MS
    tell(evening, P1, RenamePlayer(name="Eve"))
    assert evening.it[P1].name == "Eve"


def test_who_is_no_player_or_was_removed_has_no_commands() -> None:
    evening = Evening(Form.ARENA, names(1))
    evening.tell(Remove(player=P1))
    for player in (P1, P2):
        with pytest.raises(Refused) as refused:
            tell(evening, player, Withdraw())
        assert refused.value.code is RefusalCode.NOT_A_PLAYER


# The organiser


def test_a_removed_player_may_come_back_or_may_not() -> None:
    evening = Evening(Form.ARENA, names(2))
    evening.tell(Remove(player=P1))
    evening.enter(P1)
    assert evening.it[P1].is_active
    evening.tell(Remove(player=P1, may_return=False))
    with pytest.raises(Refused, check=lambda it: "removed" in str(it.reason)):
        evening.enter(P1)
    evening.tell(Finish())
    with pytest.raises(Refused, check=lambda it: "removed" in str(it.reason)):
        evening.enter(P1)


def test_an_organiser_renames_excuses_announces_and_invites() -> None:
    evening = Evening(Form.ARENA, names(2))
    evening.tell(RenamePlayer(name="Ada", player=P1))
    evening.tell(Excuse(player=P2))
    for number in range(7):
        evening.tell(Announce(text=f"round {number}"))
    evening.tell(Invite())
    assert evening.it[P1].name == "Ada"
    assert not evening.it[P2].is_active
    assert evening.it.announcements == tuple(f"round {number}" for number in range(2, 7))
    assert evening.it.organisers == {"host", "host1"}
    evening.tell(Announce())
    assert evening.it.announcements == ()


def test_commands_about_nothing_are_refused() -> None:
    evening = swiss()
    assert refusal(evening, Excuse(player=SessionId("x"))) is RefusalCode.NOT_ALLOWED
    assert refusal(evening, RenamePlayer(name="Ada")) is RefusalCode.NOT_ALLOWED
    assert refusal(evening, Forfeit(game=99, seat=Mark.X)) is RefusalCode.WRONG_GAME
    assert refusal(evening, Resume()) is RefusalCode.NOT_ALLOWED


def test_a_pause_stops_the_next_round() -> None:
    evening = swiss()
    evening.tell(Pause())
    for number in evening.it.open_games:
        evening.end(number, Result.X)
    assert evening.step() == ()
    evening.tell(Resume())
    evening.step()
    assert evening.it.round == 2


def test_a_forfeit_is_a_win_for_the_other_seat() -> None:
    evening = swiss()
    evening.tell(Forfeit(game=1, seat=Mark.X))
    evening.tell(Forfeit(game=2, seat=Mark.O))
    assert [game.result for game in evening.it.games] == [Result.O, Result.X]
    assert refusal(evening, Forfeit(game=1, seat=Mark.X)) is RefusalCode.GAME_OVER


def test_a_result_is_corrected_with_a_mark() -> None:
    evening = swiss(rounds=1)
    evening.end(1, Result.X)
    loser = evening.it.game(1).O
    evening.tell(SetResult(game=1, result=Result.O))
    evening.tell(SetResult(game=2, result=Result.DRAW))
    assert evening.it.game(1).is_corrected
    assert evening.it.game(1).reason == "corrected"
    assert (evening.it[loser].wins, evening.it[loser].losses, evening.it[loser].points) == (1, 0, 2)
    assert evening.it.open_games == ()


def test_a_correction_keeps_byes_and_counts_streaks_anew() -> None:
    evening = Evening(Form.SWISS, names(3), rounds=2)
    evening.start()
    evening.play_on(stronger)
    points = {it.id: it.points for it in evening.it.entrants.values()}
    evening.tell(SetResult(game=1, result=evening.it.games[0].result or Result.X))
    assert {it.id: it.points for it in evening.it.entrants.values()} == points


def test_a_bracket_is_not_corrected_behind_the_next_round() -> None:
    evening = Evening(Form.KNOCKOUT, names(4))
    evening.start()
    evening.play_round(stronger)
    evening.step()
    assert refusal(evening, SetResult(game=1, result=Result.X)) is RefusalCode.NOT_ALLOWED


def test_a_game_is_recreated_in_another_room() -> None:
    evening = swiss()
    game = evening.it.game(1)
    evening.tell(Recreate(game=1))
    again = evening.it.game(3)
    assert (again.X, again.O, again.round) == (game.X, game.O, 1)
    assert again.room == name_room(3)
    assert evening.it.open_games == (2, 3)
    assert refusal(evening, SetResult(game=1, result=Result.X)) is RefusalCode.NOT_ALLOWED


def test_a_pairing_is_corrected_before_it_is_played() -> None:
    evening = swiss(4)
    evening.end(2, Result.X)
    one, (x, o) = evening.it.game(1), (evening.it.game(2).X, evening.it.game(2).O)
    assert refusal(evening, Pair(game=1, X=one.X, O=one.X)) is RefusalCode.NOT_ALLOWED
    assert refusal(evening, Pair(game=1, X=x, O=o)) is RefusalCode.NOT_ALLOWED  # have met
    evening.tell(Pair(game=1, X=one.X, O=x))
    assert {evening.it.game(3).X, evening.it.game(3).O} == {one.X, x}
    evening.tell(Excuse(player=o))
    assert refusal(evening, Pair(game=3, X=one.X, O=o)) is RefusalCode.NOT_ALLOWED


def test_a_player_with_a_game_is_not_paired_again() -> None:
    evening = swiss(4)
    one, two = evening.it.game(1), evening.it.game(2)
    assert refusal(evening, Pair(game=1, X=one.X, O=two.X)) is RefusalCode.NOT_ALLOWED


def test_an_ai_takes_part_under_its_name_and_level() -> None:
    evening = Evening(Form.SWISS, names(1))
    evening.tell(AddAi(ai=AiSetting(strategy="minimax", level=9)))
    assert evening.it[SessionId("ai-2")].name == "minimax 9"


def test_an_event_that_is_over_stays_over() -> None:
    evening = swiss()
    game = evening.it.game(1)
    evening.tell(Finish())
    over: list[OrganiserCommand] = [
        Finish(),
        Recreate(game=1),
        Pair(game=1, X=game.O, O=game.X),
        Forfeit(game=1, seat=Mark.X),
        Excuse(player=P1),
    ]
    assert {refusal(evening, command) for command in over} == {RefusalCode.NOT_ALLOWED}
    with pytest.raises(Refused, check=lambda it: "over" in str(it.reason)):
        tell(evening, P1, Withdraw())
    tell(evening, P1, Return())
    assert evening.it.open_games == ()
    assert len(evening.it.games) == 2


def test_an_event_that_is_over_can_still_be_put_right() -> None:
    evening = swiss()
    evening.tell(Finish())
    evening.tell(SetResult(game=1, result=Result.X))
    evening.tell(RenamePlayer(name="Ada", player=P2))
    evening.tell(Announce(text="Well played"))
    evening.tell(Remove(player=P3))
    assert evening.it.game(1).is_corrected
    assert evening.it[P2].name == "Ada"
    assert evening.it.announcements == ("Well played",)
    assert evening.it[P3].status == "removed"


def test_what_no_type_allows_is_loud() -> None:
    evening = swiss()
    impossible: Any = SimpleNamespace(type="born", seq=evening.it.seq + 1, at=1, game=1)
    works: list[Callable[[], object]] = [
        lambda: command_of_player(evening.it, P1, impossible, 1),
        lambda: evening.tell(impossible),
        lambda: _change_game(evening.it, impossible, 1, name_room),
        lambda: evolve(evening.it, impossible),
    ]
    for work in works:
        with pytest.raises(AssertionError):
            work()


def test_a_kept_name_stays_as_it_is() -> None:
    evening = Evening(Form.ARENA, names(2))
    ada = PersonId("ada")
    evening.it = evening.it.with_entrants(evening.it[P1]._replace(person=ada))
    assert evening.it.session_of(ada) == P1
    assert evening.it.session_of(PersonId("eve")) is None
    with pytest.raises(Refused) as refused:
        tell(evening, P1, RenamePlayer(name="Ada"))
    assert refused.value.code is RefusalCode.NOT_ALLOWED
