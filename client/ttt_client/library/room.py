"""A place in a room, as a library: commands that raise, and turns to iterate over."""

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from ttt_client.library.errors import BadArgument, CommandRefused, RoomClosed
from ttt_client.library.watched import OnNote, WatchedRoom, made
from ttt_client.model.intents import legal_cells
from ttt_client.model.view import View
from ttt_client.net.session import Session
from ttt_protocol.codes import REASONS, Choice, RefusalCode
from ttt_protocol.commands import Accept, AskHint, Choose, Claim, Decline, Fill, Offer, Play, Resign
from ttt_protocol.messages import Hint, Message
from ttt_protocol.state import Mark, MoveLog, OfferKind, Rules, Token

E = TypeVar("E", bound=StrEnum)


def one_of(name: str, kind: type[E], value: str) -> E:
    """Return the member of an enumeration that an argument names.

    Raises:
        BadArgument: it names none.
    """
    try:
        return kind(value)
    except ValueError:
        raise BadArgument(f"{name}: must be one of {', '.join(kind)}") from None


@dataclass(frozen=True, slots=True)
class Turn:
    """A move to make. The fields do not change when the game goes on."""

    room: "Room"
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


class Room(WatchedRoom):
    """A room with a seat for this client. Get one from `join`."""

    def __init__(self, session: Session, on_note: OnNote | None = None) -> None:
        super().__init__(session, on_note)
        self._turn: tuple[int, int, bool] | None = None
        self._turns = 0

    @property
    def seat(self) -> Mark | None:
        """Your side now. A rematch changes it."""
        return self._view.seat

    @property
    def token(self) -> Token | None:
        """The secret that owns the seat: a later `join` with it takes the seat back."""
        return self.you.token

    @property
    def offered(self) -> tuple[OfferKind, ...]:
        """The open offers of the other player."""
        return self._view.offered

    async def turns(self, *, choices: bool = False) -> AsyncIterator[Turn]:
        """Yield each of your turns until a game is over: the running one, or the next to begin.

        Args:
            choices: yield a turn also where you are to choose in an opening. Without it you stay.

        Raises:
            RoomClosed: the place in the room is gone before that.
        """
        over = None if self.outcome is None else self._view.game
        yielded = 0
        while True:
            game = self._view.game
            is_new = game is not None and (over is None or game.number > over.number)
            if is_new and self.outcome is not None:
                return
            if is_new and self._turn is not None and self._turns > yielded:
                yielded = self._turns
                turn = self._present()
                if turn.choices and not choices:
                    with suppress(CommandRefused):  # the game has gone on meanwhile
                        await turn.choose(Choice.STAY)
                else:
                    yield turn
            elif self._end is not None:
                raise RoomClosed(self._end.words)
            else:
                await self._change()

    async def play(self, game: int, ply: int, cell: int, log: MoveLog | None = None) -> None:
        """Play a cell, as `Turn.play` does.

        Raises:
            CommandRefused, RoomClosed: it was not played.
        """
        await self._submit(made(Play, game=game, ply=ply, cell=cell, log=log))

    async def choose(self, game: int, ply: int, choice: Choice | str) -> None:
        """Choose in the opening of a game, as `Turn.choose` does.

        Raises:
            CommandRefused, RoomClosed: it was not chosen.
        """
        await self._submit(
            made(Choose, game=game, ply=ply, choice=one_of("choice", Choice, choice))
        )

    async def resign(self, detail: str | None = None) -> None:
        """Give up the running game.

        Args:
            detail: why a bot cannot go on; the game then ends by `forfeit`.

        Raises:
            CommandRefused, RoomClosed: it was not given up.
        """
        await self._submit(made(Resign, game=self._number(), detail=detail))

    async def offer(self, kind: OfferKind | str) -> None:
        """Offer a draw, a takeback or a rematch. It agrees to the other player's offer.

        Raises:
            CommandRefused, NotConnected, RoomClosed: it was not offered.
        """
        await self._submit(Offer(kind=one_of("kind", OfferKind, kind)))

    async def accept(self, kind: OfferKind | str) -> None:
        """Accept the other player's offer.

        Raises:
            CommandRefused, NotConnected, RoomClosed: it was not accepted.
        """
        await self._submit(Accept(kind=one_of("kind", OfferKind, kind)))

    async def decline(self, kind: OfferKind | str) -> None:
        """Decline the other player's offer.

        Raises:
            CommandRefused, NotConnected, RoomClosed: it was not declined.
        """
        await self._submit(Decline(kind=one_of("kind", OfferKind, kind)))

    async def claim(self) -> None:
        """Win against an opponent who has been gone for too long.

        Raises:
            CommandRefused: `too_early`, for example.
            RoomClosed: it was not claimed.
        """
        await self._submit(Claim(game=self._number()))

    async def fill(self, strategy: str, level: int | None = None) -> None:
        """Seat an AI opposite.

        Raises:
            CommandRefused, NotConnected, RoomClosed: it does not sit there.
        """
        if self.seat is None:
            raise RoomClosed("you have no seat")
        command = made(Fill, seat=self.seat.other, strategy=strategy, level=level)
        await self._submit(command)

    async def hint(self) -> Hint:
        """Ask the server for the best moves.

        Raises:
            CommandRefused: `not_allowed` in a room without hints.
            NotConnected, RoomClosed: there is no answer.
        """
        answer = await self._submit(AskHint())
        if not isinstance(answer, Hint):
            raise CommandRefused(RefusalCode.NOT_ALLOWED, "the position is another one by now")
        return answer

    def _match(self, message: Message, before: View) -> None:
        super()._match(message, before)
        view = self._view
        turn, game = None, view.game
        if game is not None and (view.your_turn or view.your_choices):
            turn = game.number, game.ply, bool(game.choices)
        if turn is not None and turn != self._turn:
            self._turns += 1
        self._turn = turn

    def _number(self) -> int:
        if self._view.game is None:
            code = RefusalCode.GAME_NOT_STARTED
            raise CommandRefused(code, REASONS[code])
        return self._view.game.number

    def _present(self) -> Turn:
        view, game = self._view, self._view.game
        if (
            game is None or view.room is None or view.seat is None
        ):  # pragma: no cover - set in turns
            raise RoomClosed("there is no turn")
        rules = view.room.settings.rules
        left = None if game.clock is None else getattr(game.clock, view.seat.value)
        choices = view.your_choices
        return Turn(
            self,
            game.number,
            view.seat,
            rules,
            game.board,
            game.moves,
            legal=() if choices else legal_cells(rules, game),
            left_ms=left,
            choices=choices,
        )
