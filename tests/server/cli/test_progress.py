from io import StringIO

import pytest

from ttt_server.cli.console import Progress


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def last_line(terminal: Terminal) -> str:
    return terminal.getvalue().rpartition("\x1b[K")[2]


@pytest.fixture(autouse=True)
def _terminal_of_80(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")


def test_it_grows_and_says_how_long() -> None:
    terminal, clock = Terminal(), Clock()
    with Progress(400, "games", clock, terminal) as progress:
        assert last_line(terminal) == f"|{'.' * 40}| 0 of 400 games"
        clock.now = 1.0
        progress.advance(100)
        assert last_line(terminal) == f"|{'#' * 10}{'.' * 30}| 100 of 400 games, 3 s left"
        clock.now = 400.0
        progress.advance(100)
        assert last_line(terminal).endswith("| 200 of 400 games, 6 min left")
    assert last_line(terminal) == ""


def test_it_is_not_drawn_more_often_than_one_can_see() -> None:
    terminal, clock = Terminal(), Clock()
    with Progress(1000, "games", clock, terminal) as progress:
        for _ in range(1000):
            clock.now += 0.001
            progress.advance(1)
    assert terminal.getvalue().count("games") < 20


def test_a_narrow_terminal_has_the_numbers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "12")
    terminal = Terminal()
    with Progress(3, "games", Clock(), terminal):
        assert last_line(terminal) == " 0 of 3 games"


def test_it_says_nothing_to_what_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    file, dumb, clock = StringIO(), Terminal(), Clock()
    with Progress(3, "games", clock, file) as progress:
        clock.now = 1.0
        progress.advance(3)
    assert file.getvalue() == ""
    monkeypatch.setenv("TERM", "dumb")
    with Progress(3, "games", clock, dumb):
        pass
    assert dumb.getvalue() == ""


def test_it_is_gone_after_a_failure_too() -> None:
    terminal = Terminal()
    with pytest.raises(KeyboardInterrupt), Progress(3, "games", Clock(), terminal):
        raise KeyboardInterrupt
    assert terminal.getvalue().endswith("\r\x1b[K")
