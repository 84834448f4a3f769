"""HAProxy in front of two servers, with the configuration of `deploy/`."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.integration.cluster.conftest import StartCluster
from tests.integration.programs import Dial, Server, eventually
from tests.postgres import free_port

HAPROXY = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
CONFIG = Path(__file__).parents[3] / "deploy" / "haproxy.cfg"


@pytest.mark.skipif(not HAPROXY and "CI" not in os.environ, reason="there is no haproxy here")
async def test_games_through_haproxy(start_cluster: StartCluster, dial: Dial) -> None:
    assert HAPROXY
    one, two = await start_cluster(2, "--trusted-proxies", "127.0.0.1")
    front = Server()
    front.port = free_port()
    proxy = subprocess.Popen(  # noqa: ASYNC220 - it returns at once
        (HAPROXY, "-f", CONFIG),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={
            "TTT_BIND": f"127.0.0.1:{front.port}",
            "TTT_ONE": f"127.0.0.1:{one.port}",
            "TTT_TWO": f"127.0.0.1:{two.port}",
        },
    )
    try:

        async def is_there() -> bool:
            try:
                return (await front.get("/healthz"))[0] == 200
            except OSError:
                return False

        await eventually(is_there)
        for number in range(6):
            x, o = await dial(front, f"den{number}"), await dial(front, f"den{number}")
            await x.join(settings={"public": True})
            await o.join()
            for ply, cell in enumerate((0, 3, 1, 4, 2)):
                await (x, o)[ply % 2].play(ply, cell)
            await o.until_over()
        spread = [(await each.get("/metrics"))[0] for each in (one, two)]
        assert spread == [200, 200]
        assert (await front.get("/api/rooms/den3"))[0] == 200
    finally:
        proxy.terminate()
        proxy.wait()
