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
    """None: a server of one process."""

    group = ""
    """Names the processes of one server; empty for one that is alone."""

    def report(self) -> bytes:
        """Return the metrics of this process."""
        return b""

    def address(self, public: str) -> str:
        """Return the address of this process; `public` is that of the port."""
        return public

    def have(self, address: str) -> bool:  # noqa: ARG002 - nobody is there
        """Return whether a process of this server is at an address."""
        return False

    def reach(self, address: str) -> str:
        """Return where to dial for an address."""
        return address

    @property
    def doors(self) -> Collection[str]:
        """Where to dial the other processes."""
        return ()

    def tell(self, gained: Collection[RoomName], lost: Collection[RoomName] | None) -> None:
        """Tell the parent which rooms this process gained, and which it lost: `None` for all."""

    async def listen(self, make_connection: Callable[[], asyncio.BaseProtocol]) -> None:
        """Accept the other processes."""

    def close(self) -> None:
        """Accept no more."""


ALONE: Final = Siblings()


class Processes(Siblings):
    """The other processes of this server."""

    def __init__(
        self,
        folder: Path,
        group: str,
        number: int,
        count: int,
        *,
        tell: Callable[[Collection[RoomName], Collection[RoomName] | None], None],
        report: Callable[[], bytes],
    ) -> None:
        """Do nothing yet.

        Args:
            folder: of the sockets.
            group: names the processes of this server.
            number: of this process, from 1.
            count: of all processes.
            tell: as the method.
            report: as the method.
        """
        self._folder = folder
        self.group = group
        self._number = number
        self._count = count
        self._tell = tell
        self._report = report
        self._listener: asyncio.Server | None = None

    def report(self) -> bytes:
        return self._report()

    def address(self, public: str) -> str:
        return f"{public}#{self.group}.{self._number}"

    def have(self, address: str) -> bool:
        return address.partition("#")[2].startswith(f"{self.group}.")

    def reach(self, address: str) -> str:
        return self._door(int(address.rpartition(".")[2])) if self.have(address) else address

    @property
    def doors(self) -> Collection[str]:
        others = range(1, self._count + 1)
        return [self._door(number) for number in others if number != self._number]

    def tell(self, gained: Collection[RoomName], lost: Collection[RoomName] | None) -> None:
        self._tell(gained, lost)

    async def listen(self, make_connection: Callable[[], asyncio.BaseProtocol]) -> None:
        path = self._door(self._number).removeprefix(DOOR)
        self._listener = await asyncio.get_running_loop().create_unix_server(make_connection, path)

    def close(self) -> None:
        if self._listener is not None:
            self._listener.close()
        Path(self._door(self._number).removeprefix(DOOR)).unlink(missing_ok=True)
        with suppress(OSError):  # of the last one, if the parent is gone
            self._folder.rmdir()

    def _door(self, number: int) -> str:
        return f"{DOOR}{self._folder}/{number}"
