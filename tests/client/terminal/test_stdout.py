import errno
import os
from collections.abc import Callable
from io import StringIO

import pytest

from ttt_client.terminal.stdout import CannotWrite, Output


def output(*, ascii_only: bool = False) -> tuple[Output, StringIO, StringIO]:
    out, err = StringIO(), StringIO()
    return Output(out, err, ascii_only=ascii_only), out, err


def test_no_escape_code_ever_reaches_the_terminal() -> None:
    shown, out, err = output()
    shown.say("a\x1b[31mb\x07\x9b2Jc")
    shown.warn("d\x1b]0;title\x07e")
    assert out.getvalue() == "abc\n"
    assert err.getvalue() == "ttt-client: de\n"


def test_ascii_is_nothing_but_ascii() -> None:
    shown, out, _ = output(ascii_only=True)
    shown.say("café │")
    assert out.getvalue() == "caf? ?\n"


def test_json_is_one_line_whatever_stands_between_its_tokens() -> None:
    shown, out, _ = output(ascii_only=True)
    shown.raw('{"a":\r\n "é\u2028"}')
    assert out.getvalue() == '{"a":   "é\u2028"}\n'


class Full(StringIO):
    """A file on a full disk."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def flush(self) -> None:
        raise OSError(self._number, os.strerror(self._number))


@pytest.mark.parametrize("say", [Output.say, Output.raw])
def test_an_output_that_takes_no_more_is_told(say: Callable[[Output, str], None]) -> None:
    with pytest.raises(CannotWrite, match=r"^standard output: No space left on device$"):
        say(Output(Full(errno.ENOSPC), StringIO(), ascii_only=False), "lost")
    with pytest.raises(BrokenPipeError):
        say(Output(Full(errno.EPIPE), StringIO(), ascii_only=False), "unread")
