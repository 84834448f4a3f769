"""A turn: the position in which this client is to move, and the ways to answer it."""

from dataclasses import dataclass
from typing import Protocol

from ttt_protocol.codes import Choice
from ttt_protocol.messages import Hint
from ttt_protocol.move_log import MoveLog
from ttt_protocol.state import Mark, Rules


class SeatedRoom(Protocol):
    """A room in which this client has a seat."""

    async def play(self, game: int, ply: int, cell: int, log: MoveLog | None = None) -> None:
        """Play a cell in that position of that game."""

    async def choose(self, game: int, ply: int, choice: Choice | str) -> None:
        """Choose in the opening of that game."""

    async def resign(self, detail: str | None = None) -> None:
        """Give up the running game."""

    async def hint(self) -> Hint:
        """Ask the server for the best moves."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A move to make. The fields do not change when the game goes on."""

    room: SeatedRoom
    game: int
    """The number of the game in its room."""
    mark: Mark
    """Your side in this game."""
    rules: Rules
    board: str
    """`.`, `X` or `O` for each cell, row by row."""
    moves: tuple[int, ...]
    """The cells that were played, in order."""
    legal: tuple[int, ...]
    """The cells that may be played, ascending: the free ones; with gravity one in a column."""
    left_ms: int | None
    """The milliseconds left on your clock when the server told the state; None without a clock."""
    choices: tuple[Choice, ...] = ()
    """The choices that an opening offers in place of a move; empty where a move is due."""

    async def play(self, cell: int, log: MoveLog | None = None) -> None:
        """Play this cell; return when the move is on the server's disk.

        If the connection is lost meanwhile, the move is sent again on the next one.

        Args:
            cell: its index.
            log: what a bot tells of its move, for the replay.

        Raises:
            CommandRefused: with `code`, and `legal` where the cell may not be played.
            RoomClosed: the place in the room is gone.
        """
        await self.room.play(self.game, len(self.moves), cell, log)

    async def choose(self, choice: Choice | str) -> None:
        """Choose in the opening: one of `choices`.

        Raises:
            CommandRefused, RoomClosed: it was not chosen.
        """
        await self.room.choose(self.game, len(self.moves), choice)

    async def resign(self) -> None:
        """Give up this game.

        Raises:
            CommandRefused, RoomClosed: it was not given up.
        """
        await self.room.resign()

    async def hint(self) -> Hint:
        """Ask the server for the best moves.

        Raises:
            CommandRefused: `not_allowed` in a room without hints.
            NotConnected, RoomClosed: there is no answer.
        """
        return await self.room.hint()
