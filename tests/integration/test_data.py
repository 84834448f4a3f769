"""A database that cannot be served: one line, status 1, and every file as it was."""

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from tests.integration.programs import Dial, ServerProcess, SimpleClient, StartServer, run_server
from tests.integration.tools import found

NAME, LOG = "ttt.sqlite3", "ttt.sqlite3-wal"


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a server that was killed: some of its moves are in the log beside the file."""
    folder = tmp_path_factory.mktemp("killed")
    asyncio.run(play_until_killed(ServerProcess(folder)))
    assert size(folder / LOG)
    return folder


async def play_until_killed(server: ServerProcess) -> None:
    await server.start()
    for number in range(30):
        url = f"{server.address}/ws/rooms/room{number}"
        async with connect(url) as one, connect(url) as other:
            ada, bob = SimpleClient(one), SimpleClient(other)
            await ada.join(name="ada")
            await bob.join(name="bob")
            await ada.until("update")
            await ada.play(0, 4)
            await bob.until_ply(1)
    await server.kill()
    await server.close()


@pytest.fixture
def data(killed: Path, tmp_path: Path) -> Path:
    return shutil.copytree(killed, tmp_path / "data", ignore=shutil.ignore_patterns("control"))


def size(path: Path) -> int:
    return path.stat().st_size


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.is_socket()}


async def refused(data: Path, under: tuple[str, ...] = ()) -> str:
    """Why the server does not start there."""
    before = snapshot(data)
    status, out, err = await run_server("--port", "0", "--data", str(data), under=under)
    assert (status, out) == (1, ""), err
    assert snapshot(data) == before
    (line,) = err.splitlines()
    assert line.startswith(f"ttt-server: {data}")
    return line


def merged(data: Path) -> None:
    """All in the one file, as when the server has stopped by itself."""
    with closing(sqlite3.connect(data / NAME)) as database:
        database.execute("SELECT count(*) FROM events")
    assert not (data / LOG).exists()


def overwritten(data: Path, name: str, at: int, count: int = 64) -> None:
    content = bytearray((data / name).read_bytes())
    content[at : at + count] = b"\xa5" * count
    (data / name).write_bytes(bytes(content))


def cut_off(data: Path, length: int) -> None:
    os.truncate(data / NAME, length)


def foreign(data: Path) -> None:
    (data / NAME).unlink()
    (data / LOG).unlink()
    with closing(sqlite3.connect(data / NAME)) as database:
        database.execute("CREATE TABLE songs (name)")


def newer(data: Path) -> None:
    with closing(sqlite3.connect(data / NAME)) as database:
        database.execute("PRAGMA user_version = 999")


def newer_in_its_log(data: Path) -> None:
    """As if a newer server had been killed."""
    with closing(sqlite3.connect(data / NAME)) as database:
        database.execute("PRAGMA user_version = 999")
        files = snapshot(data)
    for name in (NAME, LOG):
        (data / name).write_bytes(files[name])


def no_database(data: Path) -> None:
    (data / NAME).write_text("a diary\n" * 999)


def nothing_but_its_log(data: Path) -> None:
    (data / NAME).write_bytes(b"")


def without_its_file(data: Path) -> None:
    (data / NAME).unlink()


def without(data: Path, table: str) -> None:
    with closing(sqlite3.connect(data / NAME)) as database:
        database.execute(f"DROP TABLE {table}")


def with_a_short_secret(data: Path) -> None:
    (data / "secret").write_bytes(b"hush")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda data: overwritten(data, NAME, 0), "not a database"),
        (lambda data: overwritten(data, NAME, 16, 16), ""),
        (lambda data: overwritten(data, NAME, 100), ""),
        (lambda data: overwritten(data, NAME, 4096), ""),
        (lambda data: overwritten(data, NAME, 4096, 4096), ""),
        (lambda data: cut_off(data, 1), "not a database"),
        (lambda data: cut_off(data, 4096), ""),
        (lambda data: cut_off(data, 5000), ""),
        (foreign, "another program"),
        (newer, "newer version"),
        (no_database, "not a database"),
        (lambda data: without(data, "events"), "it has no table events"),
        (lambda data: without(data, "journal"), "it has no table journal"),
    ],
)
async def test_it_does_not_start_and_changes_nothing(
    data: Path, damage: Callable[[Path], None], words: str
) -> None:
    if damage is not foreign:
        merged(data)
    damage(data)
    assert words in await refused(data)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: overwritten(data, NAME, 0),
        lambda data: cut_off(data, 0),
        newer_in_its_log,
        no_database,
        nothing_but_its_log,
        without_its_file,
        with_a_short_secret,
    ],
)
async def test_what_was_left_unfinished_is_left_so(
    data: Path, damage: Callable[[Path], None]
) -> None:
    damage(data)
    await refused(data)


def cut_its_log(data: Path) -> None:
    os.truncate(data / LOG, 50_000)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (cut_its_log, "the write-ahead log beside it is cut"),
        (
            lambda data: overwritten(data, LOG, 50_000),
            "the write-ahead log beside it is overwritten",
        ),
        (lambda data: (data / LOG).write_bytes(b"rubbish " * 999), "is not an SQLite log"),
    ],
)
async def test_a_damaged_log_stops_the_start(
    data: Path, damage: Callable[[Path], object], words: str
) -> None:
    damage(data)
    line = await refused(data)
    assert words in line
    assert "--accept-loss" in line


async def test_what_is_whole_of_a_damaged_log_is_served_with_the_operators_word(
    data: Path, start_server: StartServer, dial: Dial
) -> None:
    merged(data)
    (data / LOG).write_bytes(b"rubbish " * 999)
    server = await start_server("--accept-loss", data=data)
    eve = await dial(server, "room7")
    assert (await eve.join(role="spectator"))["room"]["game"]["moves"] == [4]


async def test_a_folder_in_use(data: Path, start_server: StartServer, dial: Dial) -> None:
    server = await start_server(data=data)
    ada = await dial(server, "den")
    await ada.join()
    assert "another server is using it" in await refused(data)
    bob = await dial(server, "den")
    await bob.join()
    await ada.play(0, 4)
    assert "another server is using it" in await refused(data)


@pytest.mark.parametrize("what", ["folder", "files"])
async def test_what_may_not_be_written(data: Path, what: str) -> None:
    under: tuple[str, ...] = ()
    if os.geteuid() == 0:  # root may write everywhere without this
        under = (found("setpriv"), "--bounding-set=-dac_override,-dac_read_search")
    merged(data)
    protected = data if what == "folder" else data / NAME
    mode = protected.stat().st_mode
    os.chmod(protected, mode & ~0o222)  # noqa: PTH101
    await refused(data, under)
    os.chmod(protected, mode)  # noqa: PTH101
