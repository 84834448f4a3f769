"""Faults of the disk: the words that players get are compared with the log that a restart finds.

The restart follows `kill -9` on the same files, and a power cut: on the blocks alone that were
synced, where the blocks of a sync that failed are lost.
"""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.integration.faulty_disk import FaultyDisk, build
from tests.integration.programs import (
    Dial,
    Message,
    ServerProcess,
    SimpleClient,
    StartServer,
    eventually,
)
from tests.integration.referee import judge, logs

pytestmark = pytest.mark.heavy

BIG = {"columns": 19, "rows": 19, "in_a_row": 19}

OFTEN = (
    "from ttt_server.storage.sqlite import opening as schema, tables\n"
    "tables._LONG = 6\n"
    "schema._CHECKPOINT_PAGES = 8\n"
)
"""The journal is settled, and the log is brought into the database, every few moves."""

NO_LIMITS = ("--commands-per-10s", "1000000", "--command-burst", "100000")

EIO, ENOSPC = 5, 28
MOVES = 40
FAULTY_FROM = 5


@dataclass
class Account:
    """The words that the players got about their moves."""

    told: dict[int, int] = field(default_factory=dict)
    """The cell of each ply that an `update` told."""
    denied: list[tuple[int, int]] = field(default_factory=list)
    """Ply and cell of which a refusal said that nothing changed."""
    doubted: list[tuple[int, int]] = field(default_factory=list)
    """Ply and cell of which a refusal said that the outcome is not known."""

    def read(self, message: Message) -> None:
        for event in message.get("events", ()):
            if event["type"] == "played":
                assert self.told.setdefault(event["ply"], event["cell"]) == event["cell"]

    def check(self, moves: list[int]) -> None:
        """Compare with the moves that a log has."""
        for ply, cell in self.told.items():
            assert moves[ply : ply + 1] == [cell], f"ply {ply} was told and is not in the log"
        for ply, cell in self.denied:
            assert moves[ply : ply + 1] != [cell], f"ply {ply} was denied and is in the log"


@dataclass
class Series:
    """Two players, a cell for each attempt, and the account of it all."""

    players: tuple[SimpleClient, SimpleClient]
    account: Account = field(default_factory=Account)
    attempts: int = 0

    @classmethod
    async def begin(cls, dial: Dial, server: ServerProcess) -> "Series":
        ada, bob = await dial(server, "room42"), await dial(server, "room42")
        await ada.join(name="ada", settings={"rules": BIG})
        await bob.join(name="bob")
        await ada.until("update")
        return cls((ada, bob))

    @property
    def ply(self) -> int:
        return len(self.account.told)

    async def attempt(self) -> bool:
        """Try the next move with a cell of its own; return whether it was told."""
        ply, cell = self.ply, self.attempts
        self.attempts += 1
        player = self.players[ply % 2]
        await player.send("play", game=1, ply=ply, cell=cell, id=f"m{cell}")
        while True:
            message = await player.receive()
            self.account.read(message)
            if self.account.told.get(ply) == cell:
                return True
            if message["type"] == "refused":
                if message["code"] == "storage_failed":
                    nothing = "nothing changed" in message["reason"]
                    account = self.account
                    (account.denied if nothing else account.doubted).append((ply, cell))
                else:
                    assert message["code"] in {"stale_ply", "not_your_turn"}
                    assert self.account.doubted, message
                return False

    async def play(self, moves: int) -> None:
        """Play until so many more moves were told."""
        end = self.ply + moves
        async with asyncio.timeout(60):
            while self.ply < end:
                if not await self.attempt():
                    await asyncio.sleep(0.2)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("library"))


@pytest.fixture
def disk(library: Path, tmp_path: Path) -> FaultyDisk:
    return FaultyDisk(library, tmp_path)


@pytest.fixture
async def faulty(disk: FaultyDisk, start_server: StartServer) -> AsyncIterator[ServerProcess]:
    server = await start_server(*NO_LIMITS, variables=disk.variables, before=OFTEN)
    yield server
    disk.heal()


def check(account: Account, server: ServerProcess, disk: FaultyDisk) -> None:
    """Compare the account with both restarts; the server has been killed."""
    cut = disk.after_a_power_cut(server.data, server.data.with_name("cut"))
    for data in (server.data, cut):
        account.check(judge(logs(data)["room42"]).moves)


async def health(server: ServerProcess) -> int:
    return (await server.get("/healthz"))[0]


async def becomes(server: ServerProcess, status: int, patience_s: float = 20) -> None:
    async def is_so() -> bool:
        return await health(server) == status

    await eventually(is_so, patience_s)


CALLS = [
    ("pwrite", "log"),
    ("pwrite", "database"),
    ("fdatasync", "log"),
    ("fdatasync", "database"),
    ("ftruncate", "log"),
    ("ftruncate", "database"),
]


@pytest.mark.parametrize("error", [EIO, ENOSPC])
@pytest.mark.parametrize(("call", "file"), CALLS)
async def test_a_call_that_fails_once(
    faulty: ServerProcess, disk: FaultyDisk, dial: Dial, call: str, file: str, error: int
) -> None:
    series = await Series.begin(dial, faulty)
    await series.play(FAULTY_FROM)
    disk.fail(f"{call} {file} {error} once")
    await series.play(MOVES - FAULTY_FROM)
    await becomes(faulty, 200)
    await faulty.kill()
    check(series.account, faulty, disk)


