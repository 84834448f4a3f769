"""What a room does by itself: its AI seats move, and a series of AI against AI goes on."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from ttt_protocol.commands import Play
from ttt_protocol.state import Ai
from ttt_server.ai import AiFailed, Thinkers
from ttt_server.live import LiveRoom
from ttt_server.room import Decision, Game, Room, forfeit, next_game, play
from ttt_server.store import StorageFailed

logger = logging.getLogger(__name__)

RETRY_S = 1.0
"""After the store failed."""

Decide = Callable[[Room, int], Decision]
"""What follows from a room at a time in Unix ms."""
Transact = Callable[[LiveRoom, Decide], Awaitable[Decision]]
"""Decides under the room's lock, keeps and publishes what follows."""


def has_work(room: Room) -> bool:
    """Whether it is the room's own turn."""
    return room.ai_to_move is not None or room.next_game_due


async def drive(live: LiveRoom, thinkers: Thinkers, transact: Transact) -> None:
    """Does all that the room has to do by itself, at its pace, and ends when a human is to move."""
    while has_work(live.room):
        try:
            decide = await _next_step(live, thinkers)
            await _pause(live)
            await transact(live, decide)
        except StorageFailed as error:
            logger.error("room %s: the AI waits: %s", live.room.name, error)
            await asyncio.sleep(RETRY_S)


async def _next_step(live: LiveRoom, thinkers: Thinkers) -> Decide:
    room = live.room
    seat, game = room.ai_to_move, room.game
    if seat is None or game is None:
        return lambda now_room, now: next_game(now_room, now) if now_room.next_game_due else ()
    player = room.seats[seat]
    if not isinstance(player, Ai):  # pragma: no cover - `ai_to_move` has looked
        raise TypeError(player)
    try:
        choice = await thinkers.choose(player, game.position)
    except AiFailed as failure:
        logger.warning("room %s: %s", room.name, failure)
        return _only_in(game, lambda now_room, now: forfeit(now_room, seat, now))
    command = Play(game=game.number, ply=game.ply, cell=choice.cell)
    return _only_in(game, lambda now_room, now: play(now_room, seat, command, now, choice.reason))


def _only_in(game: Game, decide: Decide) -> Decide:
    """Nothing, if meanwhile the game has moved on: taken back, resigned, or begun anew."""
    return lambda room, now: decide(room, now) if room.game == game else ()


async def _pause(live: LiveRoom) -> None:
    due = live.changed_at + float(live.room.settings.pace_s)
    await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))
