"""A room, as a library: its state, its messages, commands that raise, and turns to iterate over."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from typing import NamedTuple, Self, TypeVar

from pydantic import ValidationError

from ttt_client.library.errors import BadArgument, CommandRefused, RoomClosed, raise_ending
from ttt_client.model.answers import answered, survives
from ttt_client.model.typed import legal_cells
from ttt_client.model.view import View, fold
from ttt_client.net.session import Ending, Heard, NotConnected, Note, Session
from ttt_protocol import commands
from ttt_protocol.codec import encode_command
from ttt_protocol.codes import REASONS, Choice, RefusalCode
from ttt_protocol.faults import first_fault
from ttt_protocol.messages import Hint, Message, Refused, Welcome
from ttt_protocol.state import Mark, MoveLog, OfferKind, Outcome, RoomState, Rules, Token, You

C = TypeVar("C", bound=commands.BaseCommand)

logger = logging.getLogger("ttt_client.library.watched")  # a name that programs may filter by

OnNote = Callable[[Note], None]
"""Called when the connection is lost and redialled."""

E = TypeVar("E", bound=StrEnum)


class _Sent(NamedTuple):
    """A command without an answer yet."""

    command: commands.Command
    answer: asyncio.Future[Message]


class WatchedRoom:
    """A room as its members see it. Get one from `watch`.

    A lost connection is dialled again; only the end of the session closes the room.
    """

    def __init__(self, session: Session, on_note: OnNote | None = None) -> None:
        self._session = session
        self._on_note = on_note or log_note
        self._view = View()
        self._sent: dict[str, _Sent] = {}
        self._ids = count(1)
        self._changed = asyncio.Event()
        self._queues: set[asyncio.Queue[Message | None]] = set()
        self._end: Ending | None = None

    @property
    def state(self) -> RoomState:
        """The room as the server last told it."""
        if self._view.room is None:
            raise RoomClosed("not welcomed yet")
        return self._view.room

    @property
    def you(self) -> You:
        """This member as the server knows it: its id, role, name and token."""
        if self._view.you is None:
            raise RoomClosed("not welcomed yet")
        return self._view.you

    @property
    def outcome(self) -> Outcome | None:
        """How the present game ended; None before it ends."""
        return None if self._view.game is None else self._view.game.outcome

    @property
    def closed(self) -> bool:
        """Whether the place in the room is gone."""
        return self._end is not None

    async def states(self) -> AsyncIterator[RoomState]:
        """Yield the room as it is, and after each change until it closes.

        A slow reader gets the newest state, and misses those in between.
        """
        seen: RoomState | None = None
        while True:
            if self.state is not seen:
                seen = self.state
                yield seen
            elif self.closed:
                return
            else:
                await self._change()

    async def messages(self) -> AsyncIterator[Message]:
        """Yield every message of the server from now on, until the room closes."""
        queue: asyncio.Queue[Message | None] = asyncio.Queue()
        self._queues.add(queue)
        try:
            while not self.closed and (message := await queue.get()) is not None:
                yield message
        finally:
            self._queues.discard(queue)

    async def say(self, text: str) -> None:
        """Chat, to everyone in the room.

        Raises:
            CommandRefused, NotConnected, RoomClosed: it was not said.
        """
        await self._submit(made(commands.Say, text=text))

    async def round_trip_s(self) -> float:
        """Measure how long a ping and its answer take.

        Raises:
            NotConnected: there is no connection.
        """
        return await self._session.round_trip_s()

    async def leave(self) -> None:
        """Leave for good, and give the seat up. The end of the block alone keeps the seat.

        Raises:
            NotConnected: the server did not say that the seat is given up.
        """
        await self._session.leave()
        while self._end is None:
            await self._change()
        if self._end.code != 0:
            raise NotConnected(self._end.words)

    @asynccontextmanager
    async def entered(self) -> AsyncIterator[Self]:
        """Be in the room until the block ends.

        Raises:
            CommandRefused: the server refused the `join`.
            Unreachable, Rejected: there is no connection.
        """
        running = asyncio.create_task(self._run())
        try:
            while self._view.you is None:
                if self._end is not None:
                    raise_ending(self._end)
                await self._change()
            yield self
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    async def _run(self) -> None:
        end = Ending(1, "this program left the room")
        try:
            end = await self._session.run(self._hear)
        finally:
            self._end = end
            for sent in self._sent.values():
                if not sent.answer.done():
                    sent.answer.set_exception(RoomClosed(end.words))
            for queue in self._queues:
                queue.put_nowait(None)
            self._wake()

    async def _hear(self, heard: Heard | Note) -> None:
        if isinstance(heard, Note):
            self._on_note(heard)
            self._give_up()
        elif heard.message is not None:
            before, self._view = self._view, fold(self._view, heard.message)
            self._match(heard.message, before)
            if isinstance(heard.message, Welcome):
                await self._send_again()
            for queue in self._queues:
                queue.put_nowait(heard.message)
        self._wake()

    def _match(self, message: Message, before: View) -> None:
        """Resolve the commands that this message answers."""
        waiting = [sent for sent in self._sent.values() if not sent.answer.done()]
        found = answered([sent.command for sent in waiting], message, before, self._view)
        for sent in waiting:
            if sent.command not in found:
                continue
            if isinstance(message, Refused):
                refused = CommandRefused(message.code, message.reason, message.legal)
                sent.answer.set_exception(refused)
            else:
                sent.answer.set_result(message)

    def _give_up(self) -> None:
        """Fail the commands of a lost connection that cannot be repeated: their fate is unknown."""
        for sent in self._sent.values():
            if not survives(sent.command) and not sent.answer.done():
                sent.answer.set_exception(NotConnected("the connection was lost meanwhile"))

    async def _send_again(self) -> None:
        for sent in self._sent.values():
            if not sent.answer.done():
                with suppress(NotConnected):
                    await self._session.send(encode_command(sent.command))

    async def _submit(self, command: commands.BaseCommand) -> Message:
        """Send a command, and return the message that shows that it was carried out.

        Raises:
            CommandRefused, NotConnected, RoomClosed: it was not, or that is not known.
        """
        if self._end is not None:
            raise RoomClosed(self._end.words)
        id_ = str(next(self._ids))
        numbered: commands.Command = command.model_copy(update={"id": id_})  # type: ignore[assignment]  # a copy
        sent = _Sent(numbered, asyncio.get_running_loop().create_future())
        self._sent[id_] = sent
        try:
            try:
                await self._session.send(encode_command(numbered))
            except NotConnected:
                if not survives(numbered):
                    raise
            return await sent.answer
        finally:
            del self._sent[id_]

    async def _change(self) -> None:
        """Wait for the next message, or the end."""
        await self._changed.wait()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()  # for the change after this one


def made(kind: type[C], **given: object) -> C:
    """Return a command with those arguments that are not None.

    Raises:
        BadArgument: naming the argument.
    """
    try:
        return kind.model_validate({name: one for name, one in given.items() if one is not None})
    except ValidationError as error:
        raise BadArgument(str(first_fault(error))) from None


def log_note(note: Note) -> None:
    """Log what happened to the connection."""
    logger.warning("%s", note)


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
        await self._submit(made(commands.Play, game=game, ply=ply, cell=cell, log=log))

    async def choose(self, game: int, ply: int, choice: Choice | str) -> None:
        """Choose in the opening of a game, as `Turn.choose` does.

        Raises:
            CommandRefused, RoomClosed: it was not chosen.
        """
        chosen = one_of("choice", Choice, choice)
        await self._submit(made(commands.Choose, game=game, ply=ply, choice=chosen))

    async def resign(self, detail: str | None = None) -> None:
        """Give up the running game.

        Args:
            detail: why a bot cannot go on; the game then ends by `forfeit`.

        Raises:
            CommandRefused, RoomClosed: it was not given up.
        """
        await self._submit(made(commands.Resign, game=self._number(), detail=detail))

    async def offer(self, kind: OfferKind | str) -> None:
        """Offer a draw, a takeback or a rematch. It agrees to the other player's offer.

        Raises:
            CommandRefused, NotConnected, RoomClosed: it was not offered.
        """
        await self._submit(commands.Offer(kind=one_of("kind", OfferKind, kind)))

    async def accept(self, kind: OfferKind | str) -> None:
        """Accept the other player's offer.

        Raises:
            CommandRefused, NotConnected, RoomClosed: it was not accepted.
        """
        await self._submit(commands.Accept(kind=one_of("kind", OfferKind, kind)))

    async def decline(self, kind: OfferKind | str) -> None:
        """Decline the other player's offer.

        Raises:
            CommandRefused, NotConnected, RoomClosed: it was not declined.
        """
        await self._submit(commands.Decline(kind=one_of("kind", OfferKind, kind)))

    async def claim(self) -> None:
        """Win against an opponent who has been gone for too long.

        Raises:
            CommandRefused: `too_early`, for example.
            RoomClosed: it was not claimed.
        """
        await self._submit(commands.Claim(game=self._number()))

    async def fill(self, strategy: str, level: int | None = None) -> None:
        """Seat an AI opposite.

        Raises:
            CommandRefused, NotConnected, RoomClosed: it does not sit there.
        """
        if self.seat is None:
            raise RoomClosed("you have no seat")
        command = made(commands.Fill, seat=self.seat.other, strategy=strategy, level=level)
        await self._submit(command)

    async def hint(self) -> Hint:
        """Ask the server for the best moves.

        Raises:
            CommandRefused: `not_allowed` in a room without hints.
            NotConnected, RoomClosed: there is no answer.
        """
        answer = await self._submit(commands.AskHint())
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
        if game is None or view.seat is None:  # pragma: no cover - set in turns
            raise RoomClosed("there is no turn")
        rules = view.rules
        left_ms = None if game.clock is None else getattr(game.clock, view.seat.value)
        choices = view.your_choices
        legal = () if choices else legal_cells(rules, game)
        return Turn(
            self, game.number, view.seat, rules, game.board, game.moves, legal, left_ms, choices
        )
