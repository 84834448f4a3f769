"""The rounds of a Swiss: complete, with sides that change, and byes for the lowest."""

from collections import Counter
from itertools import pairwise
from random import Random
from time import process_time

import networkx as nx
import pytest

from tests.server.tournaments.rules.tournaments import Choose, Evening, at_random, names, stronger
from ttt_protocol.state import SessionId
from ttt_protocol.tournament.commands import Excuse
from ttt_protocol.tournament.settings import EarlyEnd, Form, Result
from ttt_server.tournaments.rules.forms import Candidate, Field, Over, Pairing, field_of
from ttt_server.tournaments.rules.matching import find_round
from ttt_server.tournaments.rules.values import Tournament


def swiss(players: int, rounds: int, **settings: object) -> Evening:
    evening = Evening(Form.SWISS, names(players), rounds=rounds, **settings)
    evening.start()
    return evening


def has_round(it: Tournament) -> bool:
    """Whether all can be paired without a repetition, by a matching of another kind of graph."""
    players = [each.id for each in it.active]
    graph = nx.complete_graph(players)
    graph.remove_edges_from(tuple(pair) for pair in it.met())
    if len(players) % 2:
        fewest = min(len(each.byes) for each in it.active)
        graph.add_edges_from((each.id, "") for each in it.active if len(each.byes) == fewest)
    size = len(players) + len(players) % 2
    return 2 * len(nx.max_weight_matching(graph, maxcardinality=True)) == size


