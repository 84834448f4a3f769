import sys
from io import StringIO
from pathlib import Path

import pytest

from ttt_client.net.session import Ending
from ttt_client.play.recordings import STANDARD_INPUT, FileRecordings, replay
from ttt_client.play.replay import Recording
from ttt_client.terminal.stdout import Output

GAME = """\
Room: den
Game: 7
Board: 3x3x3
X: human "ada" id "k3v9"
O: human "bob" id "x2qa"
Began: 2026-01-31T12:30:00.500Z

1. X b2 @1.250
"""
TWO = f"{GAME}\n{GAME}2. O a1 @2.000\n"


def written(file: Path, text: str) -> Path:
    file.write_text(text)
    return file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "games.txt", TWO)


@pytest.mark.parametrize(("asked", "number", "events"), [(1, 1, 2), (2, 2, 3), (None, 2, 3)])
async def test_a_game_of_a_file_by_its_place(
    file: Path, asked: int | None, number: int, events: int
) -> None:
    recording = await FileRecordings(file).load(asked)
    assert isinstance(recording, Recording)
    assert (recording.number, len(recording.record.events)) == (number, events)


@pytest.mark.parametrize(
    ("text", "asked", "words"),
    [
        (TWO, 3, "has 2 games"),
        ("", None, "has no games"),
        ("", 1, "has no games"),
        (GAME.replace("Game: 7", "Game: x"), 1, "line 2: this is no whole number"),
        (f"{GAME}back to 5 @1.000", None, "not a record of a game: event 3 is off the board"),
    ],
)
async def test_there_is_no_such_game(file: Path, text: str, asked: int | None, words: str) -> None:
    written(file, text)
    assert await FileRecordings(file).load(asked) == Ending(1, f"{file}: {words}")


async def test_what_cannot_be_read(tmp_path: Path) -> None:
    absent = tmp_path / "absent.txt"
    assert await FileRecordings(absent).load(1) == Ending(1, f"{absent}: No such file or directory")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    said = Ending(1, f"{tmp_path / 'bytes'}: this is no text")
    assert await FileRecordings(tmp_path / "bytes").load(1) == said


async def test_a_game_of_standard_input_is_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO(TWO))
    out = StringIO()
    output = Output(out, StringIO(), ascii_only=True)
    assert await replay(FileRecordings(STANDARD_INPUT), None, output, json=False) == Ending(0)
    assert "bob (O) played 1" in out.getvalue()
