"""The place of a child among the processes of one server."""

import asyncio
import logging
import os
import socket
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from ssl import SSLContext
from typing import Final, cast

from pydantic import BaseModel, ConfigDict

from ttt_protocol.state import RoomName
from ttt_server.cluster.siblings import Siblings
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.config.options import Config
from ttt_server.limits.census import SharedCensus
from ttt_server.processes import channel as line
from ttt_server.processes import totals

logger = logging.getLogger(__name__)

ALIVE_EVERY_S: Final = 0.5
"""How often a child tells the parent that it is alive."""

SLACK_S: Final = 2.0
"""How long after `--drain-s` a child is killed, or ends itself."""

_ORPHANED: Final = 1
"""The exit status of a child that could not stop in time."""

_NAMES_AT_ONCE: Final = 1000

MakeConnection = Callable[[], asyncio.Protocol]


class ChildSetup(BaseModel):
    """What the parent tells a child at its start."""

    model_config = ConfigDict(frozen=True)

    config: Config
    """Its own, with its share of the limits."""
    number: int
    """From 1."""
    count: int
    address: str
    """Of the port that all share."""
    group: str
    """Names the processes of this server."""
    folder: Path
    """Of their sockets."""


class ProcessPlace:
    """This process: its number, what it shares with the others, and its line to the parent."""

    def __init__(self, channel: line.Channel, setup: ChildSetup, memory: int) -> None:
        """`memory`: the descriptor of what is counted together."""
        self._channel = channel
        self._setup = setup
        self.census = SharedCensus(memory, setup.count, setup.number - 1)
        self.address = setup.address
        self.is_first = setup.number == 1
        """Whether it speaks for all of them."""
        self.count = setup.count
        self._peers: Callable[[], Collection[str]] = tuple
        self._stop: Callable[[], None] | None = None
        """Stops this process, once it serves."""
        self._renew: Callable[[], None] | None = None
        self._beat: asyncio.TimerHandle | None = None
        self._arrivals = TaskOwner()
        self._make: MakeConnection | None = None
        self._how: dict[str, object] = {}
        channel.listen(self._hear, self._lose_parent)

    def call_to_renew(self, renew: Callable[[], None]) -> None:
        """Call `renew` to load the certificate again."""
        self._renew = renew

    def tell_peers(self, peers: Callable[[], Collection[str]]) -> None:
        """Tell the parent the hosts of other servers, which `peers` returns."""
        self._peers = peers

    def siblings(self, report: Callable[[], bytes]) -> Siblings:
        """Return the other processes; `report` returns the metrics of this one."""
        its = self._setup
        return Siblings(
            its.folder, its.group, its.number, its.count, tell=self._tell_rooms, report=report
        )

    def add_up(self, texts: Collection[bytes]) -> bytes:
        """Return the metrics of the whole server, from those of its processes."""
        return totals.add_up(texts)

    def listen(self, make: MakeConnection, tls: SSLContext | None, **timeouts: float) -> None:
        """Take the connections that the parent passes on.

        Args:
            make: called for each.
            tls: the TLS context, if any.
            timeouts: as those of `asyncio.loop.connect_accepted_socket`.
        """
        self._make = make
        self._how = {} if tls is None else {"ssl": tls, **timeouts}
        self._channel.send(line.LISTENING)
        self._be_alive()

    def close(self) -> None:
        """Stop taking connections."""
        self._make = None
        if self._beat is not None:
            self._beat.cancel()

    def begin(self, stop: Callable[[], None]) -> None:
        """Tell the parent that this process serves. `stop` is called if the parent ends."""
        self._stop = stop
        self._channel.send(line.READY)

    def _lose_parent(self) -> None:
        """Stop in time: nobody else would end a stop that hangs.

        A process that only starts ends at once, wherever it waits: it has told nobody anything.
        """
        if self._stop is None:
            os._exit(_ORPHANED)
        left_s = self._setup.config.drain_s + SLACK_S
        asyncio.get_running_loop().call_later(left_s, os._exit, _ORPHANED)
        logger.error("the parent process has ended: stopping")
        self._stop()

    def _be_alive(self) -> None:
        self._channel.send(line.ALIVE, "\n".join(self._peers()).encode())
        self._beat = asyncio.get_running_loop().call_later(ALIVE_EVERY_S, self._be_alive)

    def _tell_rooms(self, gained: Collection[RoomName], lost: Collection[RoomName] | None) -> None:
        if lost is None:
            self._channel.send(line.LOST)  # all
        for kind, names in ((line.GAINED, [*gained]), (line.LOST, [*(lost or ())])):
            for at in range(0, len(names), _NAMES_AT_ONCE):
                self._channel.send(kind, "\n".join(names[at : at + _NAMES_AT_ONCE]).encode())

    def _hear(self, kind: bytes, content: bytes, descriptor: int | None) -> None:
        if kind == line.RENEW:
            if self._renew is not None:
                self._renew()
        elif descriptor is not None and self._make is None:
            os.close(descriptor)  # this process stops
        elif descriptor is not None:
            self._arrivals.start(self._take(descriptor, content))

    async def _take(self, descriptor: int, head: bytes) -> None:
        loop, make = asyncio.get_running_loop(), self._make
        arrived = socket.socket(fileno=descriptor)
        arrived.setblocking(False)
        if make is None:
            arrived.close()
            return
        with suppress(OSError):  # it is gone, or speaks no TLS
            await loop.connect_accepted_socket(
                lambda: _Arrival(make(), head),
                arrived,
                **self._how,  # type: ignore[arg-type]
            )


class _Arrival(asyncio.Protocol):
    """Gives a connection the bytes that the parent has read, and then all others."""

    def __init__(self, connection: asyncio.Protocol, head: bytes) -> None:
        self._connection = connection
        self._head = head

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.Transport", transport).set_protocol(self._connection)
        self._connection.connection_made(transport)
        if self._head:
            self._connection.data_received(self._head)
