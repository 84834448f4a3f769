"""A room as a value: what may happen in it, and what it is after something happened.

`decide` looks at a room and a command and returns the events that follow, or raises `Refused`;
`evolve` applies one event. Neither knows a clock, a socket or a store: times and ids come in as
arguments. A room is the fold of `evolve` over its log, so restoring one and following one are the
same thing.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import assert_never

from ttt_engine import CellTaken, FloatingCell, OutOfBoard, Position, Rules
from ttt_protocol.codes import REASONS, Reason, RefusalCode
from ttt_protocol.commands import (
    Accept,
    Claim,
    Decline,
    Fill,
    Join,
    Leave,
    Offer,
    Play,
    Resign,
)
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
)

Decision = tuple[Event, ...]
"""What follows from a command, in order; empty if nothing does."""

PlayerCommand = Play | Resign | Offer | Accept | Decline | Claim | Fill | Leave
"""The commands that may change a room that one has joined."""


class Refused(Exception):
    """The command is not carried out and nothing has changed.

    `legal` holds the cells that could be played instead. With `shows_room`, the refusal should
    carry the state, as the sender has an old one.
    """

    def __init__(
        self,
        code: RefusalCode,
        reason: str | None = None,
        *,
        legal: tuple[int, ...] | None = None,
        shows_room: bool = False,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.reason = reason or REASONS[code]
        self.legal = legal
        self.shows_room = shows_room


class InvalidLog(Exception):
    """Events that no room can have had: our fault or the disk's, never a client's."""


@dataclass(frozen=True, slots=True)
class Game:
    """One game, from the empty board to its outcome. `moves`: the cells played, in order."""

    number: int
    position: Position
    moves: tuple[int, ...] = ()
    outcome: Outcome | None = None

    @property
    def ply(self) -> int:
        return len(self.moves)

    @property
    def turn(self) -> Mark:
        return _mover(self.ply)


@dataclass(frozen=True, slots=True)
class Seats:
    """Who sits where."""

    X: Player | None = None
    O: Player | None = None  # noqa: E741 - its name on the wire

    def __getitem__(self, mark: Mark) -> Player | None:
        return self.X if mark is Mark.X else self.O

    def with_(self, mark: Mark, player: Player | None) -> "Seats":
        return replace(self, **{mark.value: player})

    @property
    def full(self) -> bool:
        return self.X is not None and self.O is not None


@dataclass(frozen=True, slots=True)
class Room:
    """Two seats, settings and a series of games, as of event number `seq`."""

    name: RoomName
    seq: int = 0
    settings: Settings = field(default_factory=Settings)
    seats: Seats = Seats()
    game: Game | None = None
    offers: Offers = Offers()
    score: Score = Score()
    met: bool = False
    """Whether the two who sit here have begun a game against each other."""

    @property
    def status(self) -> Status:
        if not self.seats.full or self.game is None:
            return Status.WAITING
        return Status.PLAYING if self.game.outcome is None else Status.FINISHED

    @property
    def free_seats(self) -> tuple[Mark, ...]:
        return tuple(mark for mark in Mark if self.seats[mark] is None)

    def seat_of(self, session: SessionId | None) -> Mark | None:
        """Where this session sits; null for one that does not."""
        if session is not None:
            for mark in Mark:
                player = self.seats[mark]
                if player is not None and player.id == session:
                    return mark
        return None

    @property
    def ai_to_move(self) -> Mark | None:
        """The seat whose AI must move now."""
        if self.game is None or self.status is not Status.PLAYING:
            return None
        turn = self.game.turn
        return turn if isinstance(self.seats[turn], Ai) else None

    @property
    def next_game_due(self) -> bool:
        """Whether a series of AI against AI goes on by itself."""
        return (
            self.status is Status.FINISHED
            and self.game is not None
            and self.game.number < self.settings.games
            and isinstance(self.seats.X, Ai)
            and isinstance(self.seats.O, Ai)
        )


def create(name: RoomName, settings: Settings, now: int) -> Decision:
    """A new room with its AI seats filled; it begins at once if both are. `now`: Unix ms."""
    log = _Log(Room(name), now)
    log.add(Created(seq=log.seq, at=now, settings=settings))
    for mark in Mark:
        setting = settings.seats[mark]
        if setting != "human":
            ai = Ai(name=setting.strategy, strategy=setting.strategy, level=setting.level)
            log.add(Seated(seq=log.seq, at=now, seat=mark, player=ai))
    log.begin_if_full()
    return log.events


def admit(room: Room, session: SessionId, join: Join, now: int) -> Decision:
    """Seats a player, in the seat that `join` wants or the first free one; no event on a return.

    `session` is the one that the token names, if there is a token, and else a new one.

    Raises:
        Refused: `bad_token`, `seat_taken`, `room_full`.
    """
    if join.token is not None:
        if room.seat_of(session) is None:
            raise Refused(RefusalCode.BAD_TOKEN)
        return ()
    free = room.free_seats
    if not free:
        full = join.seat is None or room.settings.seats.all_ai
        raise Refused(RefusalCode.ROOM_FULL if full else RefusalCode.SEAT_TAKEN)
    if join.seat is not None and join.seat not in free:
        raise Refused(RefusalCode.SEAT_TAKEN)
    log = _Log(room, now)
    player = Human(id=session, name=join.name)
    log.add(Seated(seq=log.seq, at=now, seat=join.seat or free[0], player=player))
    log.begin_if_full()
    return log.events


def decide(room: Room, session: SessionId | None, command: PlayerCommand, now: int) -> Decision:
    """What follows if `session` gives this command at `now` (Unix ms). Empty: it was so already.

    Raises:
        Refused: with the first refusal of the contract that applies.
    """
    seat = room.seat_of(session)
    if seat is None:
        if isinstance(command, Leave):
            return ()
        raise Refused(RefusalCode.NOT_A_PLAYER)
    match command:
        case Play():
            return play(room, seat, command, now)
        case Resign(game=number):
            _running(room, number)
            return _end(room, Reason.RESIGNATION, seat.other, now)
        case Offer(kind=kind):
            return _offer(room, seat, kind, now)
        case Accept(kind=kind):
            _open_offer(room, seat, kind)
            return _agree(room, seat.other, kind, now)
        case Decline(kind=kind):
            _open_offer(room, seat, kind)
            return (Declined(seq=room.seq + 1, at=now, kind=kind, seat=seat),)
        case Claim(game=number):
            _running(room, number)
            raise Refused(RefusalCode.NOT_ALLOWED, "claiming a game is not offered yet")
        case Fill():
            raise Refused(RefusalCode.NOT_ALLOWED, "filling a seat is not offered yet")
        case Leave():
            return _leave(room, seat, now)
        case _:
            assert_never(command)


def play(room: Room, seat: Mark, command: Play, now: int, reason: str | None = None) -> Decision:
    """The move, and the end of the game if it is one. `reason`: an AI's own word for it.

    The same move sent again is no event. The order of the checks is the contract's.
    """
    game = _current(room, command.game)
    if _is_repeat(game, seat, command):
        return ()
    if game.outcome is not None:
        raise Refused(RefusalCode.GAME_OVER, shows_room=True)
    if command.ply != game.ply:
        raise Refused(RefusalCode.STALE_PLY, shows_room=True)
    if game.turn is not seat:
        raise Refused(RefusalCode.NOT_YOUR_TURN, shows_room=True)
    after = _after(game.position, command.cell)
    played = Played(
        seq=room.seq + 1,
        at=now,
        game=game.number,
        ply=game.ply,
        seat=seat,
        cell=command.cell,
        reason=reason,
    )
    outcome = after.outcome()
    if outcome is None:
        return (played,)
    ended = Ended(
        seq=room.seq + 2,
        at=now,
        game=game.number,
        outcome=Outcome(
            winner=seat if outcome.winner else None,
            reason=Reason.LINE if outcome.winner else Reason.FULL,
            line=outcome.line,
        ),
    )
    return played, ended


def forfeit(room: Room, seat: Mark, now: int) -> Decision:
    """The end of the running game by `seat`'s failure to move."""
    return _end(room, Reason.FORFEIT, seat.other, now)


