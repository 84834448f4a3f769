"""A room server for tic-tac-toe and its family.

    import asyncio

    from ttt_server import Config, serve

    async def main() -> None:
        async with serve(Config(port=0, store="memory:")) as server:
            print(server.address, flush=True)
            await server.wait_closed()

    asyncio.run(main())

The modules below this package are private.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ttt_server.telemetry.build import __version__

if TYPE_CHECKING:
    from ttt_server.config.options import Config, InvalidConfig
    from ttt_server.server import Server, serve
    from ttt_server.storage.base import CannotOpen

__all__ = ["CannotOpen", "Config", "InvalidConfig", "Server", "__version__", "serve"]

_HOMES = {
    "CannotOpen": "storage.base",
    "Config": "config.options",
    "InvalidConfig": "config.options",
    "Server": "server",
    "serve": "server",
}
"""The module of each public name, imported at its first use: `--version` need not wait for it."""


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if (home := _HOMES.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
