"""A room as spectators with a delay see it."""

from tests.server.examples import duel
from ttt_server.rooms.past import Past

FIRST, SECOND, THIRD = duel(1), duel(2), duel(3)


def test_nothing_later_is_shown_at_first() -> None:
    past = Past(FIRST)
    assert (past.seen, past.due, past.next(1e9)) == (FIRST, None, None)


def test_each_state_is_shown_when_it_is_due_with_its_events() -> None:
    past = Past(FIRST)
    past.add(SECOND, (b"two",), 10.0)
    past.add(THIRD, (b"three",), 12.0)
    assert past.latest is THIRD
    assert past.due == 10.0
    assert past.next(9.9) is None
    assert past.seen is FIRST
    assert past.next(12.0) == (b"two",)
    assert past.seen is SECOND
    assert past.next(12.0) == (b"three",)
    assert past.seen is THIRD
    assert past.next(1e9) is None


def test_a_look_between_two_shows_the_newest_that_is_old_enough() -> None:
    past = Past(FIRST)
    past.add(SECOND, (), 10.0)
    past.add(THIRD, (), 12.0)
    assert [past.at(now) for now in (9.9, 10.0, 11.9, 12.0)] == [FIRST, SECOND, SECOND, THIRD]
    assert past.seen is FIRST, "a look tells nothing"
