"""What is under `deploy/`, as far as it can be looked at without installing it."""

import asyncio
import json
import re
import shutil
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest

from tests.integration.programs import PATIENCE_S, ServerProcess, environment, program
from ttt_server.config import Config

ROOT = Path(__file__).parents[2]
UNIT = (ROOT / "deploy" / "ttt-server.service").read_text()
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text()
INSTRUCTIONS = [
    tuple(line.split(None, 1))
    for line in DOCKERFILE.replace("\\\n", " ").splitlines()
    if line and not line.startswith("#")
]


def instruction(name: str) -> str:
    (found,) = [rest for word, rest in INSTRUCTIONS if word == name]
    return found


def in_unit(key: str) -> str:
    (found,) = re.findall(rf"^{key}=(.*)$", UNIT, re.MULTILINE)
    return str(found)


async def run(*command: str, **variables: str) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        *command, stdout=PIPE, stderr=STDOUT, env=environment(**variables)
    )
    async with asyncio.timeout(PATIENCE_S):
        output, _ = await process.communicate()
    return process.returncode, output.decode()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze here")
async def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "ttt-server.service"
    unit.write_text(UNIT.replace("/opt/ttt-rooms/bin/ttt-server", program("ttt-server")))
    assert await run("systemd-analyze", "verify", str(unit)) == (0, "")


def test_systemd_waits_for_a_stop() -> None:
    assert int(in_unit("TimeoutStopSec")) > 2 * Config.model_fields["drain_s"].default
    assert in_unit("KillSignal") == "SIGTERM"


def test_the_service_has_memory_for_those_who_think() -> None:
    fields = Config.model_fields
    most = 2 * fields["workers"].default * fields["ai_memory_mb"].default
    assert int(in_unit("MemoryMax").removesuffix("G")) * 1024 > most


def test_the_service_writes_where_it_may() -> None:
    assert in_unit("ExecStart").endswith(f"--data %S/{in_unit('StateDirectory')}")


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
