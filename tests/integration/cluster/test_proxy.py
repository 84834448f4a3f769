"""HAProxy in front of two servers, with the configuration of `deploy/`."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

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
            return await asyncio.to_thread(_status, front, "/healthz") == 200

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
        for path in ("/metrics", "//metrics", "/metrics/", "/metrics?x=1", "/%6Detrics"):
            assert await asyncio.to_thread(_status, front, path) == 404
        assert await asyncio.to_thread(_status, front, "/api/rooms/den3") == 200
    finally:
        proxy.terminate()
        proxy.wait()


def _status(server: Server, path: str) -> int:
    """The status of a plain GET; 0 if there is none."""
    try:
        with urlopen(f"http://127.0.0.1:{server.port}{path}", timeout=5) as answer:
            status: int = answer.status
            return status
    except HTTPError as error:
        return error.code
    except OSError:
        return 0
