from pathlib import Path

import pytest

from ttt_client.cli.arguments import InvalidSettings, read_settings
from ttt_client.cli.main import parse
from ttt_client.net.address import parse_server


def write(folder: Path, text: str) -> Path:
    file = folder / "client.toml"
    file.write_text(text)
    return file


def test_a_file_has_name_server_and_theme(tmp_path: Path) -> None:
    text = 'name = "ada"\nserver = "wss://h"\ntheme = "light"\n'
    assert read_settings(write(tmp_path, text)) == {
        "name": "ada",
        "server": "wss://h",
        "theme": "light",
    }
    assert read_settings(tmp_path / "none") == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = ", r"client\.toml, line 1: this is not TOML; a setting is like name = "),
        ("name = 'a'\ntheme", r"client\.toml, line 2: this is not TOML"),
        ("nmae = 'ada'", "nmae is not a setting"),
        ("name = 5", "name is a string"),
        ("theme = 'pink'", "a theme is one of auto, dark, light"),
    ],
)
def test_a_file_that_is_not_understood_is_told(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InvalidSettings, match=words):
        read_settings(write(tmp_path, text))


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "client.toml").write_bytes(b"name = 'ada'\n# \xff\n")
    with pytest.raises(InvalidSettings, match=r"client\.toml, line 2: this is not UTF-8$"):
        read_settings(tmp_path / "client.toml")


def test_a_home_that_is_no_folder_has_no_file() -> None:
    assert read_settings(Path("/dev/null/.config/ttt-rooms/client.toml")) == {}


def test_a_folder_in_its_place_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="Is a directory"):
        read_settings(tmp_path)


def test_options_come_before_variables_and_these_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "ttt-rooms").mkdir()
    file = write(tmp_path / "ttt-rooms", 'name = "file"\nserver = "file:1"\ntheme = "dark"\n')
    for name in ("TTT_NAME", "TTT_SERVER"):
        monkeypatch.delenv(name, raising=False)
    found = parse(["rooms"])
    assert (found.name, found.theme) == ("file", "dark")
    assert found.server == parse_server("file:1")
    monkeypatch.setenv("TTT_NAME", "variable")
    assert parse(["rooms", "--theme", "light"]).name == "variable"
    found = parse(["rooms", "--name", "option", "--theme", "light"])
    assert (found.name, found.theme) == ("option", "light")
    file.write_text("name = ''")
    monkeypatch.delenv("TTT_NAME")
    with pytest.raises(SystemExit):
        parse(["rooms"])
    assert "name in " in capsys.readouterr().err
    file.write_text("name")
    with pytest.raises(SystemExit):
        parse(["rooms"])
    assert "client.toml" in capsys.readouterr().err
