"""A room under load with an AI in one seat."""

import asyncio
import time
from typing import Any, Final

from tests.bench.load import frames, scripts
from tests.bench.load.member import Member
from tests.bench.load.table import Table
from tests.bench.load.tally import Tally

_REMATCH: Final = frames.text("offer", kind="rematch")


class Duel(Table):
    """One player against a strategy: any free cell will do, and after the game the next one.

    Args:
        number: of the table; it says which cells are played.
        think_s: before each move of the player.
    """

    def __init__(
        self, number: int, name: str, port: int, tally: Tally, strategy: str, think_s: float = 0
    ) -> None:
        super().__init__(name, port, tally, {"seats": {"O": {"strategy": strategy}}})
        self._number = number
        self._think_s = think_s
        self._game, self._board, self._is_over = 1, "." * 9, False
        self._sent = 0.0
        """When the player last said something: they wait for the answer from then on."""

    def go_on(self) -> None:
        self._sent = time.monotonic()
        if self._tally.is_over(self._sent):
            self._tally.rest()
        elif self._is_over:
            self.members[0].send(_REMATCH)
        else:
            free = [cell for cell, mark in enumerate(self._board) if mark == "."]
            cell = free[(self._number + self._game) % len(free)]
            self.members[0].send(scripts.play(self._game, 9 - len(free), cell))

    def _hear_update(self, member: Member, message: dict[str, Any]) -> None:  # noqa: ARG002 - alone
        room = message["room"]
        game, board = room["game"]["number"], room["game"]["board"]
        if (game, board) == (self._game, self._board):  # an offer
            return
        self._game, self._board, self._is_over = game, board, room["status"] == "finished"
        now, ply = time.monotonic(), 9 - board.count(".")
        if ply and self._tally.counts(now):
            self._tally.moves += 1
            self._tally.deliveries += 1
            what = "own" if self._moves_at(ply - 1) else "thought"
            self._tally.took(what, now - self._sent)
        if self._is_over or self._moves_at(ply):
            if self._think_s:
                asyncio.get_running_loop().call_later(self._think_s, self.go_on)
            else:
                self.go_on()

    def _moves_at(self, ply: int) -> bool:
        """Whether the player is to move; sides change with the game."""
        return (self._game + ply) % 2 == 1
