from pathlib import Path

import pytest

from tests.server.configs import fault, toml
from ttt_server.config.options import Config, flag, load


def test_flags_before_environment_before_file_before_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = toml(tmp_path, "port = 1\nmax_rooms = 1\noutbox = 1\n")
    monkeypatch.setenv("TTT_PORT", "2")
    monkeypatch.setenv("TTT_MAX_ROOMS", "2")
    config = load({"port": "3"}, file)
    assert (config.port, config.max_rooms, config.outbox, config.max_frame) == (3, 2, 1, 4096)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("none.toml", "none.toml: No such file or directory"),
        (".", ".: Is a directory"),
        ("", "must not be empty"),
    ],
)
def test_a_file_that_is_none(
    name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert fault({}, name) == f"--config: {words}"


def test_an_empty_variable_names_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTT_CONFIG", "")
    assert load({}, None).port == 8765


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"port = \n", "is no TOML: Invalid value (at line 1, column 8)"),
        (b"\xff\xfe = 1\n", "line 1 is not UTF-8"),
        (b"port = 1\n# \xc3\xa4 \xff\n", "line 2 is not UTF-8"),
    ],
)
def test_a_file_that_is_no_toml(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "ttt.toml"
    path.write_bytes(content)
    assert fault({}, path) == f"--config: {path}: {words}"


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("max_roms", "there is no option 'max_roms'"),
        ("max-rooms", "there is no option 'max-rooms'; write max_rooms"),
    ],
)
def test_an_unknown_key_in_the_file(key: str, words: str, tmp_path: Path) -> None:
    file = toml(tmp_path, f"{key} = 1\n")
    assert fault({}, file) == f"--config: {file}: {words}"


def test_a_config_of_code_reads_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTT_MAX_ROOMS", "2")
    assert Config().max_rooms == 10_000
    assert load({}, None).max_rooms == 2


def test_the_names_of_flags() -> None:
    assert flag("commands_per_10s") == "--commands-per-10s"
