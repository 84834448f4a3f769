"""The commands of `ttt-server` beside the server, as programs."""

import asyncio
from pathlib import Path

from tests.integration import prepared
from tests.integration.programs import PATIENCE_S, environment, program


async def command(name: str, *arguments: str | Path, status: int = 0) -> tuple[str, str]:
    """Run `ttt-server NAME`, and return its output and its errors."""
    process = await prepared.start(program("ttt-server"), name, *arguments, env=environment())
    async with asyncio.timeout(3 * PATIENCE_S):
        out, err = await process.communicate()
    assert process.returncode == status, (out, err)
    return out.decode(), err.decode()
