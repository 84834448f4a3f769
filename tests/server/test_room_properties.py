"""Whatever anybody does, in whatever order: what is always true of a room."""

from collections import Counter
from collections.abc import Callable

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.server.rooms import ADA, BOB, EVE, FOUR_IN_A_ROW, MINIMAX, NAME, NOW
from ttt_protocol.codec import decode_event, encode_event, encode_message
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Accept, Decline, Join, Leave, Offer, Play, Resign
from ttt_protocol.events import Ended, Event, Played, Seated, Started, TakenBack
from ttt_protocol.state import (
    Ai,
    BySeat,
    Human,
    Mark,
    OfferKind,
    Player,
    Rules,
    Score,
    SeatSettings,
    SessionId,
    Settings,
    Status,
)
from ttt_server.room import (
    Decision,
    PlayerCommand,
    Refused,
    Room,
    admit,
    create,
    decide,
    evolve,
    evolve_all,
    forfeit,
    next_game,
    play,
)
from ttt_server.view import room_state

RULES = st.sampled_from(
    [Rules(), Rules(columns=4), Rules(gravity=True), Rules(rows=4, in_a_row=4), FOUR_IN_A_ROW]
)
SEATS = st.sampled_from(["human", MINIMAX])
SESSIONS = st.sampled_from([ADA, BOB, EVE])
ANYONE = st.sampled_from([ADA, BOB, EVE, None])
KINDS = st.sampled_from(OfferKind)
GAMES = st.integers(1, 3)
NEAR = st.sampled_from([0, 0, 0, 0, 0, -1, 1, 2**64])
"""What one adds to a number to be wrong now and then."""


def wire(room: Room) -> bytes:
    return encode_message(room_state(room, BySeat(X=True, O=True), 0))