@pytest.mark.parametrize("error", [EIO, ENOSPC])
@pytest.mark.parametrize(("call", "file"), CALLS)
async def test_a_call_that_fails_always(
    faulty: ServerProcess, disk: FaultyDisk, dial: Dial, call: str, file: str, error: int
) -> None:
    series = await Series.begin(dial, faulty)
    await series.play(FAULTY_FROM)
    disk.fail(f"{call} {file} {error} always")
    for _ in range(20):
        await series.attempt()
    await faulty.kill()
    check(series.account, faulty, disk)
    disk.heal()
    await faulty.start()
    assert await health(faulty) == 200


async def test_a_restart_makes_certain_of_what_it_finds(
    faulty: ServerProcess, disk: FaultyDisk, dial: Dial
) -> None:
    """The log shows a move whose sync failed, and the disk does not have it."""
    series = await Series.begin(dial, faulty)
    await series.play(FAULTY_FROM)
    disk.fail(f"fdatasync log {EIO} always")
    assert not await series.attempt()
    await faulty.kill()
    with pytest.raises(AssertionError, match="Input/output error"):
        await faulty.start()  # it cannot make certain, and does not pretend to
    disk.heal()
    await faulty.start()
    eve = await dial(faulty, "room42")
    moves = (await eve.join(role="spectator"))["room"]["game"]["moves"]
    await faulty.kill()
    cut = disk.after_a_power_cut(faulty.data, faulty.data.with_name("cut"))
    assert judge(logs(cut)["room42"]).moves == moves


async def test_a_sync_that_fails_for_a_while(
    faulty: ServerProcess, disk: FaultyDisk, dial: Dial
) -> None:
    """Without another command, an update tells the outcome of the move that was in doubt."""
    series = await Series.begin(dial, faulty)
    await series.play(FAULTY_FROM)
    disk.fail(f"fdatasync log {EIO} always")
    assert not await series.attempt()
    assert series.account.doubted, "nothing can be known while no sync succeeds"
    await becomes(faulty, 503)
    assert not await series.attempt()
    assert not series.account.denied, "the room cannot know"
    disk.heal()
    await becomes(faulty, 200)
    await series.play(10)
    await faulty.kill()
    check(series.account, faulty, disk)


@pytest.mark.parametrize("number", range(1, 5))
async def test_a_crash_right_after_a_sync(
    faulty: ServerProcess, disk: FaultyDisk, dial: Dial, number: int
) -> None:
    series = await Series.begin(dial, faulty)
    await series.play(number)
    disk.fail("fdatasync log kill once")
    with pytest.raises(Exception, match="no close frame"):
        await series.play(1)
    await faulty.process.wait()
    check(series.account, faulty, disk)


def remove_the_folder(data: Path) -> None:
    shutil.rmtree(data)


def remove_the_database(data: Path) -> None:
    (data / "ttt.sqlite3").unlink()


def remove_the_log(data: Path) -> None:
    (data / "ttt.sqlite3-wal").unlink()


def replace_the_database(data: Path) -> None:
    other = data / "other"
    shutil.copy(data / "ttt.sqlite3", other)
    other.rename(data / "ttt.sqlite3")


def replace_the_log(data: Path) -> None:
    other = data / "other"
    shutil.copy(data / "ttt.sqlite3-wal", other)
    other.rename(data / "ttt.sqlite3-wal")


def truncate_the_database(data: Path) -> None:
    os.truncate(data / "ttt.sqlite3", 0)


def truncate_the_log(data: Path) -> None:
    os.truncate(data / "ttt.sqlite3-wal", 0)


@pytest.mark.parametrize("is_busy", [True, False])
@pytest.mark.parametrize(
    "harm",
    [
        remove_the_folder,
        remove_the_database,
        remove_the_log,
        replace_the_database,
        replace_the_log,
        truncate_the_database,
        truncate_the_log,
    ],
)
async def test_a_file_is_not_what_it_was(
    start_server: StartServer, dial: Dial, harm: Callable[[Path], None], is_busy: bool
) -> None:
    server = await start_server(*NO_LIMITS)
    series = await Series.begin(dial, server)
    await series.play(FAULTY_FROM)
    harm(server.data)
    if is_busy:
        async with asyncio.timeout(5):
            while await series.attempt():  # noqa: ASYNC110 - it is the attempts that count
                await asyncio.sleep(0.01)  # at full speed the board can fill first
    await becomes(server, 503)
    told = series.ply
    for _ in range(3):
        assert not await series.attempt()
    assert series.ply == told, "nothing more is told"
    assert await health(server) == 503
    assert await server.stop() == 0
    log = await server.log()
    assert len([line for line in log.splitlines() if "the store fails" in line]) == 1, log
    assert "ERROR" not in log.replace("ERROR", "", 1), log


async def test_it_is_noticed_within_a_second(start_server: StartServer, dial: Dial) -> None:
    server = await start_server()
    series = await Series.begin(dial, server)
    await series.play(1)
    moved = server.data.with_name("moved")
    server.data.rename(moved)
    await asyncio.sleep(1)
    assert await health(server) == 503
    moved.rename(server.data)
    await becomes(server, 200)
    await series.play(3)
    await server.kill()
    series.account.check(judge(logs(server.data)["room42"]).moves)
