"""The parent of `ttt-server --processes`, as a program."""

import asyncio
import signal
import sys
from collections.abc import Sequence

from ttt_server.cli.serve import stop_on_signals, tell_address
from ttt_server.config.options import Config
from ttt_server.processes.parent import CHILD, Parent


async def supervise(config: Config, command: Sequence[str] = CHILD) -> None:
    """Run the server of these options in several processes, until it is told to stop.

    `command` starts each of them.

    SIGHUP renews the certificate; from a terminal that is closed it stops the server.

    Raises:
        InvalidConfig, CannotOpen, OSError: with one line for the operator.
    """
    parent = Parent(config, command)
    await parent.start()
    loop, is_told = asyncio.get_running_loop(), asyncio.Event()
    numbers = [signal.SIGTERM, signal.SIGINT]
    if sys.stderr.isatty():
        numbers.append(signal.SIGHUP)
    else:
        loop.add_signal_handler(signal.SIGHUP, parent.renew)
    stop_on_signals(is_told.set, numbers)
    tell_address(parent.address)
    await is_told.wait()
    await parent.stop()
