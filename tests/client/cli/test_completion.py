import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ttt_client.cli.completion import names
from ttt_client.cli.main import main

BASH = shutil.which("bash")


def test_names_are_those_of_the_server(
    pages: Callable[..., str], answer: Callable[..., bytes]
) -> None:
    rooms = {"rooms": [{"name": "den"}, {"name": "$(reboot)"}, {"name": "a-b"}]}
    address = pages(
        {
            "/api/rooms": answer(json.dumps(rooms)),
            "/api/strategies": answer(
                json.dumps({"strategies": [{"name": "rules"}, {"name": "minimax", "levels": True}]})
            ),
        }
    )
    assert names("rooms", address) == ["den", "a-b"]
    levels = [f"minimax:{level}" for level in range(10)]
    strengths = ["beginner", "fair", "strong", "perfect"]
    assert names("ais", address) == [*strengths, "rules", "minimax", *levels]
    assert "7x6x4g" in names("boards", address)


@pytest.mark.parametrize("body", ["<html>", "[]", "{}", '{"rooms": 5}'])
def test_without_a_server_there_are_none(
    body: str, pages: Callable[..., str], answer: Callable[..., bytes]
) -> None:
    assert names("rooms", pages({"/api/rooms": answer(body)})) == []
    assert names("rooms", "127.0.0.1:1") == []
    assert names("rooms", "ftp://x") == []
    assert names("ais", "127.0.0.1:1") == ["beginner", "fair", "strong", "perfect"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_are_told_how_to_complete(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--print-completion", shell])
    assert ended.value.code == 0
    script = capsys.readouterr().out
    for word in ("ttt-client", "replay", "clock", "no-mouse", "--print-names rooms"):
        assert word in script


def test_the_names_are_printed_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--server", "127.0.0.1:1", "--print-names", "ais"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.splitlines() == ["beginner", "fair", "strong", "perfect"]


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("jo", "join"),
        ("join den --cl", "--clock"),
        ("rooms --fo", "--follow"),
        ("join a", "attic"),
        ("watch a", "attic"),
        ("join den --vs f", "fair"),
        ("join den --rules 7", "7x6x4g"),
        ("join den --vs minimax:", "minimax:9"),
        ("watch den --play f", "fair"),
        ("watch den --play fair,mini", "fair,minimax:9"),
        ("bot den --vs f", "fair"),
        ("rooms --theme d", "dark"),
        ("replay a", "attic"),
        ("replay ga", "games.txt"),
        ("replay ga", "filenames"),
        ("seats --pairs ga", "games.txt"),
        ("replay den --svg ga", "games.txt"),
    ],
)
def test_bash_completes(
    typed: str, completed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--print-completion", "bash"])
    program = tmp_path / "ttt-client"
    program.write_text("#!/bin/sh\n[ $1 = --print-names ] && echo attic fair 7x6x4g minimax:9\n")
    (tmp_path / "games.txt").write_text("")
    program.chmod(0o700)
    ask = f"""PATH={tmp_path}:$PATH
        {capsys.readouterr().out}
        compopt() {{ echo "$2"; }}
        COMP_WORDS=(ttt-client {typed}); COMP_CWORD={len(typed.split())}
        eval "$(complete -p ttt-client | grep -o '_shtab[^ ]*')"; echo "${{COMPREPLY[@]}}"
    """
    assert BASH
    found = subprocess.run(
        [BASH, "-c", ask], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert completed in found.stdout.split()
