"""A program plays games in a room, or in several rooms of the lobby at once."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from ttt_client.bots.process import BotProcess, Reply
from ttt_client.library.errors import CommandRefused, RoomClosed
from ttt_client.library.room import Room, Turn
from ttt_client.net.session import PASSING, Ending, Heard, NotConnected, Note, Session
from ttt_protocol import state
from ttt_protocol.bots.failures import MOST_STDERR, BotFailed, FailureKind
from ttt_protocol.bots.language import BotTurn, GameEnd
from ttt_protocol.codes import Choice, RefusalCode
from ttt_protocol.messages import Rooms
from ttt_protocol.text import clean

_LEAST_MS = 10
"""The least time that a program gets, however little its clock has left."""

_AT_FAULT: Final = {
    RefusalCode.BAD_COMMAND,
    RefusalCode.CELL_TAKEN,
    RefusalCode.FLOATING_CELL,
    RefusalCode.OTHER_BOARD,
    RefusalCode.OUT_OF_BOARD,
}
"""Refusals of the move itself: it stays this side's turn. After others the game has gone on."""

_OFFER_AGAIN_S = 5.0
"""The pause before another offer of a rematch, after a refusal."""

_AGAIN_S = 0.25
"""The pause after a temporary refusal: four commands a second are never too many."""

_OPPONENT_S = 30.0
"""The time for the other player to agree to another game."""

_CLAIM_AFTER_S = 1.0
"""The time beyond `grace_s` after which the game of an absent opponent is claimed."""

_MOST_VALUES = 60
"""The most values of a move that are shared: a command holds no more."""


class OnFailure(StrEnum):
    """What to do when a program gives no move."""

    RESIGN = "resign"
    RANDOM = "random"


class PlayOptions(NamedTuple):
    """How a program plays."""

    time_ms: int
    """For a move."""
    on_failure: OnFailure = OnFailure.RESIGN
    shares_log: bool = False
    """Whether to share its log with the server, and so with everyone in the room."""
    claims: bool = False
    """Whether to claim the game from an opponent who stays away, and go on to the next."""
    chance: Callable[[], float] = random.random


class FinishedGame(NamedTuple):
    """A game that is over."""

    number: int
    seat: state.Mark
    outcome: state.Outcome


class Report(Protocol):
    """Told of what a program does."""

    def failed(self, room: str, failure: BotFailed, what_then: str, *, loses: bool = False) -> None:
        """Report a failure, what follows from it, and whether it loses the game."""

    def moved(self, room: str, cell: int, reply: Reply, round_trip_s: float | None) -> None:
        """Report a move and what it cost."""


