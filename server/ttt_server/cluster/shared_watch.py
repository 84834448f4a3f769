"""The one connection that watches a room of another server, for all spectators of it here."""

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ttt_protocol.codes import CloseCode
from ttt_protocol.state import RoomName
from ttt_server.cluster.dial import Unreachable
from ttt_server.cluster.shared_watch_owner import Spectator, Told
from ttt_server.cluster.upstream import Upstream
from ttt_server.transport.connection import Connection

if TYPE_CHECKING:
    from ttt_server.cluster.shared_watches import SpectatorEndpoint, Watches

logger = logging.getLogger(__name__)

_WELCOME: Final = b'{"type":"welcome"'
_UPDATE: Final = b'{"type":"update"'
_GOODBYE: Final = b'{"type":"goodbye"'
_REFUSED: Final = b'{"type":"refused"'
_REMOVED: Final = b'{"type":"removed"'

_TELL_S: Final = 0.5
"""The least time between two numbers of spectators that the owner is told."""


class Watch:
    """The one connection that watches a room."""

    def __init__(self, name: RoomName, address: str, watches: "Watches") -> None:
        self.name = name
        self.address = address
        self._watches = watches
        path = f"/ws/rooms/{name}"
        self._upstream = Upstream(address, path, watches.headers("watch", path, ""), self)
        self._newcomers: dict[SpectatorEndpoint, None] = {}
        self._asked: dict[SpectatorEndpoint, None] = {}
        """The newcomers for whom the owner was asked, and has not answered."""
        self._spectators: dict[SpectatorEndpoint, None] = {}
        self._listeners: tuple[Connection, ...] | None = None
        self._is_welcome = False
        """Whether the owner has let the relay in."""
        self._newest = b""
        """The newest `update`."""
        self._is_asking = False
        self._is_over = False
        self._timer: asyncio.TimerHandle | None = None
        self._told = 0
        watches.tasks.start(self._open())

    @property
    def seq(self) -> int:
        """The number of the newest event that was sent on; 0 before the first."""
        seq: int = json.loads(self._newest)["room"]["seq"] if self._newest else 0
        return seq

    def enter(self, spectator: "SpectatorEndpoint") -> None:
        """Add a spectator, who is welcomed as soon as the owner tells the state."""
        is_first = not self._newcomers
        self._newcomers[spectator] = None
        if is_first and self._is_welcome and not self._is_asking:
            asyncio.get_running_loop().call_soon(self._ask)

    def exit(self, spectator: "SpectatorEndpoint") -> None:
        """Remove a spectator."""
        self._newcomers.pop(spectator, None)
        self._asked.pop(spectator, None)
        if self._spectators.pop(spectator, spectator) is None:
            self._listeners = None
        if not self._count:
            self._close()
        elif self._timer is None and self._is_welcome:
            self._timer = asyncio.get_running_loop().call_later(_TELL_S, self._recount)

    def on_payload(self, payload: bytes) -> None:
        """Send a message on."""
        if payload.startswith(_WELCOME):
            self._welcome(payload)
        elif payload.startswith(_REFUSED) and not self._is_welcome:
            self._part_all()
        elif payload.startswith(_REMOVED):
            self._remove(frozenset(json.loads(payload)["members"]))
        elif not payload.startswith(_GOODBYE):
            if self._listeners is None:
                self._listeners = tuple(each.connection for each in self._spectators)
            is_state = payload.startswith(_UPDATE)
            if is_state:
                self._newest = payload
            self._watches.broadcaster.add(self._listeners, payload, is_state=is_state)

    def on_end(self, code: int | None) -> None:  # noqa: ARG002 - clients come back in any case
        """Close all: the owner is gone."""
        self._forget()
        for spectator in (*self._spectators, *self._asked, *self._newcomers):
            spectator.connection.dismiss(CloseCode.RESTARTING)

    def end(self) -> None:
        """Close all, and the connection: the owner is no longer alive, or owns no longer."""
        self._upstream.close()
        self.on_end(None)

    async def _open(self) -> None:
        try:
            await self._upstream.open()
        except Unreachable as error:
            logger.warning("room %s: its server cannot be reached: %s", self.name, error)
            self.on_end(None)

    def _welcome(self, payload: bytes) -> None:
        if not self._is_welcome:  # the relay itself is: it asks for the others
            self._is_welcome = True
            self._ask()
            return
        self._is_asking = False
        message = json.loads(payload)
        welcome, self._asked = self._asked, {}
        self._spectators |= welcome
        self._listeners = None
        for spectator in welcome:
            spectator.welcome(message)
        if self._newcomers:
            self._ask()
        self._told_soon()

    def _remove(self, removed: frozenset[str]) -> None:
        """Let the owner refuse the newcomers that the host has removed, and dismiss the others."""
        for spectator in [each for each in self._asked if each.session in removed]:
            del self._asked[spectator]
            spectator.part()
        dismissed = [each for each in self._spectators if each.session in removed]
        for spectator in dismissed:
            spectator.connection.dismiss(CloseCode.REMOVED)
        if dismissed:
            self._tell(dismissed=[each.described() for each in dismissed])

    def _told_soon(self) -> None:
        if self._told != len(self._spectators) and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_TELL_S, self._recount)

    @property
    def _count(self) -> int:
        return len(self._spectators) + len(self._asked) + len(self._newcomers)

    def _recount(self) -> None:
        self._timer = None
        self._tell()

    def _ask(self) -> None:
        """Ask for the state, for all newcomers."""
        if not self._is_asking:
            self._is_asking = True
            self._asked, self._newcomers = self._newcomers, {}
            self._tell(ask=True, newcomers=[each.described() for each in self._asked])

    def _tell(
        self,
        *,
        ask: bool = False,
        newcomers: Sequence[Spectator] = (),
        dismissed: Sequence[Spectator] = (),
    ) -> None:
        """Tell the owner how many watch. See `Told`."""
        if not self._is_over:
            self._told = self._count
            told = Told(
                count=self._told, ask=ask, newcomers=list(newcomers), dismissed=list(dismissed)
            )
            self._upstream.send(told.model_dump_json().encode())

    def _part_all(self) -> None:
        """Leave each its own way: the owner admits none without a word of its own."""
        self._watches.forget(self)  # the next spectator asks the owner anew
        for spectator in (*self._newcomers, *self._asked):
            spectator.part()

    def _close(self) -> None:
        self._forget()
        self._upstream.close()

    def _forget(self) -> None:
        self._is_over = True
        if self._timer is not None:
            self._timer.cancel()
        self._watches.forget(self)