def check_all_rounds(players: int, choose: Choose) -> None:
    evening = swiss(players, rounds=players - 1 + players % 2)
    while evening.it.status != "finished":
        before, has_one = evening.it, has_round(evening.it)
        games = evening.play_round(choose)
        if before.round < before.settings.rounds:
            assert bool(games) is has_one
            assert len(games) == (players // 2 if has_one else 0)
    met = Counter(frozenset((game.X, game.O)) for game in evening.it.games)
    assert set(met.values()) == {1}
    byes = [len(each.byes) for each in evening.it.active]
    assert max(byes) - min(byes) <= 1


@pytest.mark.parametrize("players", [*range(4, 13), 22, 36])
def test_a_swiss_ends_only_where_no_round_exists(players: int) -> None:
    check_all_rounds(players, stronger if players % 2 else at_random(Random(players)))


@pytest.mark.heavy
@pytest.mark.parametrize("players", range(4, 65))
def test_a_swiss_of_any_size_ends_only_where_no_round_exists(players: int) -> None:
    check_all_rounds(players, at_random(Random(-players)))


def seats_of(it: Tournament, player: SessionId) -> str:
    seats = (game.seat(player) for game in it.games)
    return "".join(seat.value for seat in seats if seat is not None)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("players", [12, 13, 30])
def test_nobody_plays_one_side_three_times_in_a_row_or_much_more_often(
    players: int, seed: int
) -> None:
    evening = swiss(players, rounds=7)
    evening.play_on(at_random(Random(seed)))
    for player in names(players):
        seats = seats_of(evening.it, player)
        assert "XXX" not in seats
        assert "OOO" not in seats
        assert abs(seats.count("X") - seats.count("O")) <= 2


def candidate(number: int, seats: str = "", **fields: object) -> Candidate:
    usual = Candidate(SessionId(f"p{number}"), 0, seats, (), 0, is_late=False, is_stand_in=False)
    return usual._replace(**fields)  # type: ignore[arg-type]


def found(*candidates: Candidate) -> Pairing:
    pairing = find_round(Field(candidates))
    assert isinstance(pairing, Pairing)
    return pairing


def met_in(pairing: Pairing) -> list[set[str]]:
    return [{pair.X, pair.O} for pair in pairing.pairs]


def test_sides_come_before_points() -> None:
    pairing = found(
        candidate(1, "OXX", points=6),
        candidate(2, "OXX", points=6),
        candidate(3, "XOO"),
        candidate(4, "XOO"),
    )
    assert met_in(pairing) == [{"p1", "p3"}, {"p2", "p4"}]
    assert {pair.O for pair in pairing.pairs} == {"p1", "p2"}


def test_where_two_must_play_the_same_side_the_more_due_does() -> None:
    pairing = found(candidate(1, "OXX"), candidate(2, "XX"))
    assert (pairing.pairs[0].X, pairing.pairs[0].O) == ("p1", "p2")


def test_two_who_are_equally_due_change_from_the_round_in_which_they_differed() -> None:
    assert found(candidate(1, "XOOX"), candidate(2, "OXOX")).pairs[0].X == "p1"
    assert found(candidate(1, "OXOX"), candidate(2, "XOOX")).pairs[0].X == "p2"


def test_two_with_the_same_past_play_as_the_first_is_due() -> None:
    assert found(candidate(1, "XO"), candidate(2, "XO")).pairs[0].X == "p1"
    assert found(candidate(1, "OX"), candidate(2, "OX")).pairs[0].X == "p2"


def test_the_first_at_every_other_board_begins_the_first_round() -> None:
    evening = swiss(8, rounds=1)
    evening.step()
    assert [game.X for game in evening.it.games] == ["p1", "p6", "p3", "p8"]


def test_a_bye_goes_to_the_fewest_points_then_the_most_games_then_the_lowest() -> None:
    two = candidate(1, "XO", points=2), candidate(2, "OX", points=2)
    assert found(*two, candidate(3, "XO"), candidate(4, "X"), candidate(5, "O")).byes == ("p3",)
    assert found(*two, candidate(3, "X"), candidate(4, "X"), candidate(5, "O")).byes == ("p5",)


def test_a_bye_goes_past_a_player_without_whom_no_round_exists() -> None:
    pairing = found(
        candidate(1, opponents=(1,)), candidate(2, opponents=(0,)), candidate(3, points=-1)
    )
    assert pairing.byes == ("p2",)


def test_a_latecomer_plays_at_once_and_the_lowest_of_the_others_has_the_bye() -> None:
    for result in (Result.DRAW, Result.X):
        evening = swiss(4, rounds=3)
        evening.play_round(lambda _, result=result: result)  # type: ignore[misc]
        evening.enter("late")
        lowest = min(evening.it.active[:4], key=lambda each: (each.points, -each.number)).id
        evening.step()
        assert not evening.it[SessionId("late")].byes
        assert evening.it[lowest].byes == (2,)


def test_a_latecomer_who_makes_the_field_even_is_paired() -> None:
    evening = swiss(5, rounds=3)
    evening.play_round(stronger)
    evening.enter("late")
    evening.step()
    assert len(evening.it.open_games) == 3


def test_a_stand_in_that_all_have_met_leaves_a_bye() -> None:
    stand_in = {"strategy": "rules"}
    evening = swiss(3, rounds=5, stand_in=stand_in)
    evening.play_on(lambda game: Result.X if game.O.startswith("ai") else Result.DRAW)
    assert evening.it.ended_early is EarlyEnd.NO_PAIRING
    assert sum("ai-1" in (game.X, game.O) for game in evening.it.games) == 3


def test_a_bye_takes_the_place_of_a_stand_in_where_it_alone_makes_a_round() -> None:
    people = [candidate(at, opponents=(3,)) for at in range(1, 4)]
    pairing = found(*people, candidate(4, opponents=(0, 1, 2), is_stand_in=True))
    assert pairing.byes == ("p3",)
    assert pairing.bye_points == 2


def test_two_groups_who_have_met_only_each_other_have_no_round() -> None:
    first, second = (0, 1, 2), (3, 4, 5)
    candidates = [candidate(at, opponents=second if at in first else first) for at in range(6)]
    assert find_round(Field(tuple(candidates))) == Over(EarlyEnd.NO_PAIRING)


def test_distant_opponents_are_found_where_all_near_ones_have_been_met() -> None:
    """Forty players who can only play the one forty places away."""
    count = 80
    candidates = [
        candidate(at, points=count - at, opponents=tuple(set(range(count)) - {(at + 40) % count}))
        for at in range(count)
    ]
    assert len(found(*candidates).pairs) == 40


def test_sides_are_given_up_only_where_no_round_keeps_them() -> None:
    candidates = [candidate(at, "XX") for at in range(4)] + [candidate(4, "OO"), candidate(5, "OO")]
    pairing = found(*candidates)
    assert len(pairing.pairs) == 3
    broken = [pair for pair in pairing.pairs if {pair.X, pair.O} <= {f"p{at}" for at in range(4)}]
    assert len(broken) == 1


@pytest.mark.heavy
def test_a_round_of_five_hundred_players_takes_less_than_five_seconds() -> None:
    evening = swiss(500, rounds=6)
    for _ in range(6):
        began = process_time()
        evening.play_round(at_random(Random(evening.it.round)))
        assert process_time() - began < 5
    seats = [seats_of(evening.it, player) for player in names(500)]
    assert not any("XXX" in each or "OOO" in each for each in seats)


def test_the_field_knows_seats_opponents_and_latecomers() -> None:
    evening = swiss(4, rounds=3)
    evening.play_round(stronger)
    evening.tell(Excuse(player=SessionId("p3")))
    evening.enter("late")
    (first, *others) = field_of(evening.it).candidates
    assert [each.id for each in (first, *others)] == ["p1", "p2", "p4", "late"]
    assert [each.is_late for each in (first, *others)] == [False, False, False, True]
    assert (first.seats, first.opponents) == ("X", ())
    assert others[0].opponents == (2,)
    assert all(a.points >= b.points for a, b in pairwise((first, *others)))
