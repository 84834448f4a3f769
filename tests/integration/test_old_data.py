"""What version 0.1 has left is refused in one line, and goes on after `ttt-server copy`.

`make_data.py` made `data/schema_6` with that version. Its secret is of no other use.
"""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import asyncpg
import pytest

from tests.integration.attendees import Visitor
from tests.integration.make_data import PASSWORD
from tests.integration.programs import Dial, ServerProcess, StartServer, run_server
from tests.integration.referee import judge, logs
from tests.postgres import PostgresServer

pytestmark = pytest.mark.heavy

DATA = Path(__file__).parent / "data" / "schema_6"

KEPT = "--forget-unplayed-after", "36500d"
"""Options of a server that keeps rooms without a move: those here grow older each day."""

ROOMS = "event/friday", "finished", "learner", "locked", "running", "taught"


class Copied(NamedTuple):
    """An installation of version 0.1, and a server on a copy of it."""

    server: ServerProcess
    tokens: dict[str, str]
    before: object
    """What the old one held before the copy."""
    state: Callable[[], object]
    """Returns what it holds now."""


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def tokens(name: str) -> dict[str, str]:
    known: dict[str, str] = json.loads((DATA / name).read_text())
    return known


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the folder, whose secret is private, as git does not keep its mode."""
    folder = shutil.copytree(DATA, tmp_path / "old")
    (folder / "secret").chmod(0o600)
    return folder


async def restored(database: str) -> None:
    connection = await asyncpg.connect(database)
    await connection.execute((DATA / "database.sql").read_text())
    await connection.close()


@pytest.fixture(params=["folder", "killed", "database"])
async def copied(
    request: pytest.FixtureRequest,
    folder: Path,
    tmp_path: Path,
    start_server: StartServer,
    postgres: PostgresServer,
) -> Copied:
    """A copy of a folder, of the folder of a server that was killed, or of a database."""
    data = tmp_path / "new"
    state: Callable[[], object]
    options: tuple[str, ...] = ()
    if request.param == "database":
        old, new = request.getfixturevalue("empty_database"), postgres.url(postgres.new_database())
        await restored(old)
        name = old.rpartition("/")[2]
        state = lambda: postgres.dump(name)  # noqa: E731
        options, known = ("--store", new), tokens("database_tokens.json")
    else:
        old, new = f"sqlite://{folder}/ttt.sqlite3", f"sqlite://{data}/ttt.sqlite3"
        known = tokens("tokens.json")
        state = lambda: contents(folder)  # noqa: E731
        if request.param == "killed":
            kill(folder)
    before = state()
    status, out, err = await run_server("copy", old, new)
    assert (status, err) == (0, "")
    assert out.startswith("6 rooms, ")
    server = await start_server(*KEPT, *options, data=data)
    return Copied(server, known, before, state)


def kill(folder: Path) -> None:
    """Leave a write-ahead log beside the database."""
    path = folder / "ttt.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA wal_autocheckpoint = 0")
        database.execute("UPDATE journal SET seq = seq")
        database.commit()
        files = {name: (folder / name).read_bytes() for name in (path.name, f"{path.name}-wal")}
    for name, content in files.items():
        (folder / name).write_bytes(content)


async def test_a_running_game_goes_on_to_its_end(copied: Copied, dial: Dial) -> None:
    server, tokens = copied.server, copied.tokens
    ada, bob = await dial(server, "running"), await dial(server, "running")
    welcome = await ada.join(token=tokens["running/ada"])
    assert welcome["you"]["seat"] == "X"
    assert welcome["room"]["game"]["moves"] == [4, 0, 8]
    assert (await bob.join(token=tokens["running/bob"]))["you"]["seat"] == "O"
    for ply, cell in enumerate([2, 1, 7, 3, 5, 6], 3):
        await (ada, bob)[ply % 2].play(ply, cell)
        await (bob, ada)[ply % 2].until_ply(ply + 1)
    assert await server.stop() == 0
    if not server.options[2:]:
        for room, log in logs(server.data).items():
            if not room.startswith("event/"):
                judge(log)
    assert copied.state() == copied.before, "the old one is untouched"
    # It knew two games, and has learned from the one that ended here.
    status, out, err = await run_server(
        *("learner", "--json", "--data", str(server.data), *server.options[2:])
    )
    assert (status, err) == (0, "")
    assert json.loads(out)["games"] == 3


async def test_rooms_and_events_are_there(copied: Copied, dial: Dial) -> None:
    server, tokens = copied.server, copied.tokens
    status, record = await server.get("/api/rooms/finished/games/1")
    assert status == 200
    cells = [event["cell"] for event in record["events"] if event["type"] == "played"]
    assert cells == [0, 3, 1, 4, 2]
    ada, bob = await dial(server, "finished"), await dial(server, "finished")
    await ada.join(token=tokens["finished/ada"])
    await bob.join(token=tokens["finished/bob"])
    await ada.send("offer", kind="rematch")
    await bob.until_event("offered")
    await bob.send("offer", kind="rematch")
    await bob.until_ply(0, game=2)
    await bob.play(0, 4, game=2)  # the sides have changed

    eve = await dial(server, "locked")
    for wrong in ({}, {"password": "perch"}):
        refusal = await eve.refusal("join", role="spectator", **wrong)
        assert refusal["code"] == "wrong_password"
    assert (await eve.join(role="spectator", password=PASSWORD))["you"]["seat"] is None
    ada = await dial(server, "locked")
    assert (await ada.join(token=tokens["locked/ada"]))["you"]["seat"] == "X"

    eve = await dial(server, "learner")
    welcome = await eve.join(token=tokens["learner/eve"])
    assert welcome["room"]["seats"]["O"]["strategy"] == "learner"

    organiser = Visitor(server, "friday")
    await organiser.come("organise", token=tokens["friday/organiser"])
    assert organiser.state["players"] == 1
    await organiser.go()


async def test_a_folder_of_version_0_1_is_refused(folder: Path, tmp_path: Path) -> None:
    before = contents(folder)
    path = folder / "ttt.sqlite3"
    for command in ("serve", "check", "learner", "backup"):
        arguments = {"serve": (), "backup": ("backup", "backup.file")}.get(command, (command,))
        status, out, err = await run_server(*arguments, "--data", str(folder))
        assert (status, out) == (1, "")
        assert err.endswith(
            f"{path}: was written by version 0.1; copy it to a new folder: ttt-server copy "
            f"sqlite://{path} sqlite:///NEW/FOLDER/ttt.sqlite3\n"
        )
        assert err.count("\n") == 1
        assert contents(folder) == before
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 5")
    for arguments in ((), ("copy", f"sqlite://{path}", f"sqlite://{tmp_path}/new/ttt.sqlite3")):
        options = ("--data", str(folder)) if not arguments else ()
        status, out, err = await run_server(*arguments, *options)
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert "older than version 0.1: run version 0.1 on it once, then copy it" in err


async def test_a_database_of_version_0_1_is_refused(
    postgres: PostgresServer, empty_database: str
) -> None:
    await restored(empty_database)
    before = postgres.dump(empty_database.rpartition("/")[2])
    status, out, err = await run_server("--store", empty_database)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert f"is of version 0.1; copy it to a new database: ttt-server copy {empty_database} " in err
    assert postgres.dump(empty_database.rpartition("/")[2]) == before


async def test_no_event_is_lost_or_changed(folder: Path, tmp_path: Path) -> None:
    for name in ("new", "newer"):
        old, new = folder / "ttt.sqlite3", tmp_path / name / "ttt.sqlite3"
        status, _, err = await run_server("copy", f"sqlite://{old}", f"sqlite://{new}")
        assert (status, err) == (0, "")
        assert events(new) == events(old)
        assert tuple(events(new)) == ROOMS
        assert (new.parent / "secret").read_bytes() == (folder / "secret").read_bytes()
        folder = new.parent
        status, out, _ = await run_server("learner", "--json", "--data", str(folder))
        assert (status, json.loads(out)["games"]) == (0, 2)


def events(path: Path) -> dict[str, list[bytes]]:
    """Return the stored lines of each room in their order, from both tables."""
    rooms: dict[str, list[bytes]] = {}
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        for table in ("events", "journal"):
            rows = database.execute(f"SELECT room, event FROM {table} ORDER BY seq")  # noqa: S608
            for room, lines in rows:
                rooms.setdefault(room, []).extend(lines.encode().split(b"\n"))
    return dict(sorted(rooms.items()))
