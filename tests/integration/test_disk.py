"""The disk: what is told was synced before, and what cannot be written is told to nobody."""

import asyncio
import re
import resource
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from tests.integration.programs import (
    Dial,
    ServerProcess,
    SimpleClient,
    StartServer,
    eventually,
)
from tests.integration.referee import judge, logs
from tests.integration.tools import found
from tests.server.storage.appends import Written
from ttt_server.config.options import Config
from ttt_server.endpoints.room import RoomEndpoint
from ttt_server.server import serve
from ttt_server.storage.base import Append
from ttt_server.storage.sqlite.store import Job, Operation, SqliteStore

pytestmark = pytest.mark.heavy

ROOMS = [f"room{number}" for number in range(20)]
"""So many write at once: some of them wait in one batch."""

BIG = {"columns": 19, "rows": 19, "in_a_row": 19}


class HeldStore(SqliteStore):
    """Writes, and does not say so before it may."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.has_written = asyncio.Event()
        self.may_return = asyncio.Event()
        self.may_return.set()
        self._held: list[asyncio.Future[None]] = []

    def append(self, appends: Sequence[Job]) -> None:
        super().append([self._held_back(append) for append in appends])

    def _held_back(self, append: Job) -> Job:
        if isinstance(append, Operation):
            return append
        then = partial(self._kept, append)
        return Written(append.room, append.seq, append.lines, append.snapshot, then)

    def _kept(self, append: Append, error: Exception | None) -> None:
        self.has_written.set()
        self._held.append(asyncio.ensure_future(self._hold(append, error)))

    async def _hold(self, append: Append, error: Exception | None) -> None:
        await self.may_return.wait()
        append.then(error)


class Table:
    """A room with its two players and one who watches."""

    def __init__(self, ada: SimpleClient, bob: SimpleClient, eve: SimpleClient) -> None:
        self.ada = ada
        self.bob = bob
        self.eve = eve

    @classmethod
    async def lay(cls, dial: Dial, server: ServerProcess, room: str) -> "Table":
        ada, bob, eve = [await dial(server, room) for _ in range(3)]
        await ada.join(name="ada", settings={"rules": BIG})
        await bob.join(name="bob")
        await ada.until("update")
        await eve.join(name="eve", role="spectator")
        await ada.play(0, 0)
        for other in (bob, eve):
            await other.until_ply(1)
        return cls(ada, bob, eve)

    async def heard_nothing(self) -> None:
        """Nobody was told anything of the room since the last look: a word comes first."""
        await self.bob.send("say", text="ping")
        for member in (self.ada, self.bob, self.eve):
            while (message := await member.receive())["type"] != "said":
                assert message["type"] == "presence", message


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB."""
    place = tmp_path / "small"
    place.mkdir()
    mount, unmount = found("mount"), found("umount")
    command = (mount, "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place))
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a file system cannot be mounted here")  # in most containers, the gate's too
    yield place
    subprocess.run((unmount, str(place)), check=True)


@contextmanager
def file_size_limit(server: ServerProcess) -> Iterator[None]:
    """Not a byte more in any file, as if the disk were full."""
    pid, unlimited = server.process.pid, resource.RLIM_INFINITY
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, unlimited))
    yield
    with suppress(ProcessLookupError):  # it may have been killed
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))


@contextmanager
def filled(place: Path) -> Iterator[None]:
    """Not a byte more on this file system."""
    ballast = place / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"\0" * 1024)
    yield
    ballast.unlink()


async def health(server: ServerProcess, status: int) -> None:
    """Waits until the server says so of itself."""

    async def is_so() -> bool:
        return (await server.get("/healthz"))[0] == status

    await eventually(is_so)


async def check_a_full_disk(
    server: ServerProcess, dial: Dial, full: Callable[[], AbstractContextManager[None]]
) -> None:
    tables = [await Table.lay(dial, server, room) for room in ROOMS]
    await health(server, 200)

    with full():
        refusals = await asyncio.gather(
            *(table.bob.refusal("play", game=1, ply=1, cell=5, id="m") for table in tables)
        )
        assert {(refused["code"], refused["id"]) for refused in refusals} == {
            ("storage_failed", "m")
        }
        for table in tables:
            await table.heard_nothing()
        await health(server, 503)
        status, state = await server.get(f"/api/rooms/{ROOMS[0]}")
        assert (status, state["game"]["moves"]) == (200, [0])
        eve = await dial(server, ROOMS[0])
        assert (await eve.join(role="spectator"))["room"]["game"]["moves"] == [0]
        late = await dial(server, "new-room")
        assert (await late.refusal("join"))["code"] == "storage_failed"

    await health(server, 200)  # by itself: nobody has written anything since
    for table in tables:
        update = await table.bob.play(1, 5)
        assert update["events"][0]["seq"] == update["room"]["seq"] == 6
        assert (await table.eve.until_ply(2))["room"]["game"]["moves"] == [0, 5]
    assert (await late.join())["you"]["seat"] == "X"
    await server.kill()
    found = logs(server.data)
    for name in ROOMS:
        assert judge(found[name]).moves == [0, 5]


