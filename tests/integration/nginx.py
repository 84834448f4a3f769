"""nginx in front of a server."""

import asyncio
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from getpass import getuser
from pathlib import Path

from tests.integration.programs import eventually
from tests.integration.tools import found

_CONFIG = """
daemon off;
user {user};
pid {folder}/pid;
error_log stderr;
events {{ }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        {block}
    }}
}}
"""


@asynccontextmanager
async def nginx(folder: Path, port: int, block: str) -> AsyncIterator[None]:
    """Run nginx with the lines of a `server` block, which listens on this port."""
    config = folder / "nginx.conf"
    config.write_text(_CONFIG.format(user=getuser(), folder=folder, block=block))
    process = await asyncio.create_subprocess_exec(
        *(found("nginx"), "-c", str(config), "-p", str(folder)), stderr=PIPE
    )

    async def is_ready() -> bool:
        # It does not report that it is ready.
        assert process.returncode is None, await process.communicate()
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return False
        writer.close()
        return True

    try:
        await eventually(is_ready)
        yield
    finally:
        process.terminate()
        await process.communicate()
