"""The server: reads its options, runs it, and says what went wrong in one line."""

import argparse
import asyncio
import gc
import signal
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from pydantic_core import PydanticUndefined

from ttt_server import SERVER
from ttt_server.app import open_app
from ttt_server.cli.console import FAILED, WRONG_USAGE, Parser, fail
from ttt_server.cli.main import COMMANDS
from ttt_server.config import Config, InvalidConfig, flag, load
from ttt_server.storage.base import CannotOpen
from ttt_server.telemetry.logging import set_up

PROGRAM = "ttt-server"

_STOPPING = (signal.SIGTERM, signal.SIGINT)
"""The first of them stops the server; what comes after it changes nothing."""

_GC_THRESHOLD = 50_000
"""Objects that are made before the collector looks for rings: what hundreds of moves at once wait
with is no garbage, and to look at it again and again took a tenth of the time."""

_TOLD_OTHERWISE = (None, (), PydanticUndefined)
"""Defaults that the help does not repeat."""


def run(arguments: list[str]) -> int:
    """Runs the server with these arguments; its exit status."""
    flags = vars(_parser().parse_args(arguments))
    try:
        config = load(flags, flags.pop("config", None))
    except InvalidConfig as error:
        return fail(PROGRAM, error, WRONG_USAGE)
    return _serve(config)


def _parser() -> argparse.ArgumentParser:
    commands = "; ".join(f"{name}, {one.about}" for name, one in COMMANDS.items())
    parser = Parser(
        prog=PROGRAM,
        description="Hosts rooms for tic-tac-toe and its family. "
        f"As the first word, another command, with its own --help: {commands}.",
        epilog="Each option is also a variable, --max-rooms as TTT_MAX_ROOMS, and a key of the "
        "TOML file, max_rooms. Flags win over variables, and these over the file.",
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=SERVER.replace("/", " "))
    parser.add_argument("--config", metavar="FILE", help="TOML file of options")
    for name, field in Config.model_fields.items():
        default = f" (default: {field.default})" if field.default not in _TOLD_OTHERWISE else ""
        parser.add_argument(flag(name), metavar="VALUE", help=f"{field.description}{default}")
    return parser


def _serve(config: Config) -> int:
    set_up(config.log_format, config.log_level)
    gc.set_threshold(_GC_THRESHOLD)
    try:
        _fastest_runner()(_run(config))
    except InvalidConfig as error:
        return fail(PROGRAM, error, WRONG_USAGE)
    except (CannotOpen, OSError) as error:
        return fail(PROGRAM, error, FAILED)
    return 0


async def _run(config: Config) -> None:
    app = open_app(config)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    stopping = list(_STOPPING)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as it is under `nohup`
        stopping.append(signal.SIGHUP)  # its window was closed

    def stop_once() -> None:
        # The loop's handlers end with the loop, and the process a little later.
        for number in stopping:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_IGN)
        stop.set()

    for number in stopping:
        loop.add_signal_handler(number, stop_once)
    await app.run(stop, _tell_address)


def _tell_address(address: str) -> None:
    print(f"ttt-server listening on {address}", flush=True)
    if sys.stderr.isatty():
        page = address.replace("ws", "http", 1)
        print(f"play in a browser: {page}/", file=sys.stderr)
        command = f"ttt-client --server {address} join room42 --vs minimax:5"
        print(f"play from another terminal: {command}", file=sys.stderr)


def _fastest_runner() -> Callable[[Coroutine[Any, Any, None]], None]:
    try:
        import uvloop  # noqa: PLC0415 - there is none for Windows
    except ImportError:
        return asyncio.run
    return uvloop.run
