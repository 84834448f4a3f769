"""A room as others see it: its `RoomState`, and the JSON of that. Pure."""

from typing import Any, NamedTuple, assert_never

from pydantic_core import to_json

from ttt_engine import Position
from ttt_protocol import state as wire
from ttt_protocol.codec import encode_message
from ttt_server.core.room import Room, RoomGame, Seats


class Here(NamedTuple):
    """The seats whose player is connected, as an AI always is."""

    X: bool
    O: bool  # noqa: E741 - its name on the wire
    away_since: tuple[int | None, int | None] = None, None
    """When the humans in X and O lost the connection, in Unix ms; `None` for others."""


def room_state(room: Room, here: Here, spectators: int, now: int) -> wire.RoomState:
    """Return the whole state of `room` at `now`, in Unix ms."""
    return wire.RoomState(
        name=room.name,
        seq=room.seq,
        status=room.status,
        locked=room.password_hash is not None,
        settings=room.settings,
        seats=_seats(room.seats, here),
        game=None if room.game is None else game_state(room.game, _clock(room.game, now)),
        offers=room.offers,
        score=room.score,
        spectators=spectators,
        chat=room.chat,
    )


class StateEncoder:
    """Encodes the `room_state` of one room after each change.

    An `Update` has the whole state, of which a move changes only `seq` and `game`. The JSON around
    them is kept until a part of it changes.
    """

    __slots__ = ("_after", "_before", "_between", "_made_of", "_seats", "_settings")

    def __init__(self) -> None:
        self._seats: list[tuple[Seats, Here, tuple[bytes, bytes]]] = []
        self._settings: tuple[wire.Settings | None, bytes] = None, b""
        self._made_of: tuple[Any, ...] = ()
        """The values in the kept JSON."""
        self._before = self._between = self._after = b""

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
        if made_of != self._made_of:  # after most moves they are the same objects
            self._made_of = made_of
            self._make(room, here, spectators)
        if game is None:
            return b"%b%d%bnull%b" % (self._before, room.seq, self._between, self._after)
        moves, outcome, position = game.moves, game.outcome, game.position
        is_plain = game.opening is None and position.is_plain
        return (
            b'%b%d%b{"number":%d,"board":"%b","turn":"%b,'
            b'"ply":%d,"moves":%b,"outcome":%b,"clock":%b}%b'
        ) % (
            self._before,
            room.seq,
            self._between,
            game.number,
            position.board.encode(),
            b'%b"' % position.turn.encode() if is_plain else _to_act(game),
            len(moves),
            to_json(moves),
            b"null" if outcome is None else _outcome_json(outcome, game.unrated),
            b"null" if game.clock is None else _clock_json(game, now),
            self._after,
        )

    def _make(self, room: Room, here: Here, spectators: int) -> None:
        # A room's name has letters, digits and hyphens, and needs no escapes.
        self._before = b'{"name":"%b","seq":' % room.name.encode()
        self._between = (
            b',"status":"%b","locked":%b,"settings":%b,"seats":{"X":%b,"O":%b},"game":'
        ) % (
            room.status.encode(),
            b"false" if room.password_hash is None else b"true",
            self._encoded_settings(room.settings),
            *self._encoded_seats(room.seats, here),
        )
        self._after = b',"offers":%b,"score":%b,"spectators":%d%b}' % (
            room.offers.to_json(),
            room.score.to_json(),
            spectators,
            b"" if room.chat is wire.ChatMode.ALL else b',"chat":"%b"' % room.chat.encode(),
        )

    def _encoded_settings(self, settings: wire.Settings) -> bytes:
        if settings is wire.DEFAULT_SETTINGS:  # as in most rooms
            return _DEFAULT_SETTINGS
        if self._settings[0] is not settings:
            self._settings = settings, encode_message(settings)
        return self._settings[1]

    def _encoded_seats(self, seats: Seats, here: Here) -> tuple[bytes, bytes]:
        for known, here_then, encoded in self._seats:
            if known.X is seats.X and known.O is seats.O and here_then == here:
                return encoded
        both = _seats(seats, here)
        encoded = _seat_json(both.X), _seat_json(both.O)
        # Two entries: the players of a series change seats and back.
        before = [entry for entry in self._seats[:1] if entry[0].full]
        self._seats = [(seats, here, encoded), *before]
        return encoded


