"""The guide to many servers in docs/operating.md: its commands, in their order.

The machines of the guide are addresses of the loopback interface here, with folders of their own.
"""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from websockets.asyncio.client import connect

from tests.integration.programs import PATIENCE_S, Dial, ServerProcess, environment
from tests.postgres import free_port, programs_of, user_of_postgres

pytestmark = [pytest.mark.slow, pytest.mark.heavy]

PAGE = (Path(__file__).parents[3] / "docs" / "operating.md").read_text()
GUIDE = PAGE.partition("<!-- guide -->")[2].partition("<!-- end -->")[0]
STEP = re.compile(r"((?:^\S.*\n)+)\n((?:^    .*\n)+)", re.MULTILINE)


class Step(NamedTuple):
    where: list[str]
    """The machines, by address; none for all."""
    is_of_postgres: bool
    commands: list[str]


def steps() -> list[Step]:
    return [
        Step(
            re.findall(r"(?:[Oo]n|and) (10\.0\.0\.\d)", words),
            "`postgres`" in words,
            [line.strip() for line in block.splitlines()],
        )
        for words, block in STEP.findall(GUIDE)
    ]


class Machines:
    """All machines of the guide in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.chmod(0o755)
        self.port, self.server_port = free_port(), free_port()
        self.programs = programs_of(folder)
        self.running: list[subprocess.Popen[bytes]] = []
        self.number = 0

    def data(self, address: str) -> Path:
        """Where PostgreSQL keeps its files."""
        return self.home(address, is_of_postgres=True) / (
            "data" if address.endswith(".1") else "ttt"
        )

    def home(self, address: str, *, is_of_postgres: bool) -> Path:
        home = self.folder / f"{address[-1]}{'p' * is_of_postgres}"
        if not home.exists():
            home.mkdir()
            if is_of_postgres and (user := user_of_postgres()):
                shutil.chown(home, user)
        return home

    def here(self, command: str, address: str) -> str:
        """The command with the addresses and folders of this test."""
        put = {
            "10.0.0.0/24": "127.0.0.0/8",
            "listen_addresses = '*'": "listen_addresses = '127.0.0.1'",
            "--host 0.0.0.0": f"--host {address}",
            ":5432:": f":{self.port}:",
            ":8765": f":{self.server_port}",
            "/var/lib/ttt-server": str(self.folder / "old"),
            "/var/lib/postgresql/ttt": str(self.data(address)),
            "/backups": str(self.folder),
        }
        for written, meant in put.items():
            command = command.replace(written, meant)
        return command.replace("10.0.0.", "127.0.0.")

    def run(self, command: str, address: str, *, is_of_postgres: bool = False) -> str:
        """Run a command on a machine; return what it says."""
        home = self.home(address, is_of_postgres=is_of_postgres)
        variables = {"HOME": str(home), "PGPORT": str(self.port)}
        if is_of_postgres:
            data = str(self.data(address))
            variables |= {"PGDATA": data, "PGHOST": str(home), "PGUSER": "postgres"}
        path = f"{self.programs}:{sysconfig.get_path('scripts')}:{os.environ['PATH']}"
        variables |= {
            "PATH": path,
            "TTT_DATA": str(home / "data"),
            "TTT_PORT": str(self.server_port),
        }
        self.number += 1
        log = self.folder / f"{self.number}.log"
        arguments: dict[str, Any] = {"cwd": home, "env": environment(**variables)}
        if is_of_postgres and user_of_postgres():
            arguments["user"] = user_of_postgres()
        shell = ["/bin/bash", "-c", self.here(command, address)]
        with log.open("wb") as out:
            arguments |= {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": out}
            if "--advertise" in command:
                self.running.append(
                    subprocess.Popen(["/bin/bash", "-c", f"exec {shell[2]}"], **arguments)
                )
                return str(log)
            done = subprocess.run(shell, check=False, timeout=60, **arguments)
        said = log.read_text()
        assert done.returncode == 0, (command, said)
        return said


@contextmanager
def machines() -> Iterator[Machines]:
    folder = Path(tempfile.mkdtemp(prefix="ttt-guide-"))
    made = Machines(folder)
    try:
        yield made
    finally:
        for server in made.running:
            server.kill()
            server.wait()
        for address in ("10.0.0.1", "10.0.0.4"):
            with suppress(AssertionError):  # it does not run
                made.run("pg_ctl stop -m immediate", address, is_of_postgres=True)
        shutil.rmtree(folder, ignore_errors=True)


async def join(at: Machines, address: str, **fields: Any) -> dict[str, Any]:
    """Enter the room `old`, and return the welcome."""
    url = f"ws://{address}:{at.server_port}/ws/rooms/old"
    async with connect(url, subprotocols=["ttt.v1"]) as socket:  # type: ignore[list-item]
        await socket.send(json.dumps({"type": "join", **fields}))
        while True:
            told: dict[str, Any] = json.loads(await socket.recv())
            if told["type"] in {"welcome", "refused"}:
                return told


def test_every_command_has_a_machine() -> None:
    found = steps()
    assert sum(len(step.commands) for step in found) == len(
        re.findall(r"^    \S", GUIDE, re.MULTILINE)
    )
    assert [len(step.where) for step in found].count(0) <= 2
    assert {address for step in found for address in step.where} == {
        f"10.0.0.{number}" for number in range(1, 5)
    }


async def test_the_guide(dial: Dial) -> None:
    with machines() as at:
        old = ServerProcess(at.folder / "old")
        await old.start()
        token = (await (await dial(old, "old")).join(name="ada"))["you"]["token"]
        assert await old.stop() == 0
        await asyncio.to_thread(follow, at)
        for address in ("127.0.0.2", "127.0.0.3"):
            told = await join(at, address, token=token)
            assert told["you"]["seat"] == "X", told


def follow(at: Machines) -> None:
    """Run all commands, on a machine that has PostgreSQL."""
    data = at.data("10.0.0.1")
    for command in (
        f"initdb -D {data} -U postgres --auth-local=trust --auth-host=scram-sha-256 --no-sync",
        f"echo \"unix_socket_directories = '..'\" >> {data}/postgresql.conf",
        f"echo port = {at.port} >> {data}/postgresql.conf",
        f"pg_ctl -D {data} start",
    ):
        at.run(command, "10.0.0.1", is_of_postgres=True)
    for step in steps():
        for command in step.commands:
            for address, is_of_postgres in places(step, command):
                said = at.run(command, address, is_of_postgres=is_of_postgres)
                if "--advertise" in command:
                    until(partial(listens, Path(said)))
                elif command.startswith("ttt-server cluster"):
                    until(partial(are_both_alive, at, command, address))


def listens(log: Path) -> bool:
    return "ttt-server listening on" in log.read_text()


def are_both_alive(at: Machines, command: str, address: str) -> bool:
    return at.run(command, address).count(" yes") == 2


def places(step: Step, command: str) -> list[tuple[str, bool]]:
    """The machines to run a command on, and whether as `postgres`."""
    if command.startswith("pip install"):
        assert "'ttt-rooms[postgres]'" in command, "it is installed"
        return []
    if command.startswith("ttt-server copy"):
        return [("10.0.0.2", False)]
    everywhere = [("10.0.0.1", True), ("10.0.0.2", False), ("10.0.0.3", False), ("10.0.0.4", True)]
    return [(address, step.is_of_postgres) for address in step.where] or everywhere


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.2)
