"""A room as it is told to others: the wire's form of a `Room`, with who is here now."""

from typing import Any, NamedTuple, assert_never

from ttt_protocol import state as wire
from ttt_protocol.codec.encode_fast import Frame, encode_frame, encode_seat
from ttt_protocol.state import (
    Ai,
    AiSeat,
    BySeat,
    Human,
    HumanSeat,
    Player,
    RoomState,
    Seat,
    Summary,
)
from ttt_server.core.play import time_left
from ttt_server.core.room import Room, Seats


class Here(NamedTuple):
    """Which seats have someone who is here now; an AI always is."""

    X: bool
    O: bool  # noqa: E741 - its name on the wire


def room_state(room: Room, here: Here, spectators: int, now: int) -> RoomState:
    """The whole state of `room` at `now`."""
    return RoomState(
        name=room.name,
        seq=room.seq,
        status=room.status,
        locked=room.lock is not None,
        settings=room.settings,
        seats=_seats(room.seats, here),
        game=_game(room, now),
        offers=room.offers,
        score=room.score,
        spectators=spectators,
    )


class Snapshot:
    """Encodes what `room_state` gives, for one room, whose states differ little from each other."""

    __slots__ = ("_frame", "_framed", "_seats")

    def __init__(self) -> None:
        self._seats: list[tuple[Seats, Here, tuple[bytes, bytes]]] = []
        self._framed: tuple[Any, ...] = ()
        """What the frame was made of."""
        self._frame = Frame(b"", b"", b"")

    def encode(
        self, room: Room, here: Here, spectators: int, now: int, *, head: bytes = b""
    ) -> bytes:
        """The whole state of `room` at `now` as JSON, in the message whose `head` it follows."""
        name, settings, lock, seats, _, offers, score, _, seq, game, _ = room
        is_running = None if game is None else game.outcome is None
        # After most moves the same objects, which are not looked into; what changes most is first.
        framed = is_running, spectators, here, offers, score, seats, lock, settings
        if framed != self._framed:
            self._framed = framed
            self._frame = encode_frame(
                name=name,
                status=room.status,
                locked=lock is not None,
                settings=settings,
                seats=self._seats_of(seats, here),
                offers=offers,
                score=score,
                spectators=spectators,
            )
        if game is None:
            return self._frame.without_game(seq, head=head)
        number, position, moves, outcome, clock = game
        left = None if clock is None else _clock(room, now)
        return self._frame.with_game(seq, number, position.board, moves, outcome, left, head=head)

    def _seats_of(self, seats: Seats, here: Here) -> tuple[bytes, bytes]:
        for known, here_then, told in self._seats:
            if known.X is seats.X and known.O is seats.O and here_then == here:
                return told
        told = encode_seat(seats.X, here.X), encode_seat(seats.O, here.O)
        # With the last one too: two who play a series change sides and back again.
        self._seats = [(seats, here, told), *self._seats[:1]]
        return told


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


def _seats(seats: Seats, here: Here) -> BySeat[Seat | None]:
    return BySeat(X=_seat(seats.X, here.X), O=_seat(seats.O, here.O))


def _seat(player: Player | None, connected: bool) -> Seat | None:
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
    return wire.Game(
        number=game.number,
        board=game.position.board,
        turn=game.turn,
        ply=game.ply,
        moves=game.moves,
        outcome=game.outcome,
        clock=_clock(room, now),
    )


def _clock(room: Room, now: int) -> wire.Clock | None:
    left = time_left(room, now)
    if left is None or room.game is None:
        return None
    return wire.Clock(X=left.X, O=left.O, running=room.game.running)
