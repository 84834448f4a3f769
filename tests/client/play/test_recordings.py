import json
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from ttt_client.net.address import parse_server
from ttt_client.net.session import Ending
from ttt_client.play.recordings import (
    STANDARD_INPUT,
    FileRecordings,
    ServerRecordings,
    replay,
)
from ttt_client.play.replay import Recording
from ttt_client.terminal.stdout import Output
from ttt_protocol.codec import encode_message
from ttt_protocol.state import RoomName

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
    said = Ending(1, f"{tmp_path / 'bytes'}: this is not UTF-8; save it as UTF-8")
    assert await FileRecordings(tmp_path / "bytes").load(1) == said


async def test_a_game_of_standard_input_is_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO(TWO))
    out = StringIO()
    output = Output(out, StringIO(), ascii_only=True)
    games = FileRecordings(STANDARD_INPUT)
    end = await replay(games, None, output, json=False, drawn=True, analysed=False)
    assert end == Ending(0)
    assert "bob (O) played 1" in out.getvalue()


async def analysed(recordings: ServerRecordings | FileRecordings, *, as_json: bool = False) -> str:
    out, err = StringIO(), StringIO()
    output = Output(out, err, ascii_only=True)
    end = await replay(recordings, 1, output, json=as_json, drawn=True, analysed=True)
    return out.getvalue() if end == Ending(0) else f"{end.code}: {end.words}"


async def test_what_the_moves_of_a_game_were_worth(
    file: Path, pages: Callable[..., str], answer: Callable[..., bytes]
) -> None:
    recording = await FileRecordings(file).load(1)
    assert isinstance(recording, Recording)
    record = encode_message(recording.record.model_copy(update={"game": 1})).decode()
    weighed = json.loads(record) | {"analysis": [], "thrown_away_at": None}
    game = "/api/rooms/den/games/1"

    def server(body: str | None) -> ServerRecordings:
        known = {game: answer(record)}
        if body is not None:
            known[f"{game}?analysis=1"] = answer(body)
        return ServerRecordings(parse_server(pages(known)), RoomName("den"), None)

    told = await analysed(server(json.dumps(weighed)))
    assert told.endswith("what the moves were worth:\nno move was made\n")
    assert json.loads(await analysed(server(json.dumps(weighed)), as_json=True)) == weighed
    assert (await analysed(server("[]"))).startswith("1: the answer is not understood")
    assert (await analysed(server(None))).startswith("4: ")
    assert (await analysed(FileRecordings(file))).endswith("is analysed by no server")
    assert (await analysed(FileRecordings(file / "no"))).startswith("1: ")
