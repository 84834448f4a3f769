"""A room under load with an AI in one seat."""

import asyncio
import time
from typing import Final

from tests.bench.load import frames, scripts
from tests.bench.load.member import Member
from tests.bench.load.table import Table
from tests.bench.load.tally import Tally

_GAME: Final = b'"game":{'
_BOARD: Final = b'"board":"'
_NUMBER: Final = b'"number":'
_UPDATE: Final = b'{"type":"update"'
_REMATCH: Final = frames.text("offer", kind="rematch")


class Duel(Table):
    """One player against a strategy: any free cell will do, and after the game the next one.

    Args:
        number: of the table; it says which cells are played.
        think_s: before each move of the player.
    """

    def __init__(
        self, number: int, name: str, port: int, tally: Tally, strategy: str, think_s: float
    ) -> None:
        super().__init__(name, port, tally, {"seats": {"O": {"strategy": strategy}}})
        self._number = number
        self._think_s = think_s
        self._at: tuple[int, int] = (0, 0)
        """Game and ply."""
        self._board = b""
        self._since = 0.0
        """When something last changed, or the player moved."""
        self._is_over = False

    def go_on(self) -> None:
        (game, ply), board = self._at, self._board
        self._since = time.monotonic()
        if self._tally.is_over(self._since):
            self._tally.rest()
        elif self._is_over:
            self.members[0].send(_REMATCH)
        else:
            free = [cell for cell, mark in enumerate(board) if mark == ord(".")]
            cell = free[(self._number + game) % len(free)]
            self.members[0].send(scripts.play(game, ply, cell))

    def _hear(self, member: Member, payload: bytes) -> None:
        if not payload.startswith(_UPDATE):
            if _GAME in payload:  # a welcome to a game that has begun
                self._look(payload)
            super()._hear(member, payload)
            return
        before = self._at
        self._look(payload)
        if self._at == before:  # an offer
            return
        now = time.monotonic()
        game, ply = self._at
        if ply and self._tally.counts(now):
            self._tally.moves += 1
            self._tally.deliveries += 1
            is_own = self._moves_in(game, ply - 1)
            self._tally.took("own" if is_own else "thought", now - self._since)
        self._since = now
        if self._is_over or self._moves_in(game, ply):
            if self._think_s:
                asyncio.get_running_loop().call_later(self._think_s, self.go_on)
            else:
                self.go_on()

    def _look(self, payload: bytes) -> None:
        """Where the game is."""
        begin = payload.index(_BOARD) + len(_BOARD)
        self._board = payload[begin : payload.index(b'"', begin)]
        begin = payload.index(_NUMBER) + len(_NUMBER)
        game = int(payload[begin : payload.index(b",", begin)])
        self._at = game, len(self._board) - self._board.count(b".")
        self._is_over = b'"status":"finished"' in payload

    def _moves_in(self, game: int, ply: int) -> bool:
        """Whether the player is to move; sides change with the game."""
        return (game + ply) % 2 == 1
