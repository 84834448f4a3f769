"""Exports and imports, with real programs."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from tests.integration.commands import command
from tests.integration.players import Run
from tests.integration.programs import Dial, ServerProcess, StartServer
from ttt_protocol.exports.read_games import read_games
from ttt_protocol.text import counted

pytestmark = pytest.mark.heavy


async def play_a_game(server: ServerProcess, dial: Dial, room: str) -> None:
    """Ada wins, and begins a second game."""
    ada, bob = await dial(server, room), await dial(server, room)
    await ada.join(name="ada")
    await bob.join(name="bob")
    await ada.until("update")
    for ply, cell in enumerate((0, 3, 1, 4, 2)):
        player = (ada, bob)[ply % 2]
        await player.send("play", game=1, ply=ply, cell=cell)
        await (bob, ada)[ply % 2].until_ply(ply + 1)
    await ada.send("offer", kind="rematch")
    await bob.send("offer", kind="rematch")  # two offers of a kind are an agreement
    await bob.until_ply(0, game=2)


async def test_there_and_back(
    start_server: StartServer, tmp_path: Path, dial: Dial, run: Run
) -> None:
    """Exported while the server runs, imported elsewhere, served there, exported again."""
    server = await start_server()
    for room in ("one", "two"):
        await play_a_game(server, dial, room)
    out, err = await command("export", "--data", server.data, "--room", "one")
    first, second = read_games(out.splitlines())
    assert (first.room, first.is_over, second.is_over, err) == ("one", True, False, "")
    out, _ = await command("export", "--data", server.data, "--since", "2999-01-01")
    assert out == ""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    _, words = await asyncio.gather(
        command("export", "--data", server.data, "--room", "one", "-o", pipe),
        asyncio.to_thread(pipe.read_text),
    )
    assert len(list(read_games(words.splitlines()))) == 2
    assert pipe.is_fifo(), "what is no file is written to, not replaced"

    games, other = tmp_path / "games.txt", tmp_path / "other"
    out, _ = await command("export", "--data", server.data, "--format", "text", "-o", games)
    assert out == f"{games}: 4 games of 2 rooms\n"
    for told in ("2 games added to 2 rooms", "0 games added to 0 rooms, 2 were there already"):
        out, _ = await command("import", games, "--data", other)
        assert out == f"{told}, 2 unfinished left out\n"
    assert "nothing wrong" in (await command("check", "--data", other))[0]
    out, _ = await command("export", "--data", other, "--room", "one")
    assert list(read_games(out.splitlines())) == [first]

    elsewhere = await start_server(data=other)
    client = await run("--server", elsewhere.address, "--plain", "replay", "one")
    await client.until("ada \\(X\\) won: a line, 1 2 3")
    eve = await dial(elsewhere, "one")
    assert (await eve.join(name="eve"))["you"]["seat"] == "X", "the seats are free"
    _, err = await command("import", games, "--data", other, status=1)
    assert "another server is using it" in err
    await elsewhere.stop()
    games.write_text(games.read_text().replace("2. O a2", "2. O c3"))
    _, err = await command("import", games, "--data", other, status=1)
    assert err.startswith(
        "ttt-server import: room one has games of its own and was left as it is\n"
    )


def with_store(folder: Path, url: str) -> Path:
    """A file of options for this store."""
    (folder / "ttt.toml").write_text(f'store = "{url}"\n')
    return folder / "ttt.toml"


async def test_from_one_store_into_another(
    server: ServerProcess, tmp_path: Path, dial: Dial, database: str
) -> None:
    await play_a_game(server, dial, "one")
    out, _ = await command("export", "--data", server.data)
    first, _ = read_games(out.splitlines())
    games, config = tmp_path / "games.jsonl", with_store(tmp_path, database)
    await command("export", "--data", server.data, "-o", games)
    for added in (1, 0):
        told, _ = await command("import", games, "--config", config)
        assert told.startswith(f"{counted(added, 'game')} added to {counted(added, 'room')}")
    out, _ = await command("export", "--config", config)
    assert list(read_games(out.splitlines())) == [first]


async def test_what_cannot_be_imported_or_exported(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text(json.dumps({"room": "one"}))
    _, err = await command("import", tmp_path / "bad", "--data", tmp_path / "data", status=1)
    assert "line 1: game: is missing" in err
    assert err.count("\n") == 1
    _, err = await command("import", tmp_path / "none", "--data", tmp_path / "data", status=1)
    assert "No such file" in err
    _, err = await command("export", "--data", tmp_path / "data", "--room", "one", status=1)
    assert "there is no database" in err, "a refusal makes none"
    _, err = await command("export", "--data", tmp_path / "nowhere", status=1)
    assert "there is no database" in err
    _, err = await command("export", "--since", "yesterday", status=2)
    assert "must be a date" in err


PSQ = """Piskvorky {size}x{size}, 11:11, 0
8,8,10
8,9,20
9,8,30
9,9,40
10,8,50
10,9,60
11,8,70
11,9,80
12,8,90
ONE.zip
TWO.zip
-1
"""


async def test_games_of_other_programs(tmp_path: Path, run: Run) -> None:
    psq, data = tmp_path / "Gomocup 1.psq", tmp_path / "data"
    psq.write_text(PSQ.format(size=15))
    out, _ = await command("import", psq, "--data", data)
    assert out == "1 game added to 1 room\n"
    out, _ = await command("import", psq, "--data", data)
    assert out == "0 games added to 0 rooms, 1 were there already\n"
    out, _ = await command("export", "--data", data, "--format", "psq", "--game", "1")
    assert out.splitlines()[:11] == [
        "Piskvorky 15x15, 0:0, 0",
        *PSQ.splitlines()[1:10],
        "ONE",
    ]
    out, _ = await command("export", "--data", data, "--format", "sgf")
    assert "PB[ONE]PW[TWO]" in out
    assert "RE[B+]" in out
    out, err = await command("export", "--data", data, "--format", "columns", status=1)
    assert "room gomocup-1, game 1 is left out: 15x15x5: column strings are for 7x6x4g" in err
    client = await run("replay", str(psq))
    await client.until("ONE \\(X\\) won: a line")


async def test_a_refusal_makes_no_folder(tmp_path: Path, run: Run) -> None:
    large, chess, data = tmp_path / "large.psq", tmp_path / "game.pgn", tmp_path / "data"
    large.write_text(PSQ.format(size=20))
    chess.write_text('[Event "Wijk aan Zee"]\n\n1. e4 e5')
    _, err = await command("import", chess, "--data", data, status=1)
    assert f"{chess}: this looks like PGN, which holds games of chess" in err
    _, err = await command("import", large, "--data", data, status=1)
    assert "game 1: 20x20x5: a room has at most 19 columns and rows" in err
    assert not data.exists()
    client = await run("replay", str(large))
    await client.until("ONE \\(X\\) won: a line")
    client = await run("replay", str(chess))
    _, told = await client.process.communicate()
    assert b"this looks like PGN" in told
