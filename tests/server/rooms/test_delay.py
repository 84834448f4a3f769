"""A room as spectators with a delay see it."""

from tests.server.examples import duel
from ttt_server.rooms.live_room import Delay

FIRST, SECOND, THIRD = duel(1), duel(2), duel(3)


def test_nothing_later_is_shown_at_first() -> None:
    delay = Delay(FIRST)
    assert (delay.seen, delay.due, delay.next(1e9)) == (FIRST, None, None)


def test_each_state_is_shown_when_it_is_due_with_its_events() -> None:
    delay = Delay(FIRST)
    delay.add(SECOND, (b"two",), 10.0)
    delay.add(THIRD, (b"three",), 12.0)
    assert delay.latest is THIRD
    assert delay.due == 10.0
    assert delay.next(9.9) is None
    assert delay.seen is FIRST
    assert delay.next(12.0) == (b"two",)
    assert delay.seen is SECOND
    assert delay.next(12.0) == (b"three",)
    assert delay.seen is THIRD
    assert delay.next(1e9) is None


def test_a_look_between_two_shows_the_newest_that_is_old_enough() -> None:
    delay = Delay(FIRST)
    delay.add(SECOND, (), 10.0)
    delay.add(THIRD, (), 12.0)
    assert [delay.at(now) for now in (9.9, 10.0, 11.9, 12.0)] == [FIRST, SECOND, SECOND, THIRD]
    assert delay.seen is FIRST, "a look tells nothing"
