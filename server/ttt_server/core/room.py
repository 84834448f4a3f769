"""A room as a value, and what it is after something happened.

`evolve` applies one event; what may happen is decided in `decide`. Neither knows a clock, a socket
or a store: times and ids come in as arguments. A room is the fold of `evolve` over its log, so
restoring one and following one are the same thing.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, NamedTuple, assert_never

from ttt_engine import Position, Rules
from ttt_protocol.codes import Reason
from ttt_protocol.events import (
    Created,
    Declined,
    Ended,
    Event,
    Left,
    Offered,
    Played,
    Seated,
    Started,
    TakenBack,
)
from ttt_protocol.state import (
    DEFAULT_SETTINGS,
    Ai,
    Human,
    Mark,
    OfferKind,
    Offers,
    Outcome,
    Player,
    RoomName,
    Score,
    SessionId,
    Settings,
    Status,
    TimeLeft,
)
from ttt_server.core import clock
from ttt_server.core.clock import Clock

NO_OFFERS = Offers()
_NO_SCORE = Score()
_MARKS = tuple(Mark)
"""As an enumeration goes through its members slowly."""


class InvalidLog(Exception):
    """Events that no room can have had: our fault or the disk's, never a client's."""


class Game(NamedTuple):
    """One game, from the empty board to its outcome. `moves`: the cells played, in order."""

    number: int
    position: Position
    moves: tuple[int, ...] = ()
    outcome: Outcome | None = None
    clock: Clock | None = None

    @property
    def ply(self) -> int:
        return len(self.moves)

    @property
    def turn(self) -> Mark:
        return mover(self.ply)

    @property
    def running(self) -> Mark | None:
        """Whose clock runs, if there is one; null when the game is over."""
        return self.turn if self.outcome is None else None


@dataclass(frozen=True, slots=True)
class Seats:
    """Who sits where."""

    X: Player | None = None
    O: Player | None = None  # noqa: E741 - its name on the wire
    has_ai: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        has_ai = isinstance(self.X, Ai) or isinstance(self.O, Ai)
        object.__setattr__(self, "has_ai", has_ai)

    def __getitem__(self, mark: Mark) -> Player | None:
        return self.X if mark is Mark.X else self.O

    def with_(self, mark: Mark, player: Player | None) -> "Seats":
        if self[mark] is player:
            return self
        return Seats(player, self.O) if mark is Mark.X else Seats(self.X, player)

    @property
    def swapped(self) -> "Seats":
        return Seats(X=self.O, O=self.X)

    @property
    def full(self) -> bool:
        return self.X is not None and self.O is not None

    @property
    def empty(self) -> bool:
        return self.X is None and self.O is None

    @property
    def all_ai(self) -> bool:
        return isinstance(self.X, Ai) and isinstance(self.O, Ai)

    def of(self, session: SessionId | None) -> Mark | None:
        """Where this session sits; null for one that does not."""
        if session is None:
            return None
        if self.X is not None and self.X.id == session:
            return Mark.X
        if self.O is not None and self.O.id == session:
            return Mark.O
        return None


class Room(NamedTuple):
    """Two seats, settings and a series of games, as of event number `seq`.

    A tuple with names, as one is made for every event: four times faster than a frozen dataclass.
    What a move leaves as it is comes first: these are the `table`, and what it changes follows.
    """

    name: RoomName
    settings: Settings = DEFAULT_SETTINGS
    lock: str | None = None
    """What a password is checked with."""
    seats: Seats = Seats()
    stood_in_for: Seats = Seats()
    """Humans in whose seats an AI sits until they come back."""
    offers: Offers = NO_OFFERS
    score: Score = _NO_SCORE
    met: bool = False
    """Whether the two who sit here have begun a game against each other."""
    seq: int = 0
    game: Game | None = None
    changed_at: int = 0
    """When the last event happened, in Unix ms."""

    def __repr__(self) -> str:
        return f"<room {self.name} at {self.seq}>"  # without the lock

    @property
    def table(self) -> tuple[Any, ...]:
        """All fields before `seq`."""
        return self[:_TABLE]

    @property
    def status(self) -> Status:
        if self.game is None or not self.seats.full:
            return Status.WAITING
        return Status.PLAYING if self.game.outcome is None else Status.FINISHED

    @property
    def free_seats(self) -> tuple[Mark, ...]:
        seats = self.seats
        return tuple(mark for mark in _MARKS if seats[mark] is None)

    def seat_of(self, session: SessionId | None) -> Mark | None:
        """Where this session sits; null for one that does not."""
        return self.seats.of(session)

    def has_place_of(self, session: SessionId) -> bool:
        """Whether this session sits here, or an AI sits in for it."""
        return self.seats.of(session) is not None or self.stood_in_for.of(session) is not None

    @property
    def ai_to_move(self) -> Mark | None:
        """The seat whose AI must move now."""
        game = self.game
        if game is None or game.outcome is not None:
            return None
        turn = mover(len(game.moves))
        return turn if isinstance(self.seats[turn], Ai) and self.seats.full else None

    @property
    def ai_to_answer(self) -> Mark | None:
        """The seat whose AI has been offered a draw."""
        offerer = self.offers.draw
        if offerer is None or not isinstance(self.seats[offerer.other], Ai):
            return None
        return offerer.other

    @property
    def next_game_due(self) -> bool:
        """Whether a series of AI against AI goes on by itself."""
        return (
            self.game is not None
            and self.game.number < self.settings.games
            and self.status is Status.FINISHED
            and isinstance(self.seats.X, Ai)
            and isinstance(self.seats.O, Ai)
        )

    @property
    def flag_falls_at(self) -> int | None:
        """When the side to move has no time left, in Unix ms; null without a running clock."""
        game = self.game
        if game is None or game.clock is None or self.status is not Status.PLAYING:
            return None
        return game.clock.falls_at(game.turn)

    def with_clock_shifted(self, by: int) -> "Room":
        """With `by` ms, in which nobody could play, given back to the side to move."""
        if self.game is None or self.game.clock is None:
            return self
        return self._replace(game=self.game._replace(clock=self.game.clock.shifted(by)))


_TABLE = Room._fields.index("seq")


def mover(ply: int) -> Mark:
    """Who moves after so many moves."""
    return Mark.O if ply % 2 else Mark.X


def engine_rules(settings: Settings) -> Rules:
    """The board of the settings, as the engine knows it."""
    rules = settings.rules
    return _rules(rules.columns, rules.rows, rules.in_a_row, rules.gravity)


_rules = lru_cache(maxsize=64)(Rules)
"""Nearly all rooms have one of a few boards."""


def evolve(room: Room, event: Event) -> Room:
    """The room after `event`.

    Raises:
        InvalidLog: if `decide` cannot have given this event here.
    """
    if event.seq != room.seq + 1:
        raise InvalidLog(f"{room.name}: event {event.seq} follows {room.seq}")
    if isinstance(event, Played):  # nearly all are, and nothing is made twice for them
        return _played(room, event)
    return room._replace(seq=event.seq, changed_at=event.at, **_changes(room, event))


def evolve_all(room: Room, events: Iterable[Event]) -> Room:
    """The room after all of `events`."""
    for event in events:
        room = evolve(room, event)
    return room


def game_of(room: Room) -> Game:
    """The game that an event is of.

    Raises:
        InvalidLog: if none has started.
    """
    if room.game is None:
        raise InvalidLog(f"{room.name}: event {room.seq + 1} is of a game that never started")
    return room.game


@cache  # bounded: of three kinds of offers, by two seats
def with_offer(offers: Offers, kind: OfferKind, seat: Mark | None) -> Offers:
    """With the offer of this kind made by `seat`, or with none. No offers are `NO_OFFERS`."""
    after = offers.model_copy(update={kind.value: seat})
    return NO_OFFERS if after == NO_OFFERS else after


def counted(score: Score, outcome: Outcome) -> Score:
    """With one more game that ended so."""
    match outcome.winner:
        case None if outcome.reason is Reason.ABANDONMENT:
            return score  # both have left it: it is nobody's, and no draw
        case None:
            return _score(score.X, score.O, score.draws + 1)
        case Mark.X:
            return _score(score.X + 1, score.O, score.draws)
        case Mark.O:
            return _score(score.X, score.O + 1, score.draws)
        case _:
            assert_never(outcome.winner)


def swapped(score: Score) -> Score:
    """When the two have changed sides."""
    return _score(score.O, score.X, score.draws)


def _changes(
    room: Room,
    event: Created | Seated | Left | Started | Offered | Declined | TakenBack | Ended,
) -> dict[str, Any]:
    """The fields of the room that are others after `event`."""
    match event:  # the most frequent first
        case Ended(outcome=outcome, clock=left, at=at):
            number, position, moves, _, _ = game_of(room)
            over = Game(number, position, moves, outcome, _clock(left, at))
            return {"game": over, "offers": NO_OFFERS, "score": counted(room.score, outcome)}
        case Offered(kind=kind, seat=seat):
            return {"offers": with_offer(room.offers, kind, seat)}
        case Started():
            return _started(room, event)
        case Created(settings=settings, lock=lock):
            fixed = settings if settings is room.settings else _shared(settings)
            return {"settings": fixed, "lock": lock}
        case Seated():
            return _seated(room, event)
        case Left(seat=seat):
            return {
                "seats": room.seats.with_(seat, None),
                "stood_in_for": room.stood_in_for.with_(seat, None),
                "offers": NO_OFFERS,
            }
        case Declined(kind=kind):
            return {"offers": with_offer(room.offers, kind, None)}
        case TakenBack(ply=ply, clock=left, at=at):
            game = game_of(room)
            back = game._replace(
                position=Position.after(game.moves[:ply], game.position.rules),
                moves=game.moves[:ply],
                clock=_clock(left, at),
            )
            return {"game": back, "offers": _lapsed(room.offers)}
        case _:
            assert_never(event)


def _seated(room: Room, event: Seated) -> dict[str, Any]:
    seat, player, before = event.seat, event.player, room.seats[event.seat]
    # An AI sits in for a human, who may come back; a human in the seat is nobody's stand-in.
    absent = room.stood_in_for[seat]
    if isinstance(before, Human):
        absent = before
    if isinstance(player, Human):
        absent = None
    sitting = {
        "seats": room.seats.with_(seat, player),
        "stood_in_for": room.stood_in_for.with_(seat, absent),
        "offers": NO_OFFERS,
    }
    # One who takes an empty seat begins a series of their own.
    return sitting | {"met": False, "score": _NO_SCORE} if before is None else sitting


def _started(room: Room, event: Started) -> dict[str, Any]:
    setting = room.settings.clock
    rules = engine_rules(room.settings) if room.game is None else room.game.position.rules
    game = Game(
        event.game,
        Position.start(rules),
        clock=None if setting is None else clock.start(setting, event.at),
    )
    begun = {"game": game, "offers": NO_OFFERS}
    if not room.met:
        return begun | {"met": True}
    absent = room.stood_in_for
    return begun | {
        "seats": room.seats.swapped,
        "stood_in_for": absent if absent.empty else absent.swapped,
        "score": swapped(room.score),
    }


def _played(room: Room, event: Played) -> Room:
    number, position, moves, outcome, _ = game_of(room)
    cell, left, at = event.cell, event.clock, event.at
    since = None if left is None else Clock(left, at)
    moved = Game(number, position.play(cell), (*moves, cell), outcome, since)
    if room.offers is not NO_OFFERS:
        room = room._replace(offers=_lapsed(room.offers))
    return Room._make((*room.table, event.seq, moved, at))  # as `_replace`, in half the time


@lru_cache(maxsize=1024)
def _shared(settings: Settings) -> Settings:
    """One object for all rooms with such settings, be it that they were read from a log."""
    return settings


def _clock(left: TimeLeft | None, since: int) -> Clock | None:
    return None if left is None else Clock(left, since)


def _lapsed(offers: Offers) -> Offers:
    """Without the offers that end with a move."""
    return with_offer(with_offer(offers, OfferKind.DRAW, None), OfferKind.TAKEBACK, None)


@lru_cache(maxsize=1024)  # most series are short, and come to the same scores
def _score(x: int, o: int, draws: int) -> Score:
    return Score(X=x, O=o, draws=draws)
