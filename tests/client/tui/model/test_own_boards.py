"""Which of a player's boards is shown: the one that has waited longest."""

from ttt_client.tui.model.event import OVER_REST_S, REST_S, OwnBoards
from ttt_protocol.state import RoomName

A, B, C = map(RoomName, ("a", "b", "c"))
NOW = 100.0


def boards(waits: dict[RoomName, float | None], before: OwnBoards | None = None) -> OwnBoards:
    return (before or OwnBoards()).now(waits, (), NOW)


def test_a_new_board_is_shown_at_once_and_the_event_after_the_last() -> None:
    first = boards({A: None})
    assert first.shown == A
    assert boards({}, first).shown is None
    assert boards({}).shown is None


def test_the_board_that_has_waited_longest_comes_first() -> None:
    assert boards({A: None, B: 3.0, C: 2.0}).shown == C
    assert boards({A: None, B: 3.0, C: 2.0}).waiting == 2


def test_after_a_move_the_next_board_follows_when_the_move_was_seen() -> None:
    first = boards({A: 1.0, B: 2.0})
    moved = boards({A: None, B: 2.0}, first)
    assert (moved.shown, moved.changes_at) == (A, NOW + REST_S)
    assert moved.followed(NOW + REST_S - 0.1) == moved
    assert boards({A: None, B: 2.0}, moved).changes_at == NOW + REST_S
    assert moved.followed(NOW + REST_S).shown == B


def test_a_quick_answer_does_not_keep_the_player_from_the_other_boards() -> None:
    first = boards({A: 1.0, B: 2.0})
    answered = boards({A: 3.0, B: 2.0}, first)
    assert answered.followed(NOW + REST_S).shown == B


def test_a_board_that_waits_stays_in_sight_until_the_player_has_moved() -> None:
    first = boards({A: 5.0})
    assert boards({A: 5.0, B: 1.0}, first).changes_at is None
    alone = boards({A: None}, first)
    assert boards({A: 6.0}, alone).changes_at is None


def test_a_board_that_begins_to_wait_is_the_one_in_sight() -> None:
    first = boards({A: None, B: None})
    assert first.shown == A
    begun = boards({A: 7.0, B: None}, first)
    assert boards({A: 7.0, B: 1.0}, begun).changes_at is None


def test_the_end_of_a_game_stays_in_sight_for_longer() -> None:
    first = boards({A: 1.0, B: 2.0})
    over = first.now({A: None, B: 2.0}, (A,), NOW)
    assert over.changes_at == NOW + OVER_REST_S


def test_a_board_that_goes_makes_room_for_the_next() -> None:
    first = boards({A: 1.0, B: None, C: 5.0})
    assert boards({B: None, C: 5.0}, first).shown == C
    assert boards({B: None}, boards({A: 1.0, B: None})).shown == B


def test_other_boards_by_hand() -> None:
    first = boards({A: 1.0, B: None, C: 3.0})
    assert first.step(1).shown == B
    assert first.step(-1).shown == C
    assert first.step(-1).step(1).shown == A
    # A board that does not wait stays in sight, until another begins to wait.
    beside = boards({A: 1.0, B: None, C: 3.0}, first.step(1))
    assert beside.changes_at is None
    assert boards({A: 1.0, B: None, C: 4.0}, beside).followed(NOW + REST_S).shown == C
    assert boards({A: 1.0}).step(1).shown == A
    assert boards({}).step(1).shown is None


def test_a_board_that_was_passed_comes_again_after_the_next_move() -> None:
    passed = boards({A: 1.0, B: 2.0}).step(1)
    moved = boards({A: 1.0, B: None}, passed)
    assert moved.followed(NOW + REST_S).shown == A


def test_the_event_is_in_sight_until_a_board_begins_to_wait() -> None:
    looking = boards({A: 1.0, B: None}).look_at_event()
    assert looking.shown is None
    same = boards({A: 1.0, B: None}, looking)
    assert same.changes_at is None
    assert boards({A: 1.0, B: 9.0}, same).followed(NOW + REST_S).shown == B
    assert looking.look_at_boards().shown == A
    assert boards({A: None}).look_at_event().look_at_boards().shown == A
