"""The server as a program: the words for the person who has started it."""

from pathlib import Path

import pytest

from ttt_server.cli.serve import client_program


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install both programs in a folder, from which the server was started."""
    (tmp_path / "ttt-client").touch(mode=0o755)
    monkeypatch.setattr("sys.argv", [str(tmp_path / "ttt-server")])
    return tmp_path


def test_the_client_has_its_path_where_the_shell_would_not_find_it(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert client_program() == str(installed / "ttt-client")


def test_the_client_has_its_name_where_the_shell_finds_it(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(installed))
    assert client_program() == "ttt-client"


def test_the_client_has_its_name_where_it_is_not_beside_the_server(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    (installed / "ttt-client").unlink()
    assert client_program() == "ttt-client"
