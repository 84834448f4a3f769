"""A room as it is told to others: the wire's form of a `Room`, with who is here now."""

from typing import assert_never

from ttt_protocol import state as wire
from ttt_protocol.state import (
    Ai,
    AiSeat,
    BySeat,
    Human,
    HumanSeat,
    Player,
    RoomState,
    Summary,
)
from ttt_server.games import time_left
from ttt_server.room import Room


def room_state(room: Room, here: BySeat[bool], spectators: int, now: int) -> RoomState:
    """The whole state of `room` at `now`; `here` tells which seats have a connection."""
    return RoomState(
        name=room.name,
        seq=room.seq,
        status=room.status,
        locked=room.lock is not None,
        settings=room.settings,
        seats=BySeat(X=_seat(room.seats.X, here.X), O=_seat(room.seats.O, here.O)),
        game=_game(room, now),
        offers=room.offers,
        score=room.score,
        spectators=spectators,
    )


def summary(room: Room, spectators: int) -> Summary:
    """What the lobby shows of `room`."""
    return Summary(
        name=room.name,
        status=room.status,
        rules=room.settings.rules,
        seats=BySeat(X=_name(room.seats.X), O=_name(room.seats.O)),
        ply=room.game.ply if room.game else 0,
        spectators=spectators,
        locked=room.lock is not None,
    )


def _name(player: Player | None) -> str | None:
    return None if player is None else player.name


def _seat(player: Player | None, connected: bool) -> HumanSeat | AiSeat | None:
    match player:
        case None:
            return None
        case Human():
            return HumanSeat(id=player.id, name=player.name, connected=connected)
        case Ai():
            return AiSeat(name=player.name, strategy=player.strategy, level=player.level)
        case _:
            assert_never(player)


def _game(room: Room, now: int) -> wire.Game | None:
    game = room.game
    if game is None:
        return None
    left = time_left(room, now)
    return wire.Game(
        number=game.number,
        board=game.position.board,
        turn=game.turn,
        ply=game.ply,
        moves=game.moves,
        outcome=game.outcome,
        clock=None if left is None else wire.Clock(X=left.X, O=left.O, running=game.running),
    )
