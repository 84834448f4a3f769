import gc
import os
import sys
from importlib.metadata import version
from types import ModuleType

import pytest

from ttt_server.cli import serve
from ttt_server.cli.main import COMMANDS, main, run
from ttt_server.telemetry.build import SERVER


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """A command `dance` beside the server; what it was run with."""
    calls: list[list[str]] = []
    module = ModuleType("dance_floor")

    def dance(arguments: list[str]) -> int:
        calls.append(arguments)
        return 7

    vars(module)["run"] = dance
    monkeypatch.setitem(sys.modules, "ttt_server.cli.dance_floor", module)
    monkeypatch.setitem(COMMANDS, "dance", ("dance_floor.run", "move to music"))
    return calls


def test_the_first_word_names_a_command(asked: list[list[str]]) -> None:
    assert run(["dance", "--slowly"]) == 7
    assert asked == [["--slowly"]]


def test_elsewhere_it_is_no_command(
    asked: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        run(["--port", "0", "dance"])
    assert exit_.value.code == 2
    assert capsys.readouterr().err == "ttt-server: unrecognized arguments: dance; see --help\n"
    assert asked == []


def test_help_names_the_commands(
    asked: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        run(["--help"])
    assert exit_.value.code == 0
    assert "  dance        move to music\n" in capsys.readouterr().out
    assert asked == []


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("dnace", "there is no command 'dnace'; did you mean dance?; see --help"),
        ("sing", "there is no command 'sing'; see --help"),
        ("--prot", "unrecognized arguments: --prot; did you mean --port?; see --help"),
    ],
)
def test_a_mistyped_word_is_asked_about(
    word: str, words: str, asked: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        run([word])
    assert exit_.value.code == 2
    assert capsys.readouterr().err == f"ttt-server: {words}\n"
    assert asked == []


def test_without_a_command_it_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "run", len)
    assert run(["--port", "0"]) == 2


def test_streams_that_are_closed_lead_nowhere(
    asked: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["ttt-server", "dance"])
    for name in ("stdin", "stderr"):
        monkeypatch.setattr(sys, name, None)
    with pytest.raises(SystemExit):
        main()
    assert asked == [[]]
    assert sys.stdin.read() == ""
    sys.stderr.write("nothing")
    for stream in (sys.stdin, sys.stderr):
        assert os.get_inheritable(stream.fileno())
        stream.close()


def test_garbage_is_looked_for_once_the_command_is_there(
    asked: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen: list[bool] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(gc.isenabled()))
    run(["dance"])
    assert frozen == [False]
    assert gc.isenabled()
    assert asked


def test_the_version_is_the_installed_one() -> None:
    assert f"ttt-rooms/{version('ttt-rooms')}" == SERVER
