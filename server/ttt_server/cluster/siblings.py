"""The processes of one server, which share a port: how each reaches the others past it.

Each listens on a socket in a folder that only they can open. To other servers the address of a
process is that of the port, with a fragment that they pass over: `ws://10.0.0.2:8765#4f2a91c0.2`.
"""

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Final

from ttt_protocol.state import RoomName

DOOR: Final = "unix:"
"""The scheme of an address on this machine, before the path of a socket."""


class Siblings:
    """The other processes of this server; by default none."""

    def __init__(
        self,
        folder: Path = Path(),
        group: str = "",
        number: int = 1,
        count: int = 1,
        *,
        tell: Callable[[Collection[RoomName], Collection[RoomName] | None], None] = lambda *_: None,
        report: Callable[[], bytes] = bytes,
    ) -> None:
        """Do nothing yet.

        Args:
            folder: of the sockets.
            group: names the processes of this server; empty for one that is alone.
            number: of this process, from 1.
            count: of all processes.
            tell: tells the parent which rooms this process gained, and which it lost: `None` for
                all.
            report: returns the metrics of this process.
        """
        self._folder = folder
        self.group = group
        self._number = number
        self._count = count
        self.tell = tell
        self.report = report
        self._listener: asyncio.Server | None = None

    def address(self, public: str) -> str:
        """Return the address of this process; `public` is that of the port."""
        return f"{public}#{self.group}.{self._number}" if self.group else public

    def have(self, address: str) -> bool:
        """Return whether a process of this server is at an address."""
        its = address.partition("#")[2]
        return self.group != "" and its.startswith(f"{self.group}.")

    def reach(self, address: str) -> str:
        """Return where to dial for an address."""
        return self._door(int(address.rpartition(".")[2])) if self.have(address) else address

    @property
    def doors(self) -> Collection[str]:
        """Where to dial the other processes."""
        others = range(1, self._count + 1)
        return [self._door(number) for number in others if number != self._number]

    async def listen(self, make_connection: Callable[[], asyncio.BaseProtocol]) -> None:
        """Accept the other processes, if there are any."""
        if self.group:
            loop, path = asyncio.get_running_loop(), self._folder / str(self._number)
            self._listener = await loop.create_unix_server(make_connection, path)

    def close(self) -> None:
        """Accept no more."""
        if self._listener is None:
            return
        self._listener.close()
        (self._folder / str(self._number)).unlink(missing_ok=True)
        with suppress(OSError):  # of the last one, if the parent is gone
            self._folder.rmdir()

    def _door(self, number: int) -> str:
        return f"{DOOR}{self._folder}/{number}"


ALONE: Final = Siblings()
