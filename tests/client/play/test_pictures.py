import sys
from pathlib import Path

import pytest

from ttt_client.net.session import Ending
from ttt_client.play.recordings import FileRecordings, write_pictures

GAME = """\
Room: den
Game: 7
Board: 3x3x3
X: human "ada" id "k3v9"
O: human "bob" id "x2qa"
Began: 2026-01-31T12:30:00.500Z

1. X b2 @1.250
O offers draw @1.500
X won: resignation @2.000
"""


def written(file: Path, text: str) -> Path:
    file.write_text(text)
    return file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "games.txt", GAME)


async def test_a_game_is_drawn_into_each_file(file: Path, tmp_path: Path) -> None:
    svg, gif = tmp_path / "a.svg", tmp_path / "a.gif"
    end = await write_pictures(FileRecordings(file), None, [svg, gif])
    assert end == Ending(0, f"written: {svg}, {gif}")
    text = svg.read_text()
    assert "<title>ada (X) - bob (O): den, game 7: ada (X) won: by resignation</title>" in text
    assert gif.read_bytes().startswith(b"GIF89a")


async def test_a_game_that_goes_on(file: Path, tmp_path: Path) -> None:
    written(file, "\n".join(GAME.splitlines()[:-1]))
    await write_pictures(FileRecordings(file), None, [tmp_path / "a.svg"])
    assert "game 7: bob's turn (O)" in (tmp_path / "a.svg").read_text()


async def test_without_the_library_the_extra_is_named(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ttt_client.pictures.gif", None)
    end = await write_pictures(FileRecordings(file), None, [tmp_path / "a.gif"])
    assert end == Ending(1, "a GIF needs the extra images: pip install 'ttt-rooms[images]'")


async def test_what_cannot_be_drawn_or_written(file: Path, tmp_path: Path) -> None:
    end = await write_pictures(FileRecordings(file), 2, [tmp_path / "a.svg"])
    assert end == Ending(1, f"{file}: has 1 game")
    nowhere = tmp_path / "no" / "a.svg"
    end = await write_pictures(FileRecordings(file), 1, [nowhere])
    assert end == Ending(1, f"{nowhere}: No such file or directory")
