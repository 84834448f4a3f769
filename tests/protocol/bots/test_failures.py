import signal

import pytest

from ttt_protocol.bots.failures import cannot_start, crashed, not_understood, too_slow


@pytest.mark.parametrize(
    ("status", "stderr", "words"),
    [
        (1, "", "crashed: exit status 1"),
        (-signal.SIGSEGV, "", "crashed: signal SIGSEGV"),
        (-200, "", "crashed: signal 200"),
        (0, "", "crashed: it ended without an answer"),
        (None, "", "crashed: it closed its output"),
        (3, "a\nb\n\nc\nd\x1b[31m\n", "crashed: exit status 3; it wrote: b / c / d"),
    ],
)
def test_a_crash_tells_the_status_and_the_last_lines(
    status: int | None, stderr: str, words: str
) -> None:
    assert str(crashed(status, stderr)) == words


def test_a_slow_move_tells_by_how_much() -> None:
    assert str(too_slow(2, 2.3)) == "too slow: 2.3 s of 2 s"


def test_a_long_line_is_cut_and_cleaned() -> None:
    words = str(not_understood("\x1b[31m" + "x" * 200))
    assert len(words) < 150
    assert words.endswith("x…'")


def test_a_program_that_is_not_there() -> None:
    error = cannot_start("./bot", FileNotFoundError(2, "No such file or directory"))
    assert str(error) == "cannot start ./bot: No such file or directory"
    assert str(cannot_start("./bot", OSError("odd"))) == "cannot start ./bot: odd"
