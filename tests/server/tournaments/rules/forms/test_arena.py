"""The pairings of an arena."""

from tests.server.tournaments.rules.tournaments import Evening, names, stronger
from ttt_protocol.state import AiSetting, SessionId
from ttt_protocol.tournament.commands import AddAi, Pause, Remove, Resume
from ttt_protocol.tournament.settings import Form, Result
from ttt_server.tournaments.rules.advance import absent

P1, P2, P3 = names(3)


def arena(players: int) -> Evening:
    evening = Evening(Form.ARENA, names(players), minutes=2)
    evening.start()
    return evening


def open_pairs(evening: Evening) -> list[set[str]]:
    games = (evening.it.game(number) for number in evening.it.open_games)
    return [{game.X, game.O} for game in games]


def test_neighbours_in_the_standings_meet() -> None:
    evening = arena(4)
    evening.play_round(stronger)  # 1-2, 3-4
    evening.step()
    assert open_pairs(evening) == [{"p1", "p3"}, {"p2", "p4"}]


def test_only_players_who_are_present_and_free_are_paired() -> None:
    evening = arena(3)
    evening.present.remove(P2)
    evening.step()
    assert open_pairs(evening) == [{"p1", "p3"}]
    evening.present.add(P2)
    assert evening.step() == ()


def test_two_who_have_just_met_wait_ten_seconds_for_another_player() -> None:
    evening = arena(2)
    evening.play_round(stronger)
    assert evening.step(9_999) == ()
    evening.step(1)
    assert open_pairs(evening) == [{"p1", "p2"}]
    assert [game.again for game in evening.it.games] == [False, True]


def test_two_who_have_just_met_play_others_who_are_free() -> None:
    evening = arena(2)
    evening.play_round(stronger)
    evening.enter(P3)
    evening.step()
    assert open_pairs(evening) == [{"p1", "p3"}]


def test_ais_play_people_and_not_each_other() -> None:
    evening = Evening(Form.ARENA, names(1))
    for _ in range(3):
        evening.tell(AddAi(ai=AiSetting(strategy="rules", level=None)))
    evening.start()
    evening.step()
    assert open_pairs(evening) == [{"p1", "ai-2"}]
    assert [it.name for it in evening.it.entrants.values()] == ["p1", "rules", "rules 2", "rules 3"]


def test_a_streak_of_two_wins_doubles_the_points_of_the_next() -> None:
    evening = Evening(Form.ARENA, names(2))
    evening.start()
    points = []
    for result in (Result.X, Result.X, Result.X, Result.DRAW, Result.X):
        evening.step(10_000)
        (number,) = evening.it.open_games
        game = evening.it.game(number)
        won = result if result is Result.DRAW else (Result.X if game.X == P1 else Result.O)
        evening.end(number, won)
        points.append(evening.it[P1].points)
    assert points == [2, 4, 8, 10, 12]


def test_it_ends_after_its_minutes_when_the_games_under_way_have_ended() -> None:
    evening = arena(2)
    evening.step()
    assert evening.step(2 * 60_000) == ()
    evening.end(1, Result.X)
    evening.step()
    assert evening.it.status == "finished"
    assert evening.it[P1].wins == 1


def test_a_pause_is_added_to_its_time() -> None:
    evening = arena(2)
    evening.tell(Pause())
    assert evening.step(5 * 60_000) == ()
    evening.tell(Resume())
    assert evening.it.ends_at == evening.now + 2 * 60_000


def test_a_player_who_is_paired_and_not_there_costs_the_other_nothing() -> None:
    evening = arena(2)
    evening.step()
    evening.now += 10_000
    evening.take(absent(evening.it, 1, {P2}, 10_000, evening.now))
    assert evening.it.game(1).result is Result.VOID
    assert evening.it[P1].points == evening.it[P2].losses == 0


def test_a_player_who_leaves_a_game_loses_it_after_the_grace() -> None:
    evening = arena(2)
    evening.step(0)
    evening.now += 60_000
    assert absent(evening.it, 1, {P2}, 29_999, evening.now) == ()
    evening.take(absent(evening.it, 1, {P2}, 30_000, evening.now))
    assert evening.it[SessionId("p1")].wins == 1


def test_nothing_is_played_without_two_players() -> None:
    evening = arena(2)
    for player in names(2):
        evening.tell(Remove(player=player))
    assert evening.step() == ()
    assert evening.it.status == "running"
