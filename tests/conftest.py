"""What all tests share."""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests import memory
from tests.postgres import GivenServer, PostgresServer, begin_run, end_run, shared_server

_MOST_WORKERS = 8
"""Each collects all tests for itself, which costs seconds."""


# Each worker and each program would otherwise compile all modules for itself: a third of the time.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def _in_its_thread(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let a loop refuse callbacks of other threads, as in asyncio's debug mode.

    That mode also notes the stack of each future, which took a third of these tests' CPU.
    """

    def checked(loop: Any, *args: Any, **options: Any) -> Any:
        loop._check_thread()
        return method(loop, *args, **options)

    return checked


for _name in ("call_soon", "call_at"):
    _method = getattr(asyncio.BaseEventLoop, _name)
    setattr(asyncio.BaseEventLoop, _name, _in_its_thread(_method))

# `pytest --hypothesis-profile=thorough` looks longer, by hand; a whole run is repeated often.
# The clock of a busy machine is no failure.
_patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", _patient, max_examples=50)
settings.register_profile("thorough", _patient, max_examples=1000)
settings.load_profile("quick")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        begin_run()
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory.folder()))  # of each `tmp_path`
    elif (coverage := config.pluginmanager.get_plugin("_cov")) and coverage.cov_controller:
        # pytest-cov measures a worker twice: once as if it were the process that starts workers.
        # Nothing reads that, and `no_cover` does not pause it: two thirds of such a test's CPU.
        coverage.cov_controller.cov.stop()
    gc.disable()  # until the tests are collected: none of what that makes is waste
    # A shell starts what it runs in the background with Ctrl-C ignored, and programs inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_itemcollected(item: pytest.Item) -> None:
    """What is heavy is slow, too."""
    if item.get_closest_marker("heavy"):
        item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Leave the tests themselves out of each later look for waste, and look less often.

    A look at all of them takes half a second of CPU; looks as often as Python's, a twelfth of all.
    """
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Collect no waste while a failure is told.

    Its finalizers may print a traceback in the middle of one, which ends the whole run before
    CPython 3.11.8 (gh-106905).
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        end_run()


@pytest.fixture(scope="session")
def postgres() -> PostgresServer:
    """The PostgreSQL that all tests share."""
    return shared_server()


@pytest.fixture
def database(postgres: PostgresServer) -> Iterator[str]:
    """The URL of a new database, with tables and without rows."""
    name = postgres.new_database_with_tables()
    yield postgres.url(name)
    postgres.drop(name)


@pytest.fixture
def own_database(postgres: PostgresServer, database: str) -> str:
    """The same, for a test that sets the database as a whole."""
    if isinstance(postgres, GivenServer):
        pytest.skip("the database is that of all tests")
    return database


@pytest.fixture
def empty_database(postgres: PostgresServer) -> Iterator[str]:
    """The URL of a new database, without tables."""
    name = postgres.new_database()
    yield postgres.url(name)
    postgres.drop(name)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Give three workers to each core, because many tests wait for a program or a clock.

    Two if tests are chosen by marks: the heavy ones do not wait.
    A test that is named by itself runs in this process, and so does everything with `-s`.
    """
    if config.option.capture == "no" or all("::" in argument for argument in config.args):
        return 0
    of_each = 2 if config.option.markexpr else 3
    return min(of_each * (os.cpu_count() or 1), _MOST_WORKERS)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out heavy tests unless they are asked for, and let each worker begin with slow ones.

    A worker is given one stretch of the list, and an idle one takes over what another has at the
    end of its own. Quick tests stand there, so that all workers end at the same time.
    """
    if not _asks_for_some(config):
        heavy = [item for item in items if item.get_closest_marker("heavy")]
        config.hook.pytest_deselected(items=heavy)
        items[:] = [item for item in items if not item.get_closest_marker("heavy")]
    workers = _workers(config)
    if workers == 1:
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    quick = [item for item in items if not item.get_closest_marker("slow")]
    items[:] = [
        item
        for worker in range(workers)
        for tests in (slow, quick)
        for item in tests[len(tests) * worker // workers : len(tests) * (worker + 1) // workers]
    ]


def _asks_for_some(config: pytest.Config) -> bool:
    """Tell whether tests are chosen by marks, names or files, and not whole folders run."""
    files = any(not Path(argument).is_dir() for argument in config.args)
    return bool(config.option.markexpr or config.option.keyword or files)


def _workers(config: pytest.Config) -> int:
    about_this: dict[str, int] = getattr(config, "workerinput", {})  # where it is a worker
    return about_this.get("workercount", 1)
