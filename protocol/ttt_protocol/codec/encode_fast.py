"""JSON out, written by hand: the events of every game, and the state that follows each of them.

Everything here gives the same bytes as `encode_message` gives for the model; the tests compare them
over generated values. The figures are of `timeit` on one core of CPython 3.11, where a whole move
costs the server 36 us:

- To build a `Played` and encode it takes 2.2 us, `encode_move` 0.4 us: 5 % of a move. An end, an
  offer and a start, of which each game has a few, save another 2 %.
- To build and encode the whole `RoomState` of an `Update` takes 12 us, a `StateTemplate` that is
  made already 0.9 us: a third of a move.
- The models of a join, which are those of its events, seats, welcome and presence, take 20 us to
  build and encode, and 6 us here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from pydantic_core import to_json

from ttt_protocol.codec.encode import encode_message
from ttt_protocol.codes import Choice
from ttt_protocol.state import (
    DEFAULT_SETTINGS,
    SUBPROTOCOL,
    ChatMode,
    Clock,
    Human,
    Mark,
    OfferKind,
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
_SUBPROTOCOL = to_json(SUBPROTOCOL)
_MARKS = {None: _NULL} | {mark: to_json(mark) for mark in Mark}


def encode_move(
    seq: int, at: int, game: int, ply: int, seat: Mark, cell: int, *, reason: str | None = None
) -> bytes:
    """Encode a `Played` of these fields, without a clock."""
    return b'{"type":"played","seq":%d,"at":%d,"game":%d,"ply":%d,"seat":"%b","cell":%d%b}' % (
        seq,
        at,
        game,
        ply,
        seat.encode(),
        cell,
        b"" if reason is None else b',"reason":%b' % to_json(reason),
    )


def encode_end(seq: int, at: int, game: int, outcome: Outcome) -> bytes:
    """Encode an `Ended` of these fields, without a clock or a detail."""
    return b'{"type":"ended","seq":%d,"at":%d,"game":%d,"outcome":%b}' % (
        seq,
        at,
        game,
        _outcome(outcome),
    )


def encode_offer(seq: int, at: int, kind: OfferKind, seat: Mark) -> bytes:
    """Encode an `Offered` of these fields."""
    return b'{"type":"offered","seq":%d,"at":%d,"kind":"%b","seat":"%b"}' % (
        seq,
        at,
        kind.encode(),
        seat.encode(),
    )


def encode_start(seq: int, at: int, game: int) -> bytes:
    """Encode a `Started` of these fields."""
    return b'{"type":"started","seq":%d,"at":%d,"game":%d}' % (seq, at, game)


def encode_settings(settings: Settings) -> bytes:
    """Encode settings. Nearly all rooms have the default ones, which are encoded once."""
    return _DEFAULT_SETTINGS if settings is DEFAULT_SETTINGS else encode_message(settings)


_DEFAULT_SETTINGS = encode_message(DEFAULT_SETTINGS)


def encode_created(
    seq: int, at: int, settings: Settings, lock: str | None, host: SessionId | None
) -> bytes:
    """Encode a `Created` of these fields."""
    return b'{"type":"created","seq":%d,"at":%d,"settings":%b%b%b}' % (
        seq,
        at,
        encode_settings(settings),
        b"" if lock is None else b',"lock":%b' % to_json(lock),
        b"" if host is None else b',"host":%b' % to_json(host),
    )


def encode_seated(seq: int, at: int, seat: Mark, player: Player) -> bytes:
    """Encode a `Seated` of these fields."""
    return b'{"type":"seated","seq":%d,"at":%d,"seat":"%b","player":%b}' % (
        seq,
        at,
        seat.encode(),
        b"%b}" % _human(player) if isinstance(player, Human) else encode_message(player),
    )


def encode_human_seat(human: Human, connected: bool, away_since: int | None) -> bytes:
    """Encode the `HumanSeat` of a human."""
    since = b"" if away_since is None else b',"away_since":%d' % away_since
    return b'%b,"connected":%b%b}' % (_human(human), _BOOLEANS[connected], since)


def encode_presence(x_is_here: bool, o_is_here: bool, spectators: int) -> bytes:
    """Encode a `Presence` of these fields."""
    return b'{"type":"presence","seats":{"X":%b,"O":%b},"spectators":%d}' % (
        _BOOLEANS[x_is_here],
        _BOOLEANS[o_is_here],
        spectators,
    )


def encode_you(
    *,
    session: SessionId | None,
    role: Role,
    seat: Mark | None,
    name: str,
    token: Token | None,
    from_: SessionId | None,
    is_host: bool,
    watch: Token | None,
) -> bytes:
    """Encode a `You` of these fields."""
    return b'{"id":%b,"role":"%b","seat":%b,"name":%b,"token":%b%b%b%b}' % (
        to_json(session),
        role.encode(),
        _MARKS[seat],
        to_json(name),
        to_json(token),
        b"" if from_ is None else b',"from":%b' % to_json(from_),
        b',"host":true' if is_host else b"",
        b"" if watch is None else b',"watch":%b' % to_json(watch),
    )


def encode_to_act(
    turn: Mark, choosing: Mark | None, choices: tuple[Choice, ...], to_place: int
) -> bytes:
    """Encode the fields of a `Game` that say which seat is to place pieces, or to choose."""
    if choosing is None:
        placing = b',"to_place":%d' % to_place if to_place else b""
        return b'"turn":%b%b' % (_MARKS[turn], placing)
    return b'"turn":%b,"choosing":%b,"choices":%b' % (
        _MARKS[turn],
        _MARKS[choosing],
        to_json(choices),
    )


@dataclass(slots=True)
class StateTemplate:
    """The JSON of a `RoomState` around the fields that each move changes: `seq` and `game`."""

    before: bytes
    between: bytes
    after: bytes

    @classmethod
    def of(  # noqa: PLR0913 - the fields of a state
        cls,
        *,
        name: RoomName,
        status: Status,
        locked: bool,
        settings: bytes,
        seats: tuple[bytes, bytes],
        offers: Offers,
        score: Score,
        spectators: int,
        chat: ChatMode = ChatMode.ALL,
    ) -> "StateTemplate":
        """Make the template of a `RoomState` with these fields; `settings` and `seats` encoded."""
        # Nothing here needs escapes: a room's name has letters, digits and hyphens.
        return cls(
            b'{"name":"%b","seq":' % name.encode(),
            b',"status":"%b","locked":%b,"settings":%b,"seats":{"X":%b,"O":%b},"game":'
            % (status.encode(), _BOOLEANS[locked], settings, *seats),
            b',"offers":{"draw":%b,"takeback":%b,"rematch":%b}'
            b',"score":{"X":%d,"O":%d,"draws":%d},"spectators":%d%b}'
            % (
                _MARKS[offers.draw],
                _MARKS[offers.takeback],
                _MARKS[offers.rematch],
                score.X,
                score.O,
                score.draws,
                spectators,
                b"" if chat is ChatMode.ALL else b',"chat":"%b"' % chat.encode(),
            ),
        )

    def with_game(
        self,
        seq: int,
        number: int,
        board: str,
        moves: tuple[int, ...],
        outcome: Outcome | None,
        clock: Clock | None,
        *,
        to_act: bytes = b"",
    ) -> bytes:
        """Encode the state of a room whose `Game` has these fields.

        `to_act`: by `encode_to_act`, in an opening. Otherwise the sides take turns.
        """
        ply = len(moves)
        return (
            b'%b%d%b{"number":%d,"board":"%b",%b,"ply":%d,"moves":%b,"outcome":%b,"clock":%b}%b'
        ) % (
            self.before,
            seq,
            self.between,
            number,
            board.encode(),
            to_act or (b'"turn":"O"' if ply & 1 else b'"turn":"X"'),
            ply,
            to_json(moves),
            _NULL if outcome is None else _outcome(outcome),
            _NULL if clock is None else encode_message(clock),
            self.after,
        )

    def without_game(self, seq: int) -> bytes:
        """Encode the state of a room in which no game has begun."""
        return b"%b%d%bnull%b" % (self.before, seq, self.between, self.after)


def encode_update(events: Iterable[bytes], room: bytes) -> bytes:
    """Encode an `Update`; each event, and the state of the room, encoded."""
    return b'{"type":"update","events":[%b],"room":%b}' % (b",".join(events), room)


def encode_welcome(
    server: str,
    you: bytes,
    room: bytes,
    at: int | None = None,
    feed: Iterable[bytes] = (),
    muted: tuple[SessionId, ...] = (),
) -> bytes:
    """Encode a `Welcome`; `you`, the state of the room and each `Said` encoded."""
    lines = b",".join(feed)
    return b'{"type":"welcome","protocol":%b,"server":%b,"you":%b%b%b%b,"room":%b}' % (
        _SUBPROTOCOL,
        to_json(server),
        you,
        b"" if at is None else b',"at":%d' % at,
        b',"feed":[%b]' % lines if lines else b"",
        b',"muted":%b' % to_json(muted) if muted else b"",
        room,
    )


@lru_cache(maxsize=1024)  # the games of a small board end in few ways
def _outcome(outcome: Outcome) -> bytes:
    return encode_message(outcome)


def _human(human: Human) -> bytes:
    """Encode the fields of a `Human`, without the end."""
    return b'{"kind":"human","id":%b,"name":%b%b' % (
        to_json(human.id),
        to_json(human.name),
        b',"bot":true' if human.bot else b"",
    )
