import getpass
import os
from pathlib import Path

import pytest

from ttt_client.cli.arguments import login_name
from ttt_client.cli.main import parse


def test_the_login_name_is_taken_if_a_player_may_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "ada")
    assert login_name() == "ada"
    monkeypatch.setattr(getpass, "getuser", lambda: "n" * 25)
    assert login_name() == "guest"


def test_without_a_login_name_the_player_is_a_guest(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_000)
    assert login_name() == "guest"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Den", "den"),
        ("http://example.org/rooms/den", "den"),
        ("games.txt", Path("games.txt")),
        ("./den", Path("den")),
        ("-", Path("-")),
    ],
)
def test_a_replay_is_of_a_room_or_of_a_file(text: str, source: str | Path) -> None:
    assert parse(["replay", text]).room == source


def test_pictures_have_the_names_of_their_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    asked = parse(["replay", "den", "--gif", "a.GIF", "--svg", "b.svg"])
    assert asked.pictures == [Path("b.svg"), Path("a.GIF")]
    for wrong, words in (
        (["--gif", "a.png"], "--gif: the name of the file ends with .gif"),
        (["--svg", "a.svg", "--json"], "--json draws no pictures"),
    ):
        with pytest.raises(SystemExit):
            parse(["replay", "den", *wrong])
        assert words in capsys.readouterr().err


def test_days_are_no_clock(capsys: pytest.CaptureFixture[str]) -> None:
    assert parse(["join", "den", "--days", "14"]).days == 14
    assert parse(["bot", "den", "--exec", "true", "--days", "1"]).days == 1
    for wrong, words in (
        (["--days", "15"], "--days: 1 to 14 days"),
        (["--days", "3", "--clock", "5+3"], "--days and --clock exclude each other"),
    ):
        with pytest.raises(SystemExit):
            parse(["join", "den", *wrong])
        assert words in capsys.readouterr().err
