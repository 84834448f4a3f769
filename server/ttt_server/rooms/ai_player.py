"""The AI seats of a room: they move, answer offers, and go on with a series between two AIs."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from ttt_engine.openings.opening import Choice as OpeningChoice
from ttt_protocol.codes import Choice as MadeChoice
from ttt_protocol.codes import Reason
from ttt_protocol.commands import Choose, Fill
from ttt_protocol.state import Ai, AiSetting, Mark, OfferKind
from ttt_server.ai.runner import AiFailed, ChosenMove, StrategyRunner, to_spend_s
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.decide import accept, decide, decline
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import Decide, Decision, unchanged
from ttt_server.core.play import AiMove, choose, end, next_game, play
from ttt_server.core.room import Room, RoomGame, engine_rules, game_of
from ttt_server.rooms.change import Changes, Done
from ttt_server.rooms.live_room import LiveRoom, Member
from ttt_server.rooms.registry import RoomRegistry
from ttt_server.storage.base import StorageFailed
from ttt_server.telemetry.logging import about_room

logger = logging.getLogger(__name__)

RETRY_S = 1.0
"""How long to wait before trying again after the store failed."""


@dataclass(eq=False, slots=True)
class AiPlayer:
    """Plays for the AI seats of rooms in memory, with one task for each room at work."""

    registry: RoomRegistry
    changes: Changes
    runner: StrategyRunner
    tasks: TaskOwner
    on_rest: Callable[[LiveRoom], None] = field(init=False)
    """Called when a room has nothing left to do by itself."""
    _at_work: dict[LiveRoom, asyncio.Task[None]] = field(default_factory=dict)

    def wake(self, live: LiveRoom) -> None:
        """Start the work of a room, unless it is under way."""
        if live not in self._at_work and has_work(live.room):
            task = self.tasks.start(self._work(live))
            self._at_work[live] = task
            task.add_done_callback(lambda task: self._ended(live, task))

    def is_at_work(self, live: LiveRoom) -> bool:
        """Return whether a room is doing something by itself."""
        return live in self._at_work

    def stop(self, live: LiveRoom) -> None:
        """Stop the work of a room."""
        if task := self._at_work.get(live):
            task.cancel()

    def fill(self, member: Member, fill: Fill, done: Done) -> None:
        """Let an AI take a seat during a game. Whether its strategy can is found out first.

        A refusal by the rules of the room goes before one of the strategy. `done` is called once.
        """
        live = member.live
        if live.room.seats.of(member.session) is None:
            self.changes.command(member, fill, done)  # and be refused
            return
        settled: list[Fill] = []

        async def settle() -> None:
            about_room(live.room.name)
            board = engine_rules(live.room.settings)
            wish = AiSetting(strategy=fill.strategy, level=fill.level)
            wish = await self.runner.settle(wish, board)
            settled.append(fill.model_copy(update={"level": wish.level}))

        def submit(error: BaseException | None) -> None:
            if error is None:
                self.changes.command(member, settled[0], done)
            elif isinstance(error, Refused):
                self.changes.change(live, partial(_refuse, member, fill, error), done)
            else:
                done(error)

        self.tasks.start(settle(), submit)

    def _ended(self, live: LiveRoom, task: asyncio.Task[None]) -> None:
        del self._at_work[live]
        # The room may have changed between the task's last look and this call.
        if live in self.registry and not task.cancelled() and task.exception() is None:
            self.wake(live)
            self.on_rest(live)

    async def _work(self, live: LiveRoom) -> None:
        """Do everything the room has to do by itself, at its pace, until a human is to move."""
        about_room(live.room.name)
        while has_work(live.room):
            try:
                decision = await self._next(live)
                # Answer an offer made meanwhile first: a move would end it.
                if (seat := live.room.ai_to_answer) is not None:
                    await self.changes.run(live, await self._answer(live, seat))
                await self.changes.run(live, decision)
            except StorageFailed as error:
                logger.error("the AI will try again: %s", error)
                await asyncio.sleep(RETRY_S)

    async def _next(self, live: LiveRoom) -> Decide:
        room = live.room
        game = room.game
        if game is not None and room.ai_to_move is not None:
            move = await self._move(live, room, game, room.ai_to_move)
            await _pause(live)
            return move
        if not room.next_game_due:
            return unchanged
        await _pause(live)
        return _while(lambda now_room: now_room.next_game_due, next_game)

    async def _move(self, live: LiveRoom, room: Room, game: RoomGame, seat: Mark) -> Decide:
        def still(now_room: Room) -> bool:
            """Return whether the game is where it was: nothing undone, resigned or taken over."""
            return _is_at(now_room, game) and now_room.ai_to_move is seat

        player = room.seats[seat]
        try:
            if not isinstance(player, Ai):
                raise AiFailed("there is no AI in that seat")
            left_s, key = live.left_to_move_s, live.opened_from or room.name
            if game.opening is None or not game.is_opening:
                choice: ChosenMove | OpeningChoice = await self.runner.choose(
                    player, game.position, left_s, game.moves, key=key
                )
            else:
                choice = await self.runner.open(
                    player, game.position, game.opening, game.moves, left_s, key=key
                )
        except AiFailed as failure:
            logger.warning("%s", failure)
            detail = str(failure)
            return _while(
                still, lambda room, now: end(room, Reason.FORFEIT, seat.other, now, detail)
            )
        return _while(still, lambda now_room, now: _acted(now_room, seat, game, choice, now))

    async def _answer(self, live: LiveRoom, seat: Mark) -> Decide:
        """Accept a draw unless the position is better than a draw."""
        game = game_of(live.room)
        try:
            evaluation = await self.runner.evaluate(game.position, key=live.opened_from)
        except AiFailed as failure:
            logger.warning("%s", failure)
            agrees = False
        else:
            to_move = Mark(game.position.turn)  # also while a side is to choose
            value = evaluation.value if to_move is seat else -evaluation.value
            agrees = value <= 0
        answer = accept if agrees else decline

        def still(now_room: Room) -> bool:
            return now_room.ai_to_answer is seat and _is_at(now_room, game)

        return _while(still, lambda now_room, now: answer(now_room, seat, OfferKind.DRAW, now))


def _refuse(member: Member, fill: Fill, refusal: Refused, room: Room, now: int) -> Decision:
    decide(room, member.session, fill, now, member.live.away_since)
    raise refusal


def has_work(room: Room) -> bool:
    """Return whether a room has something to do by itself."""
    return room.ai_to_move is not None or room.ai_to_answer is not None or room.next_game_due


def answer(runner: StrategyRunner, room: Room) -> Decision:
    """Return the move of an AI that answers a human at once, in the instant of the human's move.

    Nothing if it takes time: then `AiPlayer` makes the move. It also plays for two AIs, so that
    others are heard between their moves.
    """
    game, seat = room.game, room.ai_to_move
    if game is None or seat is None or room.settings.pace_s or room.ai_to_answer is not None:
        return Decision(room)
    ai = room.seats[seat]
    if game.is_opening or not isinstance(ai, Ai) or room.seats.all_ai:
        return Decision(room)
    if not runner.answers_at_once(ai, game.position):
        return Decision(room)
    choice = runner.choose_at_once(ai, game.position, game.moves)
    return _played(room, seat, game, choice, room.changed_at)


def _acted(
    room: Room, seat: Mark, game: RoomGame, choice: ChosenMove | OpeningChoice, now: int
) -> Decision:
    if isinstance(choice, ChosenMove):
        return _played(room, seat, game, choice, now)
    made = MadeChoice(choice)
    return choose(room, seat, Choose(game=game.number, ply=game.ply, choice=made), now)


def _played(room: Room, seat: Mark, game: RoomGame, choice: ChosenMove, now: int) -> Decision:
    move = AiMove(game.number, len(game.moves), choice.cell)
    return play(room, seat, move, now, choice.reason)


def _while(is_due: Callable[[Room], bool], decide: Decide) -> Decide:
    """Return a decision that is made only if it is still due once the room is free."""
    return lambda room, now: decide(room, now) if is_due(room) else Decision(room)


def _is_at(room: Room, game: RoomGame) -> bool:
    """Return whether the game is where it was: nothing played, taken back or restarted."""
    now, then = room.game, (game.number, game.moves, game.opening)
    return now is not None and (now.number, now.moves, now.opening) == then


async def _pause(live: LiveRoom) -> None:
    due = live.changed_at + float(live.room.settings.pace_s)
    pause = max(0.0, due - asyncio.get_running_loop().time())
    left_s = live.left_to_move_s
    if left_s is not None:
        pause = min(pause, to_spend_s(left_s, game_of(live.room).position))
    await asyncio.sleep(pause)