class AnyRoom(RuleBasedStateMachine):
    """A room, its whole log, and what an onlooker counts along."""

    def __init__(self) -> None:
        super().__init__()
        self.room = Room(NAME)
        self.log: list[Event] = []
        self.is_over = True
        self.number = 0
        self.wins: Counter[SessionId | None] = Counter()
        self.draws = 0

    @initialize(rules=RULES, x=SEATS, o=SEATS, games=GAMES)
    def begin(self, rules: Rules, x: str, o: str, games: int) -> None:
        seats = SeatSettings(X=x, O=o)  # type: ignore[arg-type]  # both kinds are good
        given = Settings(rules=rules, seats=seats, games=games)
        self.commit(create(NAME, given, NOW))

    @rule(session=SESSIONS, seat=st.sampled_from([None, *Mark]))
    def join(self, session: SessionId, seat: Mark | None) -> None:
        if self.room.seat_of(session) is None:  # a session is new whenever there is no token
            join = Join(name="someone", seat=seat)
            self.attempt(lambda: admit(self.room, session, join, NOW))

    @rule(session=SESSIONS)
    def return_(self, session: SessionId) -> None:
        join = Join(token="theirs")
        before = self.room
        code = self.attempt(lambda: admit(self.room, session, join, NOW))
        assert self.room is before
        assert (code is None) == (before.seat_of(session) is not None)

    @rule(session=ANYONE, game=NEAR, ply=NEAR, cell=st.integers(-1, 42), data=st.data())
    def play(
        self, session: SessionId | None, game: int, ply: int, cell: int, data: st.DataObject
    ) -> None:
        current = self.room.game
        if current is not None:
            game, ply = game + current.number, ply + current.ply
            legal = current.position.legal_moves
            is_legal = data.draw(st.booleans(), label="is legal")
            if legal and is_legal:
                cell = data.draw(st.sampled_from(legal), label="cell")
        self.command(session, Play(game=game, ply=ply, cell=cell))

    @precondition(lambda self: self.room.status is Status.PLAYING)
    @rule(data=st.data())
    def play_on(self, data: st.DataObject) -> None:
        """A legal move of whoever has the turn: games have to end, too."""
        game = self.room.game
        assert game is not None
        cell = data.draw(st.sampled_from(game.position.legal_moves), label="cell")
        command = Play(game=game.number, ply=game.ply, cell=cell)
        assert self.attempt(lambda: play(self.room, game.turn, command, NOW)) is None

    @rule(session=ANYONE, near=NEAR)
    def resign(self, session: SessionId | None, near: int) -> None:
        self.command(session, Resign(game=self.number + near))

    @rule(session=ANYONE, kind=KINDS)
    def offer(self, session: SessionId | None, kind: OfferKind) -> None:
        self.command(session, Offer(kind=kind))
        if session is not None and (seat := self.room.seat_of(session)):
            answered = isinstance(self.log[-1], TakenBack | Started | Ended)
            if self.room.offers[kind] is seat and not answered:
                before = self.room
                assert self.command(session, Offer(kind=kind)) is None
                assert self.room is before, "the same offer again is no event"

    @rule(session=ANYONE, kind=KINDS)
    def accept(self, session: SessionId | None, kind: OfferKind) -> None:
        self.command(session, Accept(kind=kind))

    @rule(session=ANYONE, kind=KINDS)
    def decline(self, session: SessionId | None, kind: OfferKind) -> None:
        self.command(session, Decline(kind=kind))

    @rule(session=ANYONE)
    def leave(self, session: SessionId | None) -> None:
        assert self.command(session, Leave()) is None
        assert self.room.seat_of(session) is None

    @precondition(lambda self: self.room.ai_to_move is not None)
    @rule()
    def fail(self) -> None:
        seat = self.room.ai_to_move
        assert seat is not None
        self.commit(forfeit(self.room, seat, NOW))

    @precondition(lambda self: self.room.next_game_due)
    @rule()
    def go_on(self) -> None:
        self.commit(next_game(self.room, NOW))

    @invariant()
    def two_seats_and_a_status(self) -> None:
        room = self.room
        humans = [p.id for p in (room.seats.X, room.seats.O) if isinstance(p, Human)]
        assert len(humans) == len(set(humans)), "nobody plays against themselves"
        full = room.seats.X is not None and room.seats.O is not None
        assert (room.status is Status.WAITING) == (not full or room.game is None)
        assert (room.status is Status.PLAYING) == (not self.is_over)

    @invariant()
    def offers_are_of_players_and_have_their_time(self) -> None:
        room = self.room
        for kind in OfferKind:
            if room.offers[kind] is not None:
                due = Status.FINISHED if kind is OfferKind.REMATCH else Status.PLAYING
                assert room.status is due

    @invariant()
    def the_score_goes_with_the_players(self) -> None:
        score = self.room.score
        assert score.draws == self.draws
        assert self.wins.total() == score.X + score.O
        if self.room.seats.full:
            assert self.room.score == self.counted

    @property
    def counted(self) -> Score:
        """The score as counted by player, where they can be told apart."""
        score, seats = self.room.score, self.room.seats
        if isinstance(seats.X, Ai) and isinstance(seats.O, Ai):
            return score
        assert seats.X is not None
        assert seats.O is not None
        return Score(X=self.wins[seats.X.id], O=self.wins[seats.O.id], draws=self.draws)

    def teardown(self) -> None:
        """The log alone says all."""
        assert evolve_all(Room(NAME), self.log) == self.room
        stored = [decode_event(encode_event(event)) for event in self.log]
        assert stored == self.log
        assert wire(evolve_all(Room(NAME), stored)) == wire(self.room)

    def command(self, session: SessionId | None, command: PlayerCommand) -> RefusalCode | None:
        before = self.room
        code = self.attempt(lambda: decide(self.room, session, command, NOW))
        if before.seat_of(session) is None and not isinstance(command, Leave):
            assert code is RefusalCode.NOT_A_PLAYER
        return code

    def attempt(self, decision: Callable[[], Decision]) -> RefusalCode | None:
        """How it was refused, if it was; then nothing has changed."""
        before, told = self.room, wire(self.room)
        try:
            events = decision()
        except Refused as refused:
            assert self.room is before
            assert wire(self.room) == told
            return refused.code
        self.commit(events)
        return None

    def commit(self, events: Decision) -> None:
        before = self.room.seq
        for event in events:
            assert event.seq == self.room.seq + 1
            self.count(event)
            self.room = evolve(self.room, event)
            self.log.append(event)
        assert self.room.seq == before + len(events) == len(self.log)

    def count(self, event: Event) -> None:
        """What an onlooker notes before the event."""
        match event:
            case Seated(seat=seat):
                assert self.room.seats[seat] is None
                self.wins.clear()
                self.draws = 0
            case Started(game=number):
                assert self.is_over
                assert self.room.seats.full
                assert number == self.number + 1
                self.number, self.is_over = number, False
            case Played(game=number) | TakenBack(game=number):
                assert not self.is_over, "nothing is played after an outcome"
                assert number == self.number
            case Ended(game=number, outcome=outcome):
                assert not self.is_over
                assert number == self.number
                self.is_over = True
                if outcome.winner is None:
                    self.draws += 1
                else:
                    self.wins[self.key(self.room.seats[outcome.winner])] += 1
            case _:
                pass

    def key(self, player: Player | None) -> SessionId | None:
        assert player is not None
        return player.id


TestAnyRoom = AnyRoom.TestCase
TestAnyRoom.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)