async def test_files_that_may_not_grow(start_server: StartServer, dial: Dial) -> None:
    server = await start_server()
    await check_a_full_disk(server, dial, lambda: file_size_limit(server))


async def test_a_file_system_that_is_full(
    start_server: StartServer, dial: Dial, small_disk: Path
) -> None:
    server = await start_server(data=small_disk / "data")
    await check_a_full_disk(server, dial, lambda: filled(small_disk))


async def test_a_full_disk_and_a_kill(start_server: StartServer, dial: Dial) -> None:
    server = await start_server()
    table = await Table.lay(dial, server, "room42")
    with file_size_limit(server):
        assert (await table.bob.refusal("play", game=1, ply=1, cell=5))["code"] == "storage_failed"
        await server.kill()
    await server.start()
    eve = await dial(server, "room42")
    assert (await eve.join(role="spectator"))["room"]["game"]["moves"] == [0]


async def whole(trace: Path) -> str:
    """What strace wrote, once it has seen the end of everything."""

    async def is_whole() -> bool:
        return "+++ exited with 0 +++\n" in read(trace)

    await eventually(is_whole)
    return read(trace)


def read(trace: Path) -> str:
    return trace.read_text()


async def test_nobody_is_told_before_the_store_has_returned(tmp_path: Path) -> None:
    """The same with a wrapped store, where there is no strace."""
    store = HeldStore(tmp_path / "ttt.sqlite3")
    config = Config(port=0, data=tmp_path)
    async with serve(config, store=store) as server:
        url = f"{server.address}/ws/rooms/room42"
        async with connect(url) as one, connect(url) as other:
            ada, bob = SimpleClient(one), SimpleClient(other)
            await ada.join()
            await bob.join()
            await ada.until("update")
            store.may_return.clear()
            store.has_written.clear()
            await ada.send("play", game=1, ply=0, cell=4)
            await store.has_written.wait()
            await bob.send("say", text="ping")
            for member in (ada, bob):
                while (message := await member.receive())["type"] != "said":
                    assert message["type"] == "presence", "the move is on disk, and nobody knows"
            store.may_return.set()
            for member in (ada, bob):
                assert (await member.until("update"))["events"][0]["cell"] == 4


async def test_a_join_in_time_is_answered_however_long_the_disk_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = asyncio.Event()

    def be_late(conversation: RoomEndpoint) -> None:
        late(conversation)
        looked.set()

    late = RoomEndpoint.be_late
    monkeypatch.setattr(RoomEndpoint, "be_late", be_late)
    store = HeldStore(tmp_path / "ttt.sqlite3")
    store.may_return.clear()
    config = Config(port=0, data=tmp_path, join_timeout_s=0.1)
    async with (
        serve(config, store=store) as server,
        connect(f"{server.address}/ws/rooms/room42") as one,
    ):
        ada = SimpleClient(one)
        await ada.send("join")
        await store.has_written.wait()
        await looked.wait()
        store.may_return.set()
        assert (await ada.receive())["type"] == "welcome"
        await ada.send("play", game=1, ply=0, cell=4)
        assert (await ada.until("refused"))["code"] == "game_not_started"


SYNC = re.compile(r"(fdatasync|fsync)(\(\d+| resumed>)\)\s+= 0")


async def test_a_move_is_synced_before_it_is_told(
    start_server: StartServer, dial: Dial, tmp_path: Path
) -> None:
    trace = tmp_path / "trace"
    calls = "trace=fdatasync,fsync,pwrite64,write,writev,sendto,sendmsg"
    strace = (found("strace"), "-D", "-f", "-s", "9999", "-e", calls, "-o", str(trace))
    server = await start_server(under=strace)
    table = await Table.lay(dial, server, "room42")
    for ply in range(1, 20):
        await (table.bob if ply % 2 else table.ada).play(ply, ply)
        await table.eve.until_ply(ply + 1)
    assert await server.stop() == 0
    lines = (await whole(trace)).splitlines()
    for seq in range(5, 25):
        event = rf"\"type\":\"played\",\"seq\":{seq},"
        written = next(at for at, line in enumerate(lines) if "pwrite64" in line and event in line)
        told = next(
            at
            for at, line in enumerate(lines)
            if event in line and "pwrite64" not in line and r"\"type\":\"update\"" in line
        )
        assert written < told
        assert any(SYNC.search(line) for line in lines[written:told]), f"event {seq}"
