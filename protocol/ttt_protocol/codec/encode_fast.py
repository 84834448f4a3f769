"""The state of a room as JSON, again and again: what is as it was is not encoded again.

An `update` holds the whole room, of which a move changes little. To build the models and encode
them took a third of the time of a move; this gives the same bytes as they do.
"""

from collections.abc import Iterable
from typing import NamedTuple

from pydantic import BaseModel
from pydantic_core import to_json

from ttt_protocol.codec import encode_message, encode_outcome
from ttt_protocol.state import (
    SUBPROTOCOL,
    AiSeat,
    Clock,
    Human,
    Mark,
    Offers,
    Outcome,
    Player,
    Role,
    RoomName,
    Score,
    SessionId,
    Settings,
    Status,
    Token,
)

_NULL = b"null"
_BOOLEANS = b"false", b"true"

_PARTS = 1024
"""Kept for all rooms, which share their settings with many others, and their offers with all."""


class Frame(NamedTuple):
    """The JSON of a `RoomState` around what each move changes: its `seq` and its `game`.

    A `head`, if there is one, is the message before the state, which is its last field.
    """

    before: bytes
    between: bytes
    after: bytes

    def with_game(
        self,
        seq: int,
        number: int,
        board: str,
        moves: tuple[int, ...],
        outcome: Outcome | None,
        clock: Clock | None,
        *,
        head: bytes = b"",
    ) -> bytes:
        """The state of a room whose `Game` has these fields."""
        # In one go: to make the game, the room and the message one after the other takes thrice
        # as long.
        before, between, after = self
        ply = len(moves)
        return (
            b'%b%b%d%b{"number":%d,"board":"%b","turn":"%b","ply":%d,"moves":%b,"outcome":%b,'
            b'"clock":%b}%b%b'
        ) % (
            head,
            before,
            seq,
            between,
            number,
            board.encode(),
            b"O" if ply & 1 else b"X",
            ply,
            to_json(moves),
            _NULL if outcome is None else encode_outcome(outcome),
            _NULL if clock is None else encode_message(clock),
            after,
            b"}" if head else b"",
        )

    def without_game(self, seq: int, *, head: bytes = b"") -> bytes:
        """The state of a room in which no game has begun."""
        tail = b"}" if head else b""
        return b"%b%b%d%bnull%b%b" % (head, self.before, seq, self.between, self.after, tail)


def encode_frame(
    *,
    name: RoomName,
    status: Status,
    locked: bool,
    settings: Settings,
    seats: tuple[bytes, bytes],
    offers: Offers,
    score: Score,
    spectators: int,
) -> Frame:
    """The frame of a `RoomState` with these fields. `seats`: X and O, as `encode_seat` gives."""
    # Nothing here needs escapes: a room's name has letters, digits and hyphens.
    return Frame(
        b'{"name":"%b","seq":' % name.encode(),
        b',"status":"%b","locked":%b,"settings":%b,"seats":{"X":%b,"O":%b},"game":'
        % (status.encode(), _BOOLEANS[locked], _part(settings), *seats),
        b',"offers":%b,"score":{"X":%d,"O":%d,"draws":%d},"spectators":%d}'
        % (_part(offers), score.X, score.O, score.draws, spectators),
    )


def encode_seat(player: Player | None, connected: bool) -> bytes:
    """A `Seat`, or null where nobody sits. An AI is always connected."""
    if player is None:
        return _NULL
    if isinstance(player, Human):
        return b'{"kind":"human","id":%b,"name":%b,"connected":%b}' % (
            to_json(player.id),
            to_json(player.name),
            _BOOLEANS[connected],
        )
    return encode_message(AiSeat(name=player.name, strategy=player.strategy, level=player.level))


_encoded: dict[int, tuple[BaseModel, bytes]] = {}
"""By the part's `id`, which is nobody else's while the part is kept."""


def _part(part: BaseModel) -> bytes:
    """Encodes a part of a room. Parts are values: one that is the same object has the same JSON."""
    known = _encoded.get(id(part))
    if known is None:
        if len(_encoded) >= _PARTS:
            _encoded.clear()
        known = _encoded[id(part)] = part, encode_message(part)
    return known[1]


def update_head(events: Iterable[bytes]) -> bytes:
    """What stands before the state in an `Update` of encoded events."""
    return b'{"type":"update","events":[%b],"room":' % b",".join(events)


def welcome_head(
    server: str,
    session: SessionId | None,
    role: Role,
    seat: Mark | None,
    name: str,
    token: Token | None,
) -> bytes:
    """What stands before the state in a `Welcome`, to a member whose `You` has these fields."""
    return (
        b'{"type":"welcome","protocol":"%b","server":"%b",'
        b'"you":{"id":%b,"role":"%b","seat":%b,"name":%b,"token":%b},"room":'
    ) % (
        SUBPROTOCOL.encode(),
        server.encode(),
        _word(session),
        role.encode(),
        _word(seat),
        to_json(name),
        _word(token),
    )


def encode_presence(x: bool, o: bool, spectators: int) -> bytes:
    """A `Presence`: whether whoever sits there is here."""
    return b'{"type":"presence","seats":{"X":%b,"O":%b},"spectators":%d}' % (
        _BOOLEANS[x],
        _BOOLEANS[o],
        spectators,
    )


def _word(word: str | None) -> bytes:
    """One of ours, which needs no escapes, or null."""
    return _NULL if word is None else b'"%b"' % word.encode()
