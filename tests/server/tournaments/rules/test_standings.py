"""Standings and tie-breaks."""

from tests.server.tournaments.rules.tournaments import Evening, names, stronger
from ttt_protocol.state import SessionId
from ttt_protocol.tournament.commands import Excuse, Remove
from ttt_protocol.tournament.settings import Form, Result
from ttt_server.tournaments.rules.decide import enter
from ttt_server.tournaments.rules.standings import standings

P1, P2, P3, P4 = names(4)


def ranks(evening: Evening) -> list[tuple[int, str]]:
    return [(row.rank, row.entrant.id) for row in standings(evening.it)]


def test_equal_players_share_a_rank() -> None:
    evening = Evening(Form.ARENA, names(3))
    assert ranks(evening) == [(1, P1), (1, P2), (1, P3)]
    evening.start()
    evening.step()
    evening.end(1, Result.X)
    winner, loser = evening.it.game(1).X, evening.it.game(1).O
    assert ranks(evening)[0] == (1, winner)
    assert (2, loser) in ranks(evening)


def test_buchholz_is_the_sum_of_the_points_of_all_opponents() -> None:
    evening = Evening(Form.SWISS, names(4), rounds=2)
    evening.start()
    evening.play_on(stronger)  # 1-3, 2-4; then 1-2, 3-4
    rows = {row.entrant.id: row for row in standings(evening.it)}
    assert [rows[it].entrant.points for it in names(4)] == [4, 2, 2, 0]
    assert [rows[it].buchholz for it in names(4)] == [4, 4, 4, 4]
    assert [rows[it].sonneborn_berger for it in names(4)] == [8, 0, 0, 0]


def test_a_bye_counts_as_a_game_against_an_equal() -> None:
    evening = Evening(Form.SWISS, names(3), rounds=1)
    evening.start()
    evening.play_on(stronger)
    rows = {row.entrant.id: row for row in standings(evening.it)}
    assert rows[P3].buchholz == rows[P3].entrant.points == 2


def test_the_game_between_two_equals_decides_a_round_robin() -> None:
    evening = Evening(Form.ROUND_ROBIN, names(4))
    evening.start()
    wins = {frozenset((P1, P2)): P2, frozenset((P1, P3)): P1, frozenset((P1, P4)): P1}
    wins |= {frozenset((P2, P3)): P3, frozenset((P2, P4)): P2, frozenset((P3, P4)): P4}
    evening.play_on(
        lambda game: Result.X if wins[frozenset((game.X, game.O))] == game.X else Result.O
    )
    assert ranks(evening)[:2] == [(1, P2), (2, P1)]  # both with two wins
    assert [row.direct for row in standings(evening.it)][:2] == [2, 0]


def test_draws_count_half_of_the_opponents_points() -> None:
    evening = Evening(Form.ROUND_ROBIN, names(2))
    evening.start()
    evening.play_on(lambda _: Result.DRAW)
    assert [row.sonneborn_berger for row in standings(evening.it)] == [1, 1]


def test_a_void_game_counts_for_nothing() -> None:
    evening = Evening(Form.SWISS, names(2), rounds=1)
    evening.start()
    evening.step()
    evening.end(1, Result.VOID)
    assert [row.buchholz for row in standings(evening.it)] == [0, 0]


def test_removed_players_and_an_unused_stand_in_are_not_listed() -> None:
    evening = Evening(Form.SWISS, names(2), stand_in={"strategy": "rules"})
    evening.tell(Remove(player=SessionId(P2)))
    assert ranks(evening) == [(1, P1)]


def round_robin_that_the_last_leaves(players: int, after: int) -> Evening:
    """Play a round-robin whose last player wins `after` rounds and leaves; the rest are draws."""
    evening = Evening(Form.ROUND_ROBIN, names(players))
    evening.start()
    last = names(players)[-1]
    for _ in range(after):
        evening.play_round(lambda game: Result.X if last == game.X else Result.O)
    evening.tell(Excuse(player=last))
    evening.play_on(lambda _: Result.DRAW)
    return evening


def test_the_results_of_a_player_who_leaves_a_round_robin_early_do_not_count() -> None:
    evening = round_robin_that_the_last_leaves(4, after=1)
    rows = standings(evening.it)
    assert [row.is_left_out for row in rows] == [False, False, False, True]
    assert rows[-1].entrant.id == "p4"
    assert rows[-1].entrant.points == rows[-1].entrant.played == 0
    assert {row.entrant.played for row in rows[:-1]} == {2}
    assert evening.it[SessionId("p4")].played == 1, "the tournament still knows them"


def test_they_count_from_half_of_the_games_on() -> None:
    rows = standings(round_robin_that_the_last_leaves(5, after=3).it)
    assert not any(row.is_left_out for row in rows)


def test_a_game_that_the_leaving_player_gave_up_is_not_one_of_the_half() -> None:
    evening = Evening(Form.ROUND_ROBIN, names(4))
    evening.start()
    evening.play_round(lambda _: Result.DRAW)
    evening.step()
    evening.tell(Excuse(player=SessionId("p4")))
    assert [row.entrant.id for row in standings(evening.it) if row.is_left_out] == ["p4"]


def test_a_player_who_left_before_the_start_is_no_part_of_the_half() -> None:
    evening = Evening(Form.ROUND_ROBIN, names(6))
    for player in ("p5", "p6"):
        evening.tell(Excuse(player=SessionId(player)))
    evening.start()
    while sum(it.played for it in evening.it.entrants.values() if it.id == "p4") < 2:
        evening.play_round(lambda _: Result.DRAW)
    evening.tell(Excuse(player=SessionId("p4")))
    assert not any(row.is_left_out for row in standings(evening.it))


def test_a_player_who_comes_back_counts_again() -> None:
    evening = Evening(Form.ROUND_ROBIN, names(4))
    evening.start()
    evening.play_round(stronger)
    evening.tell(Remove(player=SessionId("p4")))
    assert sorted(row.entrant.played for row in standings(evening.it)) == [0, 1, 1]
    evening.take(enter(evening.it, SessionId("p4"), "p4", evening.now))
    assert not any(row.is_left_out for row in standings(evening.it))