class BotPlayer:
    """Plays one game after another in a room, with one program."""

    def __init__(
        self, room: Room, program: BotProcess, options: PlayOptions, report: Report
    ) -> None:
        self._room = room
        self._program = program
        self._options = options
        self._report = report
        self._round_trip_s: float | None = None

    async def play(self) -> FinishedGame:
        """Play the running game, or the next to begin, to its end.

        Raises:
            CannotStart: the system cannot run the program.
            CannotPlay: its language has no words for this board.
            RoomClosed: the place in the room is gone.
        """
        seat = None
        claiming = asyncio.create_task(self._claim_from_absent())
        try:
            async for turn in self._room.turns(choices=True):
                seat = turn.mark
                with suppress(CommandRefused, NotConnected):  # the game has gone on meanwhile
                    await (self._choose(turn) if turn.choices else self._move(turn))
        finally:
            claiming.cancel()
        game = self._room.state.game
        if game is None or game.outcome is None:  # pragma: no cover - the turns have ended
            raise RuntimeError("the game is not over")
        # In an opening the seat may have changed since the last turn.
        seat = self._room.seat or seat or state.Mark.X
        self._program.tell_end(GameEnd(game.outcome.winner, game.outcome.reason))
        return FinishedGame(game.number, seat, game.outcome)

    async def ask_for_another(self) -> None:
        """Offer a rematch until it is accepted or a game starts.

        Raises:
            RoomClosed: the place in the room is gone.
        """
        while self._room.outcome is not None:
            try:
                await _patiently(lambda: self._room.offer(state.OfferKind.REMATCH))
            except (CommandRefused, NotConnected):
                await asyncio.sleep(_OFFER_AGAIN_S)
            else:
                return

    async def is_wanted(self) -> bool:
        """Return whether the other player wants the running game, or another within half a minute.

        An AI would always agree. It is not asked, so that the next seat is not kept waiting.

        Raises:
            RoomClosed: the place in the room is gone.
        """
        game = self._room.state.game
        if game is None or game.outcome is None or isinstance(self.opposite, state.AiSeat):
            return self.opposite is not None and self._room.outcome is None
        with suppress(TimeoutError):
            async with asyncio.timeout(_OPPONENT_S):
                await self.ask_for_another()
                async for room in self._room.states():
                    if room.game is not None and room.game.number > game.number:
                        return True
                    if room.offers.rematch is None or self.opposite is None:
                        return False  # declined, or left
        return False

    @property
    def opposite(self) -> state.Seat | None:
        """The player in the other seat, if there is one."""
        seat = self._room.seat
        return None if seat is None else self._room.state.seats[seat.other]

    async def _claim_from_absent(self) -> None:
        if not self._options.claims:
            return
        async for room in self._room.states():
            while self._is_deserted:
                await asyncio.sleep(room.settings.grace_s + _CLAIM_AFTER_S)
                if self._is_deserted:
                    with suppress(CommandRefused, NotConnected, RoomClosed):
                        await self._room.claim()

    @property
    def _is_deserted(self) -> bool:
        """Whether the opponent is away while a game is running."""
        is_away = isinstance(self.opposite, state.HumanSeat) and not self.opposite.connected
        return is_away and self._room.outcome is None and not self._room.closed

    async def _choose(self, turn: Turn) -> None:
        """Let the program choose in the opening. It stays if it gives no choice."""
        try:
            choice = await self._program.choose(self._question(turn))
        except BotFailed as failure:
            self._report.failed(self._room.state.name, failure, "it stays in its seat")
            choice = Choice.STAY
        await _patiently(lambda: turn.choose(choice))

    async def _move(self, turn: Turn) -> None:
        measuring = asyncio.create_task(self._measure())
        try:
            reply = await self._program.ask(self._question(turn))
        except BotFailed as failure:
            await self._go_on_after(failure, turn)
        else:
            cell = reply.answer.cell
            self._report.moved(self._room.state.name, cell, reply, self._round_trip_s)
            try:
                await _patiently(lambda: turn.play(cell, self._log(reply)))
            except CommandRefused as refused:
                if refused.code not in _AT_FAULT:
                    raise
                why = f"cell {cell} was refused: {refused.reason}"
                legal = refused.legal or tuple(each for each in turn.legal if each != cell)
                illegal = BotFailed(FailureKind.ILLEGAL, why)
                await self._go_on_after(illegal, replace(turn, legal=legal))
        finally:
            measuring.cancel()

    async def _measure(self) -> None:
        with suppress(NotConnected):
            self._round_trip_s = await self._room.round_trip_s()

    def _question(self, turn: Turn) -> BotTurn:
        time_ms = self._options.time_ms
        if turn.left_ms is not None:
            time_ms = max(_LEAST_MS, min(time_ms, turn.left_ms))
        opening = self._room.state.settings.opening
        position = turn.game, turn.rules, turn.mark, turn.board, turn.moves, turn.legal
        return BotTurn(*position, time_ms, turn.left_ms, opening, turn.choices)

    async def _go_on_after(self, failure: BotFailed, turn: Turn) -> None:
        name = self._room.state.name
        match self._options.on_failure:
            case OnFailure.RESIGN:
                self._report.failed(name, failure, "the game is resigned", loses=True)
                await _patiently(lambda: self._room.resign(str(failure)[:200]))
            case OnFailure.RANDOM:
                cell = turn.legal[int(self._options.chance() * len(turn.legal))]
                self._report.failed(name, failure, f"cell {cell} is played at random")
                reason = f"random, for it was {failure}"[:200]
                log = state.MoveLog(reason=reason) if self._options.shares_log else None
                try:
                    await _patiently(lambda: turn.play(cell, log))
                except CommandRefused as refused:
                    if refused.code not in _AT_FAULT:
                        raise
                    why = str(refused)[:200]
                    await _patiently(lambda: self._room.resign(why))

    def _log(self, reply: Reply) -> state.MoveLog | None:
        if not self._options.shares_log:
            return None
        answer = reply.answer
        trip_s = self._round_trip_s
        given: dict[str, object] = {
            "reason": None if answer.reason is None else clean(answer.reason)[:200],
            "values": dict(list((answer.values or {}).items())[:_MOST_VALUES]) or None,
            "time_ms": round(1000 * reply.seconds, 1),
            "round_trip_ms": None if trip_s is None else round(1000 * trip_s, 1),
            "stderr": reply.stderr[-MOST_STDERR:] or None,
        }
        return state.MoveLog.model_validate({k: v for k, v in given.items() if v is not None})


