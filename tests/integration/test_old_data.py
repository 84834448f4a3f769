"""Data folders of older versions open, and their games go on with the old tokens.

`make_data.py` made `data/schema_4` with the server before its modules stood in layers. Its secret
is of no other use.
"""

import json
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.integration.make_data import PASSWORD
from tests.integration.programs import Dial, ServerProcess, StartServer, environment, program
from tests.integration.referee import judge, logs

FOLDERS = sorted(path for path in (Path(__file__).parent / "data").iterdir() if path.is_dir())

KEPT = "--forget-unplayed-after", "36500d"
"""Options of a server that keeps rooms without a move: those here grow older each day."""


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the folder, whose secret is private, as git does not keep its mode."""
    folder = shutil.copytree(request.param, tmp_path / "old")
    (folder / "secret").chmod(0o600)
    return folder


@pytest.fixture
def tokens(old: Path) -> dict[str, str]:
    known: dict[str, str] = json.loads((old / "tokens.json").read_text())
    return known


@pytest.fixture
async def server(old: Path, start_server: StartServer) -> ServerProcess:
    return await start_server(*KEPT, data=old)


def events(folder: Path) -> dict[str, list[bytes]]:
    """Return the stored lines of each room in their order, from both tables."""
    rooms: dict[str, list[bytes]] = {}
    with closing(sqlite3.connect(f"file:{folder}/ttt.sqlite3?mode=ro", uri=True)) as database:
        for table in ("events", "journal"):
            rows = database.execute(f"SELECT room, event FROM {table} ORDER BY seq")  # noqa: S608
            for room, lines in rows:
                rooms.setdefault(room, []).extend(lines.encode().split(b"\n"))
    return rooms


async def test_a_running_game_goes_on_to_its_end(
    server: ServerProcess, dial: Dial, tokens: dict[str, str]
) -> None:
    ada, bob = await dial(server, "running"), await dial(server, "running")
    welcome = await ada.join(token=tokens["running/ada"])
    assert welcome["you"]["seat"] == "X"
    assert welcome["room"]["game"]["moves"] == [4, 0, 8]
    assert (await bob.join(token=tokens["running/bob"]))["you"]["seat"] == "O"
    for ply, cell in enumerate([2, 1, 7, 3, 5, 6], 3):
        await (ada, bob)[ply % 2].play(ply, cell)
        await (bob, ada)[ply % 2].until_ply(ply + 1)
    assert await server.stop() == 0
    for log in logs(server.data).values():
        judge(log)


async def test_a_finished_game_can_be_read_and_played_again(
    server: ServerProcess, dial: Dial, tokens: dict[str, str]
) -> None:
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


async def test_a_password_still_locks_its_room(
    server: ServerProcess, dial: Dial, tokens: dict[str, str]
) -> None:
    eve = await dial(server, "locked")
    for wrong in ({}, {"password": "perch"}):
        refusal = await eve.refusal("join", role="spectator", **wrong)
        assert refusal["code"] == "wrong_password"
    assert (await eve.join(role="spectator", password=PASSWORD))["you"]["seat"] is None
    ada = await dial(server, "locked")
    assert (await ada.join(token=tokens["locked/ada"]))["you"]["seat"] == "X"


async def test_a_seat_beside_an_ai_is_there(
    server: ServerProcess, dial: Dial, tokens: dict[str, str]
) -> None:
    eve = await dial(server, "learner")
    welcome = await eve.join(token=tokens["learner/eve"])
    assert welcome["room"]["seats"]["O"]["strategy"] == "learner"
    await eve.send("offer", kind="rematch")
    await eve.until_ply(1, game=2)  # the learner has changed sides, and moves first


@pytest.mark.slow
def test_the_learner_remembers(old: Path) -> None:
    done = subprocess.run(
        [program("ttt-server"), "learner", "--json", "--data", str(old)],
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
    )
    assert json.loads(done.stdout)["games"] == 3


async def test_no_event_is_lost_or_changed(old: Path, start_server: StartServer) -> None:
    before = events(old)
    assert {"finished", "learner", "locked", "running", "taught"} == set(before)
    server = await start_server(*KEPT, data=old)
    assert await server.stop() == 0
    assert "WARNING" not in await server.log()
    assert events(old) == before
