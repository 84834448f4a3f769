"""What the parent decides without starting anything."""

import subprocess
import sys

import pytest

from ttt_server.config.options import Config, InvalidConfig, load
from ttt_server.processes.parent import share_of
from ttt_server.processes.place import ChildSetup
from ttt_server.server import serve

STORE = "postgresql://ttt@db/ttt"


def test_rates_are_shared_and_what_is_counted_together_is_not() -> None:
    whole = Config(store=STORE, processes=4, connects_per_10s_per_address=3)
    part = share_of(whole, 4)
    assert part.processes == 1
    assert part.address_limits.connects.burst == 1
    assert part.address_limits.commands.burst == whole.address_limits.commands.burst / 4
    assert part.address_limits.guesses.burst == whole.address_limits.guesses.burst / 4
    assert (part.workers, part.max_rooms) == (1, whole.max_rooms)
    most = share_of(
        Config(store=STORE, processes=2, commands_per_10s=10**9, command_burst=10**9), 2
    )
    assert most.commands_per_10s_per_address == 10**9, "as much as an option may be"
    assert part.max_connections_per_address == whole.max_connections_per_address


def test_a_child_is_told_all_options(tmp_path: object) -> None:
    config = Config(
        store=STORE,
        data=f"{tmp_path}",
        secret="0123456789abcdef",
        allow_origin="https://example.org",
        forget_rooms_after="90d",
        strategies={"mine": {"exec": "true"}},
    )
    setup = ChildSetup(
        config=config, number=1, count=2, address="ws://x:1", group="a", folder=config.data
    )
    assert ChildSetup.model_validate_json(setup.model_dump_json()) == setup


async def test_a_program_that_serves_is_one_process() -> None:
    with pytest.raises(InvalidConfig, match="only the program ttt-server starts several"):
        async with serve(Config(store=STORE, processes=2)):
            pass


def test_a_server_of_one_process_imports_nothing_of_this() -> None:
    found = "[name for name in sys.modules if name.startswith('ttt_server.processes')]"
    told = f"import sys, ttt_server.cli.serve, ttt_server.app; print({found})"
    assert subprocess.check_output((sys.executable, "-c", told), text=True) == "[]\n"


@pytest.mark.parametrize("wrong", ["0", "-1", "257", "two", "", "1.5", "AUTO", "²"])
def test_numbers_that_no_server_has(wrong: str) -> None:
    with pytest.raises(InvalidConfig) as caught:
        load({"store": STORE, "processes": wrong}, None)
    assert str(caught.value) == "--processes: must be auto, or how many: 1 to 256"


@pytest.mark.parametrize("store", ["sqlite:", "memory:"])
@pytest.mark.parametrize("count", ["2", "auto"])
def test_stores_that_serve_one_process(store: str, count: str) -> None:
    with pytest.raises(InvalidConfig, match=f"^--processes: {store} serves one process"):
        load({"store": store, "processes": count}, None)
    assert load({"store": store, "processes": "1"}, None).processes == 1
