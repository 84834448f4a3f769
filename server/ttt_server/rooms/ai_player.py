"""What a room does by itself: its AI seats move and answer, and a series of two AIs goes on."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from ttt_protocol.codes import Reason
from ttt_protocol.commands import Play
from ttt_protocol.state import Ai, Mark, OfferKind
from ttt_server.ai.runner import AiFailed, Choice, StrategyRunner, to_spend_s
from ttt_server.core.decide import Decide
from ttt_server.core.offers import accept, decline
from ttt_server.core.play import Decision, end, next_game, play
from ttt_server.core.room import Game, Room, game_of
from ttt_server.core.transition import Transition, transition
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.storage.base import StorageFailed
from ttt_server.telemetry.logging import about_room

logger = logging.getLogger(__name__)

RETRY_S = 1.0
"""After the store failed."""

Transact = Callable[[LiveRoom, Decide], Awaitable[Transition | None]]
"""Decides under the room's lock, keeps and publishes what follows."""


def has_work(room: Room) -> bool:
    """Whether it is the room's own turn."""
    return room.ai_to_move is not None or room.ai_to_answer is not None or room.next_game_due


def reply(runner: StrategyRunner, room: Room) -> Transition | None:
    """The move with which an AI answers a human at once, in the instant in which it is to move.

    Null if there is none, or if it takes time: then it is for the driver. So are two AIs, for
    between their moves others are to be heard.
    """
    game, seat = room.game, room.ai_to_move
    if game is None or seat is None or room.settings.pace_s or room.ai_to_answer is not None:
        return None
    ai = room.seats[seat]
    if not isinstance(ai, Ai) or isinstance(room.seats[seat.other], Ai):
        return None
    if not runner.answers_at_once(ai, game.position):
        return None
    choice, now = runner.choose_at_once(ai, game.position, game.moves), room.changed_at
    return transition(room, _played(room, seat, game, choice, now))


async def drive(live: LiveRoom, runner: StrategyRunner, transact: Transact) -> None:
    """Does all that the room has to do by itself, at its pace, and ends when a human is to move."""
    about_room(live.room.name)
    while has_work(live.room):
        try:
            step = await _next_step(live, runner)
            # What was offered while it thought is answered first: a move would end the offer.
            if (seat := live.room.ai_to_answer) is not None:
                await transact(live, await _answer(live, live.room, seat, runner))
            await transact(live, step)
        except StorageFailed as error:
            logger.error("the AI waits: %s", error)
            await asyncio.sleep(RETRY_S)


async def _next_step(live: LiveRoom, runner: StrategyRunner) -> Decide:
    room = live.room
    game = room.game
    if game is not None and room.ai_to_move is not None:
        move = await _move(live, room, game, room.ai_to_move, runner)
        await _pause(live)
        return move
    if not room.next_game_due:
        return _nothing
    await _pause(live)
    return lambda now_room, now: next_game(now_room, now) if now_room.next_game_due else ()


async def _move(
    live: LiveRoom, room: Room, game: Game, seat: Mark, runner: StrategyRunner
) -> Decide:
    def still(now_room: Room) -> bool:
        """Not taken back, resigned or begun anew, and no human has come back to the seat."""
        return _is_at(now_room, game) and now_room.ai_to_move is seat

    player = room.seats[seat]
    try:
        if not isinstance(player, Ai):
            raise AiFailed("there is no AI in that seat")
        left_s, whose = live.left_to_move_s, live.opened_from or room.name
        choice = await runner.choose(player, game.position, left_s, game.moves, whose=whose)
    except AiFailed as failure:
        logger.warning("%s", failure)
        detail = str(failure)
        return lambda now_room, now: (
            end(now_room, Reason.FORFEIT, seat.other, now, detail) if still(now_room) else ()
        )
    return lambda now_room, now: (
        _played(now_room, seat, game, choice, now) if still(now_room) else ()
    )


def _played(room: Room, seat: Mark, game: Game, choice: Choice, now: int) -> Decision:
    command = Play(game=game.number, ply=game.ply, cell=choice.cell)
    return play(room, seat, command, now, choice.reason)


def _nothing(_room: Room, _now: int) -> Decision:
    return ()


async def _answer(live: LiveRoom, room: Room, seat: Mark, runner: StrategyRunner) -> Decide:
    """A draw is as good as any position that is not better than a draw."""
    game = game_of(room)
    try:
        evaluation = await runner.evaluate(game.position, whose=live.opened_from)
    except AiFailed as failure:
        logger.warning("%s", failure)
        agrees = False
    else:
        value = evaluation.value if game.turn is seat else -evaluation.value
        agrees = value <= 0
    answer = accept if agrees else decline
    return lambda now_room, now: (
        answer(now_room, seat, OfferKind.DRAW, now)
        if now_room.ai_to_answer is seat and _is_at(now_room, game)
        else ()
    )


def _is_at(room: Room, game: Game) -> bool:
    """Whether nothing was played or taken back since the game was so, and none began anew."""
    now = room.game
    return now is not None and (now.number, now.moves) == (game.number, game.moves)


async def _pause(live: LiveRoom) -> None:
    due = live.changed_at + float(live.room.settings.pace_s)
    pause = max(0.0, due - asyncio.get_running_loop().time())
    left_s = live.left_to_move_s
    if left_s is not None:
        pause = min(pause, to_spend_s(left_s, game_of(live.room).position))
    await asyncio.sleep(pause)
