from ttt_engine.arena.ratings import next_pair


def test_a_new_one_plays_first_against_the_nearest() -> None:
    assert next_pair([100, -90, 0, 20], [10, 10, 0, 10], {}) == (2, 3)


def test_two_that_met_often_give_way_to_others() -> None:
    met = {(0, 1): 20}
    assert next_pair([0, 10, 60], [20, 20, 20], met) == (0, 2)
    assert next_pair([0, 10, 600], [20, 20, 20], met) == (0, 1)
