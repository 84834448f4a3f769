"""The programs of `ttt-server --processes`: the parent, and a child.

A child is a server that has its connections from its parent.
"""

import asyncio
import signal
import socket
import sys
from collections.abc import Sequence
from typing import Final

from ttt_server.cli.console import FAILED
from ttt_server.cli.serve import carry_out, prepare, stop_on_signals, tell_address
from ttt_server.config.options import Config
from ttt_server.processes.channel import Channel
from ttt_server.processes.parent import CHILD, Parent
from ttt_server.processes.place import ChildSetup, ProcessPlace
from ttt_server.server import serve
from ttt_server.storage.base import EventStore

_ITS_PARENTS: Final = (signal.SIGINT, signal.SIGHUP)
"""Signals that a terminal sends to all, and that only the parent follows."""


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


def main(store: EventStore | None = None) -> int:
    """Serve until told to stop, or until the parent ends; return the exit status.

    `store`: in place of the one that the options name.
    """
    for number in _ITS_PARENTS:
        signal.signal(number, signal.SIG_IGN)
    end = socket.socket(fileno=int(sys.argv[1]))
    end.set_inheritable(False)
    channel = Channel(end)
    try:
        setup, memory = channel.begin()
    except EOFError:
        return FAILED
    its = ChildSetup.model_validate_json(setup)
    prepare(its.config, process=its.number)
    return carry_out(_run(channel, its, memory, store), channel.fail)


async def _run(channel: Channel, setup: ChildSetup, memory: int, store: EventStore | None) -> None:
    place = ProcessPlace(channel, setup, memory)
    async with serve(setup.config, store=store, place=place) as server:
        stop_on_signals(server.close, [signal.SIGTERM])
        place.begin(server.close)
        await server.wait_closed()


if __name__ == "__main__":
    sys.exit(main())