_DEFAULT_SETTINGS = encode_message(wire.DEFAULT_SETTINGS)


def _seat_json(seat: wire.Seat | None) -> bytes:
    return b"null" if seat is None else seat.to_json()


def _to_act(game: RoomGame) -> bytes:
    """Return the JSON of `turn`, but for its first mark, and the fields after it.

    They are those of an opening, and of a variant.
    """
    parts = [b'%b"' % game.turn.encode()]
    if game.choosing is not None:
        parts += b',"choosing":', to_json(game.choosing), b',"choices":', to_json(game.choices)
    if game.to_place:
        parts.append(b',"to_place":%d' % game.to_place)
    parts += [
        b',"%b":%b' % (name.encode(), to_json(value))
        for name, value in shown(game.position).items()
    ]
    return b"".join(parts)


def shown(position: Position) -> dict[str, Any]:
    """Return what a variant shows beside its board, in the order of the wire."""
    leaving = position.leaving
    found = {
        "legal": position.legal,
        "boards": position.boards,
        "leaving": None if leaving is None else wire.BySeat(X=leaving[0], O=leaving[1]),
        "marks": position.marks,
    }
    return {name: value for name, value in found.items() if value is not None}


def _outcome_json(outcome: wire.Outcome, unrated: str | None) -> bytes:
    """Return the JSON of `outcome`, and the field `unrated` after it."""
    if unrated is None:
        return outcome.to_json()
    return b'%b,"unrated":%b' % (outcome.to_json(), to_json(unrated))


def _clock_json(game: RoomGame, now: int) -> bytes:
    clock = _clock(game, now)
    return b"null" if clock is None else clock.to_json()


def summary(room: Room, here: Here, spectators: int) -> wire.Summary:
    """Return the line of the lobby about `room`."""
    seats = room.seats
    humans_here = (
        isinstance(seats.X, wire.Human) and here.X,
        isinstance(seats.O, wire.Human) and here.O,
    )
    return wire.Summary(
        name=room.name,
        status=room.status,
        rules=room.settings.rules,
        seats=wire.BySeat(X=_name(room.seats.X), O=_name(room.seats.O)),
        ply=room.game.ply if room.game else 0,
        spectators=spectators,
        locked=room.password_hash is not None,
        changed_at=room.changed_at,
        deserted=None if any(humans_here) or seats.all_ai else True,
        ais=True if seats.all_ai else None,
    )


def _name(player: wire.Player | None) -> str | None:
    return None if player is None else player.name


def _seats(seats: Seats, here: Here) -> wire.BySeat[wire.Seat | None]:
    x_since, o_since = here.away_since
    return wire.BySeat(X=_seat(seats.X, here.X, x_since), O=_seat(seats.O, here.O, o_since))


def _seat(player: wire.Player | None, connected: bool, away_since: int | None) -> wire.Seat | None:
    match player:
        case None:
            return None
        case wire.Human():
            return wire.HumanSeat(
                id=player.id,
                name=player.name,
                bot=player.bot,
                person=player.person,
                connected=connected,
                away_since=away_since,
            )
        case wire.Ai():
            return wire.AiSeat(name=player.name, strategy=player.strategy, level=player.level)
        case _:
            assert_never(player)


def game_state(game: RoomGame, clock: wire.Clock | None) -> wire.Game:
    """Return a game as others see it."""
    return wire.Game(
        number=game.number,
        board=game.position.board,
        turn=game.turn,
        choosing=game.choosing,
        choices=game.choices,
        to_place=game.to_place,
        **shown(game.position),
        ply=game.ply,
        moves=game.moves,
        outcome=game.outcome,
        unrated=game.unrated,
        clock=clock,
    )


def _clock(game: RoomGame, now: int) -> wire.Clock | None:
    if game.clock is None:
        return None
    left = game.clock.at(now, game.running)
    return wire.Clock(X=left.X, O=left.O, running=game.running)
