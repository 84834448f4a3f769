from tests.server.examples import ADA, BOB
from ttt_server.rooms.chat import FEED, Chat


class Clock:
    """Seconds that a test sets."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_feed_has_the_last_lines_in_their_order() -> None:
    chat = Chat(Clock())
    for number in range(FEED + 3):
        chat.add(ADA, b"%d" % number)
    assert chat.feed == tuple(b"%d" % number for number in range(3, FEED + 3))
    chat.clear()
    assert chat.feed == ()


def test_a_speaker_is_known_as_long_as_a_line_is_kept() -> None:
    chat = Chat(Clock())
    assert not chat.has_spoken(ADA)
    chat.add(ADA, b"{}")
    assert chat.has_spoken(ADA)
    assert not chat.has_spoken(BOB)


def test_a_member_is_muted_until_the_host_says_otherwise() -> None:
    chat = Chat(Clock())
    chat.mute(ADA)
    assert chat.is_muted(ADA)
    assert not chat.is_muted(BOB)
    assert list(chat.muted) == [ADA]
    chat.unmute(ADA)
    assert not chat.muted
    assert not chat.is_muted(ADA)


def test_what_is_said_to_many_counts_more() -> None:
    clock = Clock()
    chat = Chat(clock)
    assert chat.may_say(20_000)
    assert not chat.may_say(1)
    clock.now += 1
    assert chat.may_say(5_000)
    assert not chat.may_say(1)
