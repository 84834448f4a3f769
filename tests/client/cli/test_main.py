import subprocess
import sys
from importlib.metadata import version

import pytest

from ttt_client.cli.command_line import COMMANDS
from ttt_client.cli.main import main, parse
from ttt_client.net.address import parse_server
from ttt_protocol.state import AiSetting, ClockSetting, Rules

QUICK = """
import sys
from ttt_client.cli.main import main
try:
    main(sys.argv[1:])
finally:
    heavy = {"websockets", "pydantic", "ttt_protocol", "asyncio", "platformdirs", "typing"}
    heavy |= {"prompt_toolkit", "wcwidth", "shtab", "shutil"}
    heavy &= set(sys.modules)
    assert not heavy, heavy
"""


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TTT_SERVER", "TTT_NAME", "TTT_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def test_join_takes_all_its_options() -> None:
    line = "join Den --seat o --vs minimax:9 --rules 7x6x4g --clock 5+3 --private --password p"
    found = parse([*line.split(), "--hints"])
    assert found.room == "den"
    assert found.seat == "O"
    assert found.vs == AiSetting(strategy="minimax", level=9)
    assert found.rules == Rules(columns=7, rows=6, in_a_row=4, gravity=True)
    assert found.clock == ClockSetting(initial_s=300, increment_s=3)
    assert found.private
    assert found.password == "p"
    assert found.hints


def test_replay_takes_a_room_and_perhaps_a_game() -> None:
    found = parse(["replay", "Den", "12"])
    assert (found.room, found.game) == ("den", 12)
    assert parse(["replay", "den"]).game is None


@pytest.mark.parametrize(
    "line",
    [
        "--server ws://h:1 --name eve --json --ascii --no-mouse rooms",
        "rooms --server ws://h:1 --name eve --json --ascii --no-mouse",
        "--server ws://h:1 --json rooms --ascii --name eve --no-mouse",
    ],
)
def test_common_options_stand_before_or_after_the_command(line: str) -> None:
    found = parse(line.split())
    assert found.server == parse_server("ws://h:1")
    assert found.name == "eve"
    assert (found.json, found.ascii, found.no_mouse, found.plain) == (True, True, True, False)


def test_the_environment_stands_in_for_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTT_SERVER", "wss://example.org/x")
    monkeypatch.setenv("TTT_NAME", "eve")
    monkeypatch.setenv("TTT_TOKEN", "secret")
    found = parse(["join", "den"])
    assert found.server == parse_server("wss://example.org/x")
    assert found.name == "eve"
    assert found.token == "secret"
    assert parse(["join", "den", "--name", "ada"]).name == "ada"


def test_without_any_the_server_is_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTT_SERVER", "")
    found = parse(["watch"])
    assert found.server == parse_server("ws://127.0.0.1:8765")
    assert found.token is None
    assert found.room is None


@pytest.mark.parametrize(
    "line",
    [
        "",
        "jion den",
        "join",
        "join -bad-",
        "join den --seat Z",
        "join den --vs minimax:99",
        "join den --rules 2x2x2",
        "join den --clock 5",
        "join den --password " + "p" * 129,
        "join den --password=",
        "watch --play rules,minimax",
        "watch den --games 3",
        "watch den --play rules,minimax --games 0",
        "watch den --play rules,minimax --games 1001",
        "watch den --play rules",
        "rooms --plain --json",
        "--json rooms --plain",
        "rooms --server ftp://x",
        "rooms --server=",
        "rooms --name " + "n" * 25,
        "replay",
        "replay -bad-",
        "replay den 0",
        "replay den -1",
        "replay den x",
        "replay den 1.0",
        "replay den 1 2",
        "replay den 1000000000",
    ],
)
def test_wrong_usage_is_told_on_one_line_and_ends_with_2(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        parse(line.split())
    assert end.value.code == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    assert ": error: " in told.err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("join den --rules 12345678x3x3", "columns: must be at most 19"),
        ("join den --delay HUGE", "--delay: 0 to 3600 seconds"),
        ("replay den HUGE", "GAME: a game is a number from 1 to 999999999"),
        ("bot den --exec x --games HUGE", "--games: a series has 1 to 1000 games"),
        ("bot --exec x --lobby HUGE", "--lobby: a bot plays in 1 to 64 rooms at once"),
        ("bot den --exec 'x", "--exec: a quotation mark is not closed"),
        ("event create den --minutes HUGE", "--minutes: must be a whole number"),
        ("rooms --server ws://h:HUGE", "with a port of at most 65535"),
    ],
)
def test_a_value_without_a_meaning_is_told_in_words_of_this_program(
    line: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parse(line.replace("HUGE", "9" * 5000).split())
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(("line", "named"), [("--fly", "--fly"), ("--plain", "say what to do")])
def test_without_a_command_the_first_fault_is_named(
    line: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        parse([line])
    assert end.value.code == 2
    assert named in capsys.readouterr().err


@pytest.mark.parametrize(
    ("variable", "value"),
    [("TTT_SERVER", "ftp://x"), ("TTT_NAME", "n" * 25), ("TTT_TOKEN", "t" * 257)],
)
def test_a_wrong_variable_is_named(
    variable: str,
    value: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(SystemExit) as end:
        parse(["rooms"])
    assert end.value.code == 2
    assert f"error: {variable}: " in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_import_nothing_heavy(option: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", QUICK, option], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout.startswith(("usage: ttt-client", "ttt-client "))


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_the_help_fits_a_terminal_of_80_columns(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main([*command.split(), "--help"])
    assert [line for line in capsys.readouterr().out.splitlines() if len(line) > 80] == []


def test_the_module_runs_as_the_command_does() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ttt_client", "--version"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("ttt-client ")
    assert done.returncode == 0


def test_no_server_is_exit_code_3_and_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rooms", "--server", "127.0.0.1:1"]) == 3
    told = capsys.readouterr()
    assert told.out == ""
    assert (
        told.err
        == "ttt-client: nothing listens at 127.0.0.1:1; start ttt-server, or give --server\n"
    )


def test_the_version_is_the_installed_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"ttt-client {version('ttt-rooms')}\n"


@pytest.mark.parametrize(
    "line",
    ["--name join watch den", "--nam join watch den", "watch den", "--plain watch den"],
)
def test_a_value_that_is_called_like_a_command_is_none(line: str) -> None:
    assert parse(line.split()).command == "watch"


def test_a_mistyped_option_of_a_command_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["join", "den", "--rulse", "3x3x3"])
    assert "did you mean --rules?" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        parse(["watch", "den", "--hints"])  # near --print-names, which the help does not name
    assert "--print-names" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["joni", "den"], "ttt-client: error: there is no command 'joni'; did you mean join?"),
        (["x"], "ttt-client: error: there is no command 'x'"),
        (
            ["join", "den", "--seat", "Z"],
            "ttt-client join: error: argument --seat: must be one of X, O",
        ),
    ],
)
def test_a_word_that_is_none_of_the_known_ones(
    argv: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(argv)
    assert exit_.value.code == 2
    assert capsys.readouterr().err == f"{words}; see --help\n"
