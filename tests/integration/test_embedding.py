"""The public API: a server inside another program, and the module as a program."""

import asyncio
import signal
import subprocess
import sys
import textwrap
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

import ttt_server
from tests.integration.programs import PATIENCE_S, SimpleClient, environment
from ttt_server import CannotOpen, Config, InvalidConfig, Server, __version__, serve
from ttt_server.storage.memory import MemoryStore

pytestmark = pytest.mark.heavy

EVERYWHERE = "0.0.0.0"  # noqa: S104 - with a warning
ROOT = Path(__file__).parents[2]


def memory(**options: object) -> Config:
    return Config(port=0, store="memory:", **options)


def example() -> str:
    """Return the program in the package's docstring."""
    assert ttt_server.__doc__
    _, _, code = ttt_server.__doc__.partition("\n\n")
    program, _, _ = code.partition("\n\nThe modules")
    return textwrap.dedent(program)


def test_the_page_for_operators_has_the_same_example() -> None:
    page = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
    assert textwrap.indent(example(), "    ") in page


async def is_gone(server: Server) -> None:
    with pytest.raises(OSError, match="Connect call failed"):
        await connect(f"{server.address}/ws/rooms/den")


async def test_the_example_of_the_package_serves_until_it_is_interrupted() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", example()), stdout=PIPE, stderr=PIPE, env=environment()
    )
    assert process.stdout is not None
    assert process.stderr is not None
    async with asyncio.timeout(PATIENCE_S):
        address = (await process.stdout.readline()).decode().strip()
        async with connect(f"{address}/ws/rooms/room42") as socket:
            ada = SimpleClient(socket)
            await ada.join(name="ada")
            process.send_signal(signal.SIGINT)
            assert (await ada.until("goodbye"))["code"] == 1012
            assert await ada.close_code() == 1012
        _, err = await process.communicate()
    assert err.decode().splitlines()[-1] == "KeyboardInterrupt"


async def test_a_server_ends_with_its_block() -> None:
    async with serve(memory()) as server, connect(f"{server.address}/ws/rooms/den") as socket:
        ada = SimpleClient(socket)
        assert (await ada.join(name="ada"))["you"]["seat"] == "X"
    await is_gone(server)
    await server.wait_closed()


async def test_a_server_can_be_closed_from_inside() -> None:
    async with serve(memory()) as server, connect(f"{server.address}/ws/rooms/den") as socket:
        ada = SimpleClient(socket)
        await ada.join(name="ada")
        waiting = asyncio.create_task(server.wait_closed())
        await asyncio.sleep(0)
        assert not waiting.done()
        server.close()
        server.close()
        assert await ada.close_code() == 1012
        async with asyncio.timeout(PATIENCE_S):
            await waiting


async def test_a_block_that_fails_stops_the_server() -> None:
    with pytest.raises(ZeroDivisionError):
        async with serve(memory()) as server:
            raise ZeroDivisionError
    await is_gone(server)


async def test_two_servers_in_one_loop() -> None:
    async with serve(memory()) as one, serve(memory()) as other:
        assert one.address != other.address
        for server in (one, other):
            async with connect(f"{server.address}/ws/rooms/room42") as socket:
                assert (await SimpleClient(socket).join())["you"]["seat"] == "X"


class CountingStore(MemoryStore):
    closed = 0

    async def close(self) -> None:
        self.closed += 1


async def test_a_start_that_fails_closes_what_was_opened() -> None:
    store = CountingStore()
    async with serve(memory()) as server:
        port = int(server.address.rpartition(":")[2])
        with pytest.raises(OSError, match="in use"):
            async with serve(Config(port=port), store=store):
                pass
    assert store.closed == 1


async def test_a_start_that_fails_says_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(OSError, match="Cannot assign"):
        async with serve(memory(host="192.0.2.1")):  # for documents alone: no machine has it
            pass
    assert caplog.messages == []


async def test_a_store_of_the_caller_is_used_and_closed(tmp_path: Path) -> None:
    store = CountingStore()
    async with serve(Config(port=0, data=tmp_path / "data"), store=store) as server:
        async with connect(f"{server.address}/ws/rooms/den") as socket:
            await SimpleClient(socket).join()
        assert await store.browse("", 1)
        assert store.closed == 0
    assert store.closed == 1
    assert not (tmp_path / "data").exists()


async def test_wrong_options_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match="--host"):
        async with serve(memory(host="no host")):
            pass
    (tmp_path / "ttt.sqlite3").write_bytes(b"a diary\n" * 99)
    with pytest.raises(CannotOpen, match="not a database"):
        async with serve(Config(port=0, data=tmp_path)):
            pass


def test_the_package_exports_its_api_and_no_more() -> None:
    errors = ["CannotOpen", "InvalidConfig"]
    assert sorted(ttt_server.__all__) == sorted(
        [*errors, "Config", "Server", "__version__", "serve"]
    )
    assert dir(ttt_server) == sorted(ttt_server.__all__)
    for name in ttt_server.__all__:
        assert getattr(ttt_server, name)
    with pytest.raises(AttributeError, match="no attribute 'Hub'"):
        _ = ttt_server.Hub


@pytest.mark.slow
def test_the_package_imports_a_part_with_its_first_use() -> None:
    program = (
        "import sys, ttt_server\n"
        "assert 'ttt_server.config' not in sys.modules\n"
        "ttt_server.Config\n"
        "assert 'ttt_server.server' not in sys.modules\n"
        "from ttt_server import Server, serve\n"
        "assert serve.__module__ == Server.__module__ == 'ttt_server.server'\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("option", ["--version", "--help"])
@pytest.mark.slow
def test_the_module_is_the_program(option: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ttt_server", option],
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
    )
    assert done.stdout.startswith((f"ttt-rooms {__version__}, ", "usage: ttt-server "))


@pytest.mark.parametrize(
    ("options", "warns"),
    [
        ({"host": EVERYWHERE}, True),
        ({"host": EVERYWHERE, "trusted_proxies": ("10.0.0.1",)}, False),
        ({"host": "localhost"}, False),
    ],
)
async def test_a_server_that_others_reach_in_clear_warns_of_it(
    options: dict[str, object], warns: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async with serve(memory(**options)):
        pass
    warnings = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert ["--tls-cert" in warning for warning in warnings] == [True] * warns