def next_game(room: Room, now: int) -> Decision:
    """The next game of the series."""
    number = 1 if room.game is None else room.game.number + 1
    return (Started(seq=room.seq + 1, at=now, game=number),)


def evolve(room: Room, event: Event) -> Room:
    """The room after `event`.

    Raises:
        InvalidLog: if `decide` cannot have given this event here.
    """
    if event.seq != room.seq + 1:
        raise InvalidLog(f"{room.name}: event {event.seq} follows {room.seq}")
    return replace(_evolved(room, event), seq=event.seq)


def evolve_all(room: Room, events: Iterable[Event]) -> Room:
    """The room after all of `events`."""
    return reduce(evolve, events, room)


def _evolved(room: Room, event: Event) -> Room:
    match event:
        case Created(settings=settings):
            return replace(room, settings=settings)
        case Seated(seat=seat, player=player):
            sitting = replace(room, seats=room.seats.with_(seat, player), offers=Offers())
            # One who takes an empty seat begins a series of their own.
            return sitting if room.seats[seat] else replace(sitting, met=False, score=Score())
        case Left(seat=seat):
            return replace(room, seats=room.seats.with_(seat, None), offers=Offers())
        case Started(game=number):
            fresh = replace(
                room,
                game=Game(number, Position.start(_engine_rules(room.settings))),
                offers=Offers(),
                met=True,
            )
            return _with_sides_changed(fresh) if room.met else fresh
        case Played(cell=cell):
            game = _game(room)
            moved = replace(game, position=game.position.play(cell), moves=(*game.moves, cell))
            return replace(room, game=moved, offers=_lapsed(room.offers))
        case Offered(kind=kind, seat=seat):
            return replace(room, offers=room.offers.model_copy(update={kind.value: seat}))
        case Declined(kind=kind):
            return replace(room, offers=room.offers.model_copy(update={kind.value: None}))
        case TakenBack(ply=ply):
            game = _game(room)
            moves = game.moves[:ply]
            start = Position.start(game.position.rules)
            back = replace(game, position=reduce(Position.play, moves, start), moves=moves)
            return replace(room, game=back, offers=_lapsed(room.offers))
        case Ended(outcome=outcome):
            return replace(
                room,
                game=replace(_game(room), outcome=outcome),
                offers=Offers(),
                score=_counted(room.score, outcome),
            )
        case _:
            assert_never(event)


