"""The server as a program: options, signals, the address line, one-line errors."""

import argparse
import asyncio
import gc
import logging
import shutil
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic_core import PydanticUndefined

from ttt_server.cli.console import FAILED, WRONG_USAGE, CommandParser, fail, put, similar
from ttt_server.cli.main import COMMANDS
from ttt_server.config.options import HEADINGS, Config, InvalidConfig, flag, help_texts, load
from ttt_server.server import Server, serve
from ttt_server.storage.base import CannotOpen
from ttt_server.telemetry.build import BUILD, SERVER
from ttt_server.telemetry.logging import set_up

try:
    from uvloop import run as run_loop
except ImportError:  # there is none for Windows
    from asyncio import run as run_loop  # type: ignore[assignment]

PROGRAM = "ttt-server"

_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
"""The first one stops the server; later ones do nothing."""

_GC_THRESHOLD = 50_000
"""New objects before the garbage collector looks for cycles. The objects of hundreds of moves that
wait at once are no garbage, and looking at them again and again took a tenth of the time."""

_SAID_IN_WORDS = (None, (), False, PydanticUndefined)
"""Defaults that the help omits."""


_DESCRIPTION = """\
Host rooms for tic-tac-toe and its family.

commands, each with its own --help:
{commands}

Without a command, the server starts. Each option is also a variable,
--max-rooms as TTT_MAX_ROOMS, and a key of the TOML file, max_rooms.
Flags win over variables, and these over the file."""


def run(arguments: list[str]) -> int:
    """Run the server with these arguments; return its exit status."""
    parser = _parser(has_help=not {"-h", "--help"}.isdisjoint(arguments))
    if arguments and not arguments[0].startswith("-"):
        meant = similar(arguments[0], COMMANDS)
        parser.error(f"there is no command {arguments[0]!r}{meant}")
    flags = vars(parser.parse_args(arguments))
    try:
        config = load(flags, flags.pop("config", None))
    except InvalidConfig as error:
        return fail(PROGRAM, error, WRONG_USAGE)
    prepare(config)
    if config.processes == 1:
        return carry_out(_run(serve(config)))
    return carry_out(import_module("ttt_server.cli.process").supervise(config))


def _parser(*, has_help: bool) -> argparse.ArgumentParser:
    texts = help_texts() if has_help else {}
    commands = "\n".join(f"  {name:<12} {about}" for name, (_, about) in COMMANDS.items())
    parser = CommandParser(
        PROGRAM,
        _DESCRIPTION.format(commands=commands),
        usage="%(prog)s [OPTION ...]\n       %(prog)s COMMAND ...",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
    )
    version = f"{SERVER.replace('/', ' ')}, {BUILD}"
    parser.add_argument("--version", action="version", version=version)
    parser.option("--config FILE", "TOML file of options")
    group = parser.add_argument_group()
    for name, field in Config.model_fields.items():
        if (heading := HEADINGS.get(name)) is not None:
            group = parser.add_argument_group(heading)
        default = "" if field.default in _SAID_IN_WORDS else f" (default: {field.default})"
        about = " ".join(f"{texts.get(name)}{default}".split())
        if field.annotation is bool:
            group.add_argument(flag(name), action="store_true", help=about)
        else:
            group.add_argument(flag(name), metavar="VALUE", help=about)
    return parser


def prepare(config: Config, *, process: int | None = None) -> None:
    """Set up what all servers need; `process` is the number of one of several processes."""
    set_up(config.log_format, config.log_level, process)
    gc.set_threshold(_GC_THRESHOLD)


def _fail(error: Exception, status: int) -> int:
    """Write an error after the lines of the log; return `status`."""
    for handler in logging.getLogger().handlers:
        handler.flush()
    return fail(PROGRAM, error, status)


def carry_out(
    work: Coroutine[Any, Any, None], tell: Callable[[Exception, int], int] = _fail
) -> int:
    """Run a server to its end; return the exit status.

    `tell` tells why it could not start, in place of a line on standard error.
    """
    try:
        run_loop(work)
    except InvalidConfig as error:
        return tell(error, WRONG_USAGE)
    except (CannotOpen, OSError) as error:
        return tell(error, FAILED)
    return 0


async def _run(serving: AbstractAsyncContextManager[Server]) -> None:
    async with serving as server:
        numbers = list(_STOP_SIGNALS)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # `nohup` has it ignored
            numbers.append(signal.SIGHUP)  # the terminal's window was closed
        stop_on_signals(server.close, numbers)
        tell_address(server.address)
        await server.wait_closed()


def stop_on_signals(stop: Callable[[], None], numbers: Sequence[signal.Signals]) -> None:
    """Call `stop` at the first of these signals; ignore them from then on."""
    loop = asyncio.get_running_loop()

    def stop_once() -> None:
        # The loop's handlers end with the loop, and the process a little later.
        for number in numbers:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_IGN)
        stop()

    for number in numbers:
        loop.add_signal_handler(number, stop_once)


def tell_address(address: str) -> None:
    """Tell the operator that the server listens."""
    put(f"ttt-server listening on {address}\n")
    if sys.stderr.isatty():
        page = address.replace("ws", "http", 1)
        print(f"play in a browser: {page}/", file=sys.stderr)
        command = f"{client_program()} --server {address} join room42 --vs fair"
        print(f"play from another terminal: {command}", file=sys.stderr)


def client_program() -> str:
    """Return the command that starts the client: its path, if it is not on PATH."""
    beside = Path(sys.argv[0]).with_name("ttt-client")
    return str(beside) if beside.exists() and shutil.which("ttt-client") is None else "ttt-client"
