"""A room as others see it: the `RoomState` of a `Room` and its connections, and its JSON. Pure."""

from operator import is_
from typing import Any, NamedTuple, assert_never

from ttt_protocol import state as wire
from ttt_protocol.codec import encode_message
from ttt_protocol.codec.encode_fast import (
    StateTemplate,
    encode_human_seat,
    encode_settings,
    encode_to_act,
)
from ttt_protocol.state import (
    Ai,
    AiSeat,
    BySeat,
    Human,
    HumanSeat,
    Player,
    RoomState,
    Seat,
    Settings,
    Summary,
)
from ttt_server.core.play import time_left
from ttt_server.core.room import Game, Room, Seats


class Here(NamedTuple):
    """The seats whose player is connected. An AI always is."""

    X: bool
    O: bool  # noqa: E741 - its name on the wire
    away_since: tuple[int | None, int | None] = None, None
    """When the human in X, and in O, lost the connection, in Unix ms; `None` for others."""


def room_state(room: Room, here: Here, spectators: int, now: int) -> RoomState:
    """Return the whole state of `room` at `now`, in Unix ms."""
    return RoomState(
        name=room.name,
        seq=room.seq,
        status=room.status,
        locked=room.password_hash is not None,
        settings=room.settings,
        seats=_seats(room.seats, here),
        game=None if room.game is None else game_state(room.game, _clock(room, now)),
        offers=room.offers,
        score=room.score,
        spectators=spectators,
        chat=room.chat,
    )


class Snapshot:
    """Encodes the `room_state` of one room again and again.

    An `Update` holds the whole state, of which a move changes little. The rest is kept encoded, and
    made anew only when a part of it has changed.
    """

    __slots__ = ("_made_of", "_seats", "_settings", "_template")

    def __init__(self) -> None:
        self._seats: list[tuple[Seats, Here, tuple[bytes, bytes]]] = []
        self._settings: tuple[Settings | None, bytes] = None, b""
        self._made_of: tuple[Any, ...] = (object(),)
        """The values that the template was made of."""
        self._template = StateTemplate(b"", b"", b"")

    def encode(self, room: Room, here: Here, spectators: int, now: int) -> bytes:
        """Encode the whole state of `room` at `now`."""
        game = room.game
        made_of = (
            room.offers,
            room.score,
            room.seats,
            room.settings,
            room.password_hash,
            room.chat,
            here,
            spectators,
            None if game is None else game.outcome is None,
        )
        # After most moves the parts are the same objects; to compare models would take 2 us.
        if not all(map(is_, made_of, self._made_of)):
            self._made_of = made_of
            self._make(room, here, spectators)
        if game is None:
            return self._template.without_game(room.seq)
        return self._template.with_game(
            room.seq,
            game.number,
            game.position.board,
            game.moves,
            game.outcome,
            None if game.clock is None else _clock(room, now),
            to_act=b"" if game.opening is None else _to_act(game),
        )

    def _make(self, room: Room, here: Here, spectators: int) -> None:
        self._template = StateTemplate.of(
            name=room.name,
            status=room.status,
            locked=room.password_hash is not None,
            settings=self._encoded_settings(room.settings),
            seats=self._encoded_seats(room.seats, here),
            offers=room.offers,
            score=room.score,
            spectators=spectators,
            chat=room.chat,
        )

    def _encoded_settings(self, settings: Settings) -> bytes:
        if self._settings[0] is not settings:
            self._settings = settings, encode_settings(settings)
        return self._settings[1]

    def _encoded_seats(self, seats: Seats, here: Here) -> tuple[bytes, bytes]:
        for known, here_then, encoded in self._seats:
            if known.X is seats.X and known.O is seats.O and here_then == here:
                return encoded
        x_since, o_since = here.away_since
        encoded = _encoded_seat(seats.X, here.X, x_since), _encoded_seat(seats.O, here.O, o_since)
        # Two entries: the players of a series change sides and back again.
        before = [entry for entry in self._seats[:1] if entry[0].full]
        self._seats = [(seats, here, encoded), *before]
        return encoded


def _encoded_seat(player: Player | None, connected: bool, away_since: int | None) -> bytes:
    """Encode a `_seat`."""
    if isinstance(player, Human):
        return encode_human_seat(player, connected, away_since)
    seat = _seat(player, connected, away_since)
    return b"null" if seat is None else encode_message(seat)


def summary(room: Room, here: Here, spectators: int) -> Summary:
    """Return what the lobby shows of `room`."""
    seats = room.seats
    humans_here = (
        isinstance(seats.X, Human) and here.X,
        isinstance(seats.O, Human) and here.O,
    )
    return Summary(
        name=room.name,
        status=room.status,
        rules=room.settings.rules,
        seats=BySeat(X=_name(room.seats.X), O=_name(room.seats.O)),
        ply=room.game.ply if room.game else 0,
        spectators=spectators,
        locked=room.password_hash is not None,
        changed_at=room.changed_at,
        deserted=None if any(humans_here) or seats.all_ai else True,
    )


def _name(player: Player | None) -> str | None:
    return None if player is None else player.name


def _seats(seats: Seats, here: Here) -> BySeat[Seat | None]:
    x_since, o_since = here.away_since
    return BySeat(X=_seat(seats.X, here.X, x_since), O=_seat(seats.O, here.O, o_since))


def _seat(player: Player | None, connected: bool, away_since: int | None) -> Seat | None:
    match player:
        case None:
            return None
        case Human():
            return HumanSeat(
                id=player.id,
                name=player.name,
                bot=player.bot,
                connected=connected,
                away_since=away_since,
            )
        case Ai():
            return AiSeat(name=player.name, strategy=player.strategy, level=player.level)
        case _:
            assert_never(player)


def game_state(game: Game, clock: wire.Clock | None) -> wire.Game:
    """Return a game as others see it."""
    return wire.Game(
        number=game.number,
        board=game.position.board,
        turn=game.turn,
        choosing=game.choosing,
        choices=game.choices,
        to_place=game.to_place,
        ply=game.ply,
        moves=game.moves,
        outcome=game.outcome,
        clock=clock,
    )


def _to_act(game: Game) -> bytes:
    return encode_to_act(game.turn, game.choosing, game.choices, game.to_place)


def _clock(room: Room, now: int) -> wire.Clock | None:
    left = time_left(room, now)
    if left is None or room.game is None:
        return None
    return wire.Clock(X=left.X, O=left.O, running=room.game.running)
