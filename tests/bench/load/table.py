"""A room under load, with its players and spectators."""

import asyncio
import json
import time
from typing import Any, Final

from tests.bench.load import frames, scripts
from tests.bench.load.member import Member, connect
from tests.bench.load.tally import PATIENCE_S, Tally

_REMATCH: Final = frames.text("offer", kind="rematch")
_IGNORED: Final = {"presence", "said"}


class Table:
    """A room, and who sits at it."""

    def __init__(self, name: str, port: int, tally: Tally, settings: dict[str, Any]) -> None:
        self.members: list[Member] = []
        """The first two play, if nobody else does."""
        self._path = f"/ws/rooms/{name}"
        self._port = port
        self._tally = tally
        self._settings = settings
        self._welcomed: asyncio.Future[None] | None = None

    async def seat(self, role: str = "player", port: int | None = None) -> None:
        """One more joins, through another server if it is given.

        Raises:
            OSError: the server did not want it.
        """
        member = Member(self._path, self._hear, self._tally.fault)
        await connect(member, port or self._port)
        self.members.append(member)
        settings = {"settings": self._settings} if self._settings else {}
        self._welcomed = asyncio.get_running_loop().create_future()
        member.send(frames.text("join", role=role, name=role, **settings))
        async with asyncio.timeout(PATIENCE_S):
            await self._welcomed
        self._welcomed = None

    def leave(self) -> None:
        """Everybody goes."""
        for member in self.members:
            member.leave()

    def _hear(self, member: Member, payload: bytes) -> None:
        message = json.loads(payload)
        type_ = message["type"]
        if type_ == "update":
            self._hear_update(member, message)
        elif type_ == "welcome" and self._welcomed is not None:
            self._welcomed.set_result(None)
        elif type_ == "refused" and self._welcomed is not None:
            self._welcomed.set_exception(ConnectionError(payload.decode()))
        elif type_ not in _IGNORED:
            self._tally.fault(payload.decode())

    def _hear_update(self, member: Member, message: dict[str, Any]) -> None:
        """Here, nobody waits for one."""


class ScriptedTable(Table):
    """Two players play what they know beforehand; a move waits until all have seen the last one.

    Args:
        number: of the table; it says which games are played.
        think_s: from one move to the next.
    """

    def __init__(self, number: int, name: str, port: int, tally: Tally, think_s: float = 0) -> None:
        super().__init__(name, port, tally, {})
        self._number = number
        self._think_s = think_s
        self._game, self._ply = 1, 0
        self._script = scripts.script(number, 1)
        self._seen = scripts.expected(1, self._script.boards[0])
        """Where the game was when all had seen it."""
        self._expected = b""
        """Where it will be; empty while nothing is under way."""
        self._missing: set[Member] = set()
        """Who has not seen that."""
        self._mover: Member
        self._sent = 0.0

    def go_on(self) -> None:
        if self._tally.is_over(time.monotonic()):
            self._tally.rest()
        elif self._ply == len(self._script.cells):
            self._play_again()
        else:
            self._move()

    def _move(self) -> None:
        ply, cell = self._ply, self._script.cells[self._ply]
        self._mover = self.members[(self._game + ply + 1) % 2]  # sides change with the game
        self._ply += 1
        self._expect()
        self._sent = time.monotonic()
        self._mover.send(scripts.play(self._game, ply, cell))

    def _play_again(self) -> None:
        self._game, self._ply = self._game + 1, 0
        self._script = scripts.script(self._number, self._game)
        self._expect()
        for player in self.members[:2]:
            player.send(_REMATCH)

    def _expect(self) -> None:
        self._expected = scripts.expected(self._game, self._script.boards[self._ply])
        self._missing.update(self.members)

    def _hear(self, member: Member, payload: bytes) -> None:
        if self._expected and self._expected in payload:
            self._saw(member)
        else:
            super()._hear(member, payload)

    def _hear_update(self, member: Member, message: dict[str, Any]) -> None:
        """It may tell of an offer, or of who sits down; the game is where it was."""
        game = message["room"]["game"]
        if game is None:
            return
        told = scripts.expected(game["number"], game["board"])
        if told == self._expected:  # of a server that writes it otherwise
            self._saw(member)
        elif told != self._seen:
            self._tally.fault(f"out of step: {json.dumps(message)}")

    def _saw(self, member: Member) -> None:
        """What is expected has come, to one of them."""
        if member not in self._missing:
            self._tally.fault(f"told twice: {self._expected.decode()}")
            return
        self._missing.remove(member)
        if member is self._mover and self._ply:
            now = time.monotonic()
            if self._tally.counts(now):
                self._tally.took("own", now - self._sent)
        if not self._missing:
            self._all_have_it()

    def _all_have_it(self) -> None:
        self._seen, self._expected = self._expected, b""
        now = time.monotonic()
        if self._ply and self._tally.counts(now):
            self._tally.moves += 1
            self._tally.deliveries += len(self.members)
            self._tally.took("all", now - self._sent)
        if self._think_s:
            asyncio.get_running_loop().call_later(self._think_s, self.go_on)
        else:
            self.go_on()