class _Log:
    """Events as they are decided, each on top of the ones before it."""

    def __init__(self, room: Room, now: int) -> None:
        self.room = room
        self.now = now
        self.events: Decision = ()

    @property
    def seq(self) -> int:
        """The number of the next event."""
        return self.room.seq + 1

    def add(self, *events: Event) -> None:
        self.room = evolve_all(self.room, events)
        self.events += events

    def begin_if_full(self) -> None:
        if self.room.seats.full:
            self.add(*next_game(self.room, self.now))


def _mover(ply: int) -> Mark:
    return Mark.O if ply % 2 else Mark.X


def _engine_rules(settings: Settings) -> Rules:
    rules = settings.rules
    return Rules(rules.columns, rules.rows, rules.in_a_row, rules.gravity)


def _after(position: Position, cell: int) -> Position:
    try:
        return position.play(cell)
    except OutOfBoard:
        code = RefusalCode.OUT_OF_BOARD
    except CellTaken:
        code = RefusalCode.CELL_TAKEN
    except FloatingCell:
        code = RefusalCode.FLOATING_CELL
    raise Refused(code, legal=position.legal_moves)


def _current(room: Room, number: int) -> Game:
    if room.game is None:
        raise Refused(RefusalCode.GAME_NOT_STARTED)
    if number != room.game.number:
        raise Refused(RefusalCode.WRONG_GAME, shows_room=True)
    return room.game


