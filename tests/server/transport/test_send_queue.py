import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_server.transport.send_queue import SendQueue, Waiting


def state(number: int) -> Waiting:
    return Waiting(b"state %d" % number, is_state=True)


def word(number: int) -> Waiting:
    return Waiting(b"word %d" % number, is_state=False)


def filled(limit: int, *messages: Waiting) -> SendQueue:
    queue = SendQueue(limit)
    for message in messages:
        queue.put(message.frame, is_state=message.is_state)
    return queue


def drained(queue: SendQueue) -> list[bytes]:
    return [queue.take() for _ in range(len(queue))]


def test_first_in_first_out() -> None:
    assert drained(filled(3, word(1), state(2), word(3))) == [b"word 1", b"state 2", b"word 3"]


def test_an_empty_queue_has_nothing_to_take() -> None:
    with pytest.raises(IndexError):
        SendQueue(1).take()


def test_a_full_queue_skips_to_the_newest_state() -> None:
    assert drained(filled(3, state(1), state(2), state(3), state(4))) == [b"state 4"]


def test_other_messages_stay_while_there_is_room() -> None:
    assert drained(filled(3, word(1), state(2), state(3), state(4))) == [b"word 1", b"state 4"]


def test_another_message_leaves_the_newest_state() -> None:
    queue = filled(3, state(1), state(2), word(3), word(4))
    assert drained(queue) == [b"state 2", b"word 3", b"word 4"]


def test_other_messages_cannot_push_out_the_newest_state() -> None:
    queue = filled(3, state(1), *(word(number) for number in range(2, 9)))
    assert drained(queue) == [b"state 1", b"word 7", b"word 8"]


def test_the_oldest_other_messages_go() -> None:
    assert drained(filled(2, word(1), word(2), word(3))) == [b"word 2", b"word 3"]
    assert drained(filled(2, word(1), word(2), state(3))) == [b"word 2", b"state 3"]


def test_a_queue_of_one() -> None:
    assert drained(filled(1, word(1), word(2))) == [b"word 2"]
    assert drained(filled(1, word(1), state(2), state(3))) == [b"state 3"]
    assert drained(filled(1, state(1), word(2))) == [b"state 1"]


@given(st.integers(1, 5), st.lists(st.booleans(), max_size=30))
def test_it_is_bounded_in_order_and_has_the_newest_state(limit: int, kinds: list[bool]) -> None:
    queue = SendQueue(limit)
    sent = [state(n) if is_state else word(n) for n, is_state in enumerate(kinds)]
    for message in sent:
        queue.put(message.frame, is_state=message.is_state)
        assert len(queue) <= limit
    order = [message.frame for message in sent]
    left = drained(queue)
    assert left == sorted(left, key=order.index)
    if states := [message.frame for message in sent if message.is_state]:
        assert states[-1] in left
    if sent and limit > 1:
        assert left[-1] == order[-1]