async def _patiently(send: Callable[[], Awaitable[None]]) -> None:
    """Send a command; repeat it while the server refuses it temporarily.

    Raises:
        CommandRefused, NotConnected, RoomClosed: it was not carried out.
    """
    while True:
        try:
            return await send()
        except CommandRefused as refused:
            if refused.code not in PASSING:
                raise
        await asyncio.sleep(_AGAIN_S)


class OpenSeat(NamedTuple):
    """A seat opposite a player who waits."""

    room: state.RoomName
    opposite: str
    """The name of that player."""
    rules: state.Rules


PlayRoom = Callable[[OpenSeat, Callable[[], bool]], Awaitable[None]]
"""Plays in a room while both sides want to, and while the function says that another game is due,
given those under way in other rooms."""


def open_seats(
    rooms: tuple[state.Summary, ...], plays: Callable[[state.Rules], bool]
) -> list[OpenSeat]:
    """Return the seats opposite a connected player who waits, the longest wait first.

    `plays` tells whether the program plays on a board.
    """
    return [
        OpenSeat(room.name, room.seats.X or room.seats.O or "", room.rules)
        for room in sorted(rooms, key=lambda room: room.changed_at or 0)
        if room.status is state.Status.WAITING
        and not room.locked
        and not room.deserted
        and (room.seats.X is None) is not (room.seats.O is None)
        and plays(room.rules)
    ]


@dataclass(eq=False)
class LobbyPlayer:
    """Plays in the rooms of the lobby where a seat is open, in several at once."""

    lobby: Session
    play: PlayRoom
    _: KW_ONLY
    most: Callable[[], int]
    """Returns how many rooms it may play in now; 0 ends it."""
    plays: Callable[[state.Rules], bool] = lambda _: True
    """Returns whether to play on a board."""
    _rooms: tuple[state.Summary, ...] = field(default=(), init=False)
    _playing: set[state.RoomName] = field(default_factory=set, init=False)
    _left: set[OpenSeat] = field(default_factory=set, init=False)
    """Seats that it has left; forgotten when the player opposite leaves."""
    _enough: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    async def run(self, on_note: Callable[[Note], None]) -> Ending:
        """Play until the last game is over or the lobby closes. Running games are finished."""
        async with asyncio.TaskGroup() as tasks:

            async def hear(event: Heard | Note) -> None:
                if isinstance(event, Note):
                    on_note(event)
                elif isinstance(event.message, Rooms):
                    self._take(event.message.rooms)
                    self._begin(tasks)

            listening = tasks.create_task(self.lobby.run(hear))
            enough = tasks.create_task(self._enough.wait())
            await asyncio.wait((listening, enough), return_when=asyncio.FIRST_COMPLETED)
            enough.cancel()
            if listening.done():
                return listening.result()
            listening.cancel()
        return Ending(0)

    def _take(self, rooms: tuple[state.Summary, ...]) -> None:
        self._rooms = rooms
        seated = {
            OpenSeat(room.name, name, room.rules)
            for room in rooms
            for name in (room.seats.X, room.seats.O)
            if name
        }
        self._left &= seated

    def _begin(self, tasks: asyncio.TaskGroup) -> None:
        """Take open seats, as many as it may."""
        for seat in open_seats(self._rooms, self.plays):
            if len(self._playing) >= self.most():
                return
            if seat.room not in self._playing and seat not in self._left:
                self._playing.add(seat.room)
                tasks.create_task(self._visit(seat, tasks))

    async def _visit(self, seat: OpenSeat, tasks: asyncio.TaskGroup) -> None:
        try:
            await self.play(seat, lambda: len(self._playing) <= self.most())
        finally:
            self._playing.discard(seat.room)
            self._left.add(seat)
        if not self.most():
            self._enough.set()
        elif not self._enough.is_set():
            with suppress(RuntimeError):  # the group is closing
                self._begin(tasks)