def _game(room: Room) -> Game:
    if room.game is None:
        raise InvalidLog(f"{room.name}: event {room.seq + 1} is of a game that never started")
    return room.game


def _running(room: Room, number: int) -> Game:
    game = _current(room, number)
    if game.outcome is not None:
        raise Refused(RefusalCode.GAME_OVER, shows_room=True)
    return game


def _is_repeat(game: Game, seat: Mark, command: Play) -> bool:
    return (
        0 <= command.ply < game.ply
        and game.moves[command.ply] == command.cell
        and _mover(command.ply) is seat
    )


def _end(room: Room, reason: Reason, winner: Mark | None, now: int) -> Decision:
    outcome = Outcome(winner=winner, reason=reason)
    return (Ended(seq=room.seq + 1, at=now, game=_game(room).number, outcome=outcome),)


def _leave(room: Room, seat: Mark, now: int) -> Decision:
    log = _Log(room, now)
    if room.status is Status.PLAYING:
        log.add(*_end(room, Reason.RESIGNATION, seat.other, now))
    log.add(Left(seq=log.seq, at=now, seat=seat))
    return log.events


def _offer(room: Room, seat: Mark, kind: OfferKind, now: int) -> Decision:
    _may_offer(room, seat, kind)
    if room.offers[kind] is seat:
        return ()
    if room.offers[kind] is seat.other:
        return _agree(room, seat.other, kind, now)
    offered = Offered(seq=room.seq + 1, at=now, kind=kind, seat=seat)
    if not isinstance(room.seats[seat.other], Ai):
        return (offered,)
    if kind is OfferKind.DRAW:
        raise Refused(RefusalCode.NOT_ALLOWED, "AI players do not talk about draws yet")
    return offered, *_agree(evolve(room, offered), seat, kind, now)


def _may_offer(room: Room, seat: Mark, kind: OfferKind) -> None:
    if room.game is None:
        raise Refused(RefusalCode.GAME_NOT_STARTED)
    if kind is OfferKind.REMATCH:
        if room.status is not Status.FINISHED:
            raise Refused(RefusalCode.NOT_ALLOWED, "a rematch is for when the game is over")
        return
    game = _running(room, room.game.number)
    if kind is OfferKind.TAKEBACK and _own_last_ply(game, seat) < 0:
        raise Refused(RefusalCode.NOT_ALLOWED, "you have no move to take back")


def _open_offer(room: Room, seat: Mark, kind: OfferKind) -> None:
    if room.offers[kind] is not seat.other:
        raise Refused(RefusalCode.NO_SUCH_OFFER)


def _agree(room: Room, offerer: Mark, kind: OfferKind, now: int) -> Decision:
    match kind:
        case OfferKind.DRAW:
            return _end(room, Reason.AGREEMENT, None, now)
        case OfferKind.TAKEBACK:
            game = _game(room)
            ply = _own_last_ply(game, offerer)
            return (TakenBack(seq=room.seq + 1, at=now, game=game.number, ply=ply),)
        case OfferKind.REMATCH:
            return next_game(room, now)
        case _:
            assert_never(kind)


def _own_last_ply(game: Game, seat: Mark) -> int:
    """The ply at which `seat` last moved; negative if it has not."""
    return game.ply - (2 if game.turn is seat else 1)


def _lapsed(offers: Offers) -> Offers:
    """Without the offers that end with a move. Most moves find none."""
    if offers.draw is None and offers.takeback is None:
        return offers
    return offers.model_copy(update={"draw": None, "takeback": None})


def _with_sides_changed(room: Room) -> Room:
    score = room.score
    return replace(
        room,
        seats=Seats(X=room.seats.O, O=room.seats.X),
        score=Score(X=score.O, O=score.X, draws=score.draws),
    )


def _counted(score: Score, outcome: Outcome) -> Score:
    match outcome.winner:
        case None:
            return score.model_copy(update={"draws": score.draws + 1})
        case Mark.X:
            return score.model_copy(update={"X": score.X + 1})
        case Mark.O:
            return score.model_copy(update={"O": score.O + 1})
        case _:
            assert_never(outcome.winner)
