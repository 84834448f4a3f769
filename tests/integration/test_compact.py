"""`ttt-server compact` on a folder that no server uses, and on one in use."""

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from tests.bench.history import FEW, write
from tests.integration.commands import command
from tests.integration.programs import Dial, ServerProcess, StartServer

NAME = "ttt.sqlite3"


async def test_what_is_old_leaves_the_file(tmp_path: Path, start_server: StartServer) -> None:
    folder = tmp_path / "data"
    write(folder, 400, 0, rooms=1)
    before = (folder / NAME).stat().st_size
    content = (folder / NAME).read_bytes()
    assert b'"game":17,' in content
    options = ("--keep-games", "50", "--data", folder)
    out, _ = await command("compact", "--dry-run", *options)
    assert out.startswith("would free about: 0 rooms, games of 1 other, ")
    assert (folder / NAME).read_bytes() == content
    out, _ = await command("compact", *options)
    assert out.startswith("freed: 0 rooms, games of 1 other, ")
    after = (folder / NAME).stat().st_size
    assert int(out.split()[-2]) == before - after > before // 2
    assert b'"game":17,' not in (folder / NAME).read_bytes()
    assert not (folder / f"{NAME}-wal").exists()
    assert "nothing wrong" in (await command("check", "--data", folder))[0]
    exported, _ = await command("export", "--room", "long0", "--data", folder)
    kept = [json.loads(line)["game"] for line in exported.splitlines()]
    assert kept == list(range(350, 401)), "a snapshot is there every tenth game"
    out, _ = await command("learner", "--rebuild", "--json", "--data", folder)
    assert json.loads(out)["games"] == len(kept) + FEW, "what is gone teaches no longer"
    server = await start_server("--secret", "a secret of this test", data=folder)
    status, answer = await server.get("/api/rooms/long0/games/17")
    assert (status, answer) == (404, {}) or "no longer kept" in str(answer)
    assert (await server.get("/api/rooms/long0/games/390"))[0] == 200
    state = (await server.get("/api/rooms/long0"))[1]
    assert state["game"]["number"] == 400
    assert state["score"]["X"] + state["score"]["O"] == 400


async def test_silent_rooms_are_forgotten(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    write(folder, 20, 0, rooms=1)  # in 2023
    out, _ = await command("compact", "--forget-rooms-after", "9000d", "--data", folder)
    assert out.startswith("freed: 0 rooms")
    out, _ = await command("compact", "--forget-rooms-after", "90d", "--data", folder)
    assert out.startswith("freed: 2 rooms")
    assert b'"seq":' not in (folder / NAME).read_bytes()
    assert time.time() > 1_700_000_000


async def test_a_check_of_snapshots(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    write(folder, 20, 0, rooms=1)
    with closing(sqlite3.connect(folder / NAME)) as database, database:
        database.execute(
            "UPDATE snapshots SET saved = CAST(replace(CAST(saved AS TEXT), 'ada', 'eve') AS BLOB)"
            " WHERE room = 'short0'"
        )
    _, err = await command("check", "--data", folder, status=1)
    assert "room short0: event 66: the snapshot after it differs" in err
    assert "room long0" not in err
    with closing(sqlite3.connect(folder / NAME)) as database, database:
        database.execute("DELETE FROM snapshots")
    assert "nothing wrong" in (await command("check", "--data", folder))[0]


async def test_a_folder_in_use_is_left_alone(server: ServerProcess, dial: Dial) -> None:
    ada = await dial(server, "den")
    await ada.join(name="ada")
    for options in ((), ("--dry-run",)):
        _, err = await command("compact", *options, "--data", server.data, status=1)
        assert "another server is using it" in err
    _, err = await command("compact", "--keep-games", "0", "--data", server.data, status=2)
    assert "--keep-games" in err
    _, err = await command("compact", "--forget-rooms-after", "90", "--data", server.data, status=2)
    assert "must be like 90d" in err
