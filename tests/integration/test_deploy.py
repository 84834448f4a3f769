"""What is under `deploy/`, as far as it can be looked at without installing it."""

import asyncio
import json
import re
import shutil
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest

from tests.integration.programs import (
    PATIENCE_S,
    Dial,
    ServerProcess,
    StartServer,
    environment,
    program,
)
from tests.postgres import PostgresServer, free_port
from ttt_server.config.options import Config

ROOT = Path(__file__).parents[2]
UNITS = {
    "ttt-server.service": (ROOT / "deploy" / "ttt-server.service").read_text(),
    "ttt-server@8765.service": (ROOT / "deploy" / "ttt-server@.service").read_text(),
}
each_unit = pytest.mark.parametrize("name", UNITS)
COMPOSE = re.sub(r"\$\{(\w+):\?[^}]*\}", r"<\1>", (ROOT / "deploy" / "compose.yaml").read_text())
"""With `<NAME>` for what the operator sets."""
HAPROXY = (ROOT / "deploy" / "haproxy.cfg").read_text()
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text()
INSTRUCTIONS = [
    tuple(line.split(None, 1))
    for line in DOCKERFILE.replace("\\\n", " ").splitlines()
    if line and not line.startswith("#")
]


def instruction(name: str) -> str:
    (found,) = [rest for word, rest in INSTRUCTIONS if word == name]
    return found


def in_unit(name: str, key: str) -> str:
    (found,) = re.findall(rf"^{key}=(.*)$", UNITS[name], re.MULTILINE)
    return str(found)


def in_compose(key: str) -> list[str]:
    """All values of a key, without quotes."""
    return re.findall(rf'\b{key}: "?([^"\s}}]+)', COMPOSE)


async def run(*command: str, **variables: str) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        *command, stdout=PIPE, stderr=STDOUT, env=environment(**variables)
    )
    async with asyncio.timeout(PATIENCE_S):
        output, _ = await process.communicate()
    return process.returncode, output.decode()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze here")
@each_unit
async def test_systemd_understands_the_unit(tmp_path: Path, name: str) -> None:
    unit = tmp_path / name
    unit.write_text(UNITS[name].replace("/opt/ttt-rooms/bin/ttt-server", program("ttt-server")))
    assert await run("systemd-analyze", "verify", str(unit)) == (0, "")


@each_unit
def test_systemd_waits_for_a_stop(name: str) -> None:
    assert int(in_unit(name, "TimeoutStopSec")) > 2 * Config.model_fields["drain_s"].default
    assert in_unit(name, "KillSignal") == "SIGTERM"


@each_unit
def test_systemd_starts_it_again_until_it_works(name: str) -> None:
    assert in_unit(name, "Restart") == "on-failure"
    assert in_unit(name, "StartLimitIntervalSec") == "0"
    assert "StartLimitIntervalSec" in UNITS[name].partition("[Service]")[0]


def test_containers_come_back_after_a_reboot() -> None:
    assert set(in_compose("restart")) == {"unless-stopped"}


@each_unit
def test_the_service_has_memory_for_those_who_think(name: str) -> None:
    fields = Config.model_fields
    most = 2 * fields["workers"].default * fields["ai_memory_mb"].default
    assert int(in_unit(name, "MemoryMax").removesuffix("G")) * 1024 > most


@each_unit
def test_the_service_writes_where_it_may(name: str) -> None:
    assert in_unit(name, "ExecStart").endswith(f"--data %S/{in_unit(name, 'StateDirectory')}")


def test_several_services_are_as_hardened_as_one() -> None:
    hardening = {
        name: unit.partition("NoNewPrivileges")[2].partition("[Install]")[0]
        for name, unit in UNITS.items()
    }
    assert len(set(hardening.values())) == 1


def test_the_image_is_made_of_what_there_is() -> None:
    for word, rest in INSTRUCTIONS:
        if word == "COPY" and not rest.startswith("--from="):
            *sources, _ = rest.split()
            assert all((ROOT / source).exists() for source in sources)


def test_in_the_image_the_server_is_the_process_that_is_stopped() -> None:
    assert json.loads(instruction("ENTRYPOINT")) == ["ttt-server"]
    assert instruction("STOPSIGNAL") == "SIGTERM"
    assert instruction("USER") not in {"root", "0"}
    variables = dict(re.findall(r"TTT_(\w+)=(\S+)", instruction("ENV")))
    assert {name.lower() for name in variables} <= set(Config.model_fields)
    assert variables["DATA"] == instruction("VOLUME")
    assert variables["PORT"] == instruction("EXPOSE")


async def test_the_images_health_is_the_servers(server: ServerProcess) -> None:
    words = instruction("HEALTHCHECK")
    python, *arguments = json.loads(words[words.index("[") :])
    assert python == "python"
    port = str(server.port)
    assert await run(sys.executable, *arguments, TTT_PORT=port) == (0, "")
    await server.kill()
    status, _ = await run(sys.executable, *arguments, TTT_PORT=port)
    assert status == 1
    await server.start()


def test_compose_has_time_for_a_stop_and_names_options_that_there_are() -> None:
    assert int(in_compose("stop_grace_period")[0].removesuffix("s")) > 2 * (
        Config.model_fields["drain_s"].default
    )
    names = set(re.findall(r"\bTTT_\w+(?=:)", COMPOSE))
    of_proxy = set(re.findall(r"TTT_\w+", HAPROXY))
    assert {"TTT_ONE", "TTT_TWO"} < of_proxy <= names
    assert {name.removeprefix("TTT_").lower() for name in names - of_proxy} <= set(
        Config.model_fields
    )


def test_the_services_of_compose_find_each_other() -> None:
    services = set(re.findall(r"^  (\w+):$", COMPOSE, re.MULTILINE))
    port = instruction("EXPOSE")
    for name in ("one", "two"):
        assert name in services
        assert in_compose(f"TTT_{name.upper()}") == [f"{name}:{port}"]
        assert f"ws://{name}:{port}" in in_compose("TTT_ADVERTISE")
    assert in_compose("TTT_STORE") == ["postgresql://ttt:<POSTGRES_PASSWORD>@database/ttt"]
    assert "database" in services
    for mounted in re.findall(r'"\./([^:"]+):', COMPOSE):
        assert (ROOT / "deploy" / mounted).exists()


async def test_two_servers_run_with_what_compose_says(
    start_server: StartServer, dial: Dial, postgres: PostgresServer, database: str, tmp_path: Path
) -> None:
    here = f"127.0.0.1:{postgres.port}/{database.rpartition('/')[2]}"
    store = in_compose("TTT_STORE")[0].replace("database/ttt", here)
    store = store.replace("<POSTGRES_PASSWORD>", "hunter2")
    servers = []
    for number in range(2):
        port = str(free_port())
        variables = {
            "TTT_STORE": store,
            "TTT_SECRET": "f" * 64,
            "TTT_TRUSTED_PROXIES": in_compose("TTT_TRUSTED_PROXIES")[0],
            "TTT_ADVERTISE": f"ws://127.0.0.1:{port}",
        }
        data = tmp_path / f"data{number}"
        servers.append(await start_server("--port", port, variables=variables, data=data))
    ada, bob = [await dial(server, "den") for server in servers]
    await ada.join(name="Ada")
    assert (await bob.join(name="Bob"))["room"]["seats"]["X"]["name"] == "Ada"
    assert not (tmp_path / "data0" / "ttt.sqlite3").exists()
