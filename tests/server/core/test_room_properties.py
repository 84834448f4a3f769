"""The invariants of a room, after any commands in any order."""

from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.server.examples import ADA, BOB, EVE, FOUR_IN_A_ROW, MINIMAX, NAME, NOW, checked
from tests.server.oracle import AI, Onlooker
from ttt_engine import Mark as EngineMark
from ttt_engine.learning.memory import Lesson
from ttt_protocol.codec import decode_log, encode_log, encode_message
from ttt_protocol.codes import Reason, RefusalCode
from ttt_protocol.commands import Accept, Claim, Decline, Fill, Join, Leave, Offer, Play, Resign
from ttt_protocol.events import Ended, Event, Played, Started, TakenBack
from ttt_protocol.state import (
    ClockSetting,
    Human,
    Mark,
    OfferKind,
    Rules,
    SeatSettings,
    SessionId,
    Settings,
    Status,
)
from ttt_server.core.archive.imported_games import imported, missing_games
from ttt_server.core.archive.saved_room import restore, save
from ttt_server.core.decide import PlayerCommand, accept, decide, decline
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import Decision, evolve_all
from ttt_server.core.game_record import exported_games
from ttt_server.core.lessons import lesson_of, read_lessons
from ttt_server.core.play import end, fallen_flag, next_game, play, time_left
from ttt_server.core.room import Room
from ttt_server.core.seating import admit, create
from ttt_server.core.snapshot import Here, StateEncoder, room_state

RULES = st.sampled_from(
    [Rules(), Rules(columns=4), Rules(gravity=True), Rules(rows=4, in_a_row=4), FOUR_IN_A_ROW]
)
SEATS = st.sampled_from(["human", "human", MINIMAX])
CLOCKS = st.sampled_from(
    [None, ClockSetting(initial_s=5), ClockSetting(initial_s=4, increment_s=0.5)]
)
SESSIONS = st.sampled_from([ADA, BOB, EVE])
Who = Mark | SessionId | None
ANYONE = st.sampled_from([*Mark, *Mark, *Mark, ADA, BOB, EVE, None])
"""The player of a seat, or a session that may have none."""
KINDS = st.sampled_from(OfferKind)
GAMES = st.integers(1, 3)
GUESTS = st.sampled_from([(ADA, BOB), (BOB, ADA), (EVE,), ()])
RARELY = st.sampled_from([False] * 9 + [True])
"""For what ends a game: most of them should go on for a while."""
GRACE_MS = 500
PAUSES = st.sampled_from([1, 100, 100, GRACE_MS - 1, GRACE_MS, 5000])
NEAR = st.sampled_from([0, 0, 0, 0, 0, -1, 1, 2**64])
"""What one adds to a number to be wrong now and then."""


class AnyRoom(RuleBasedStateMachine):
    """A room, its whole log, and an onlooker. Time passes between commands."""

    def __init__(self) -> None:
        super().__init__()
        self.room = Room(NAME)
        self.log: list[Event] = []
        self.lessons: list[Lesson] = []
        self.now = NOW
        self.gone: dict[SessionId, int] = {}
        self.view = StateEncoder()
        """Who sits here without a connection, and since when."""
        self.paper = Onlooker(Settings())

    @initialize(rules=RULES, x=SEATS, o=SEATS, games=GAMES, clock=CLOCKS, guests=GUESTS)
    def begin(
        self,
        rules: Rules,
        x: str,
        o: str,
        games: int,
        clock: ClockSetting | None,
        guests: tuple[SessionId, ...],
    ) -> None:
        given = Settings(
            rules=rules,
            seats=SeatSettings(X=x, O=o),  # type: ignore[arg-type]  # both kinds are good
            games=games,
            clock=clock,
            grace_s=GRACE_MS / 1000,
        )
        self.paper = Onlooker(given)
        self.commit(create(NAME, given, self.now))
        for session in guests:
            self.join(session, None)

    @rule(ms=PAUSES)
    def pause(self, ms: int) -> None:
        self.now += ms

    @rule(session=SESSIONS)
    def go(self, session: SessionId) -> None:
        """Their connection ends, if they have one."""
        if self.room.seats.of(session) is not None:
            self.gone.setdefault(session, self.now)

    @rule(session=SESSIONS, seat=st.sampled_from([None, *Mark]))
    def join(self, session: SessionId, seat: Mark | None) -> None:
        if not self.room.has_place_of(session):  # a session is new whenever there is no token
            join = Join(name="someone", seat=seat)
            is_free = seat not in self.paper.sitting and len(self.paper.sitting) < 2
            code = self.attempt(lambda: admit(self.room, session, join, self.now))
            assert (code is None) == is_free

    @rule(session=SESSIONS)
    def return_(self, session: SessionId) -> None:
        owns_seat = session in self.paper.owners.values()
        self.gone.pop(session, None)
        join = Join(token="theirs")
        code = self.attempt(lambda: admit(self.room, session, join, self.now))
        assert (code is None) == owns_seat
        assert (self.room.seats.of(session) is not None) == owns_seat

    @rule(who=ANYONE, game=NEAR, ply=NEAR, cell=st.integers(-1, 42), data=st.data())
    def play(self, who: Who, game: int, ply: int, cell: int, data: st.DataObject) -> None:
        current = self.room.game
        if current is not None:
            game, ply = game + current.number, ply + current.ply
            candidates = data.draw(
                st.sampled_from([(), current.position.legal_moves, current.moves]), label="cells"
            )
            if candidates:
                cell = data.draw(st.sampled_from(candidates), label="cell")
        self.command(who, Play(game=game, ply=ply, cell=cell))

    @precondition(lambda self: self.room.status is Status.PLAYING)
    @rule(data=st.data())
    def play_on(self, data: st.DataObject) -> None:
        """A legal move of the side to move: games have to end, too."""
        game = self.room.game
        assert game is not None
        cell = data.draw(st.sampled_from(game.position.legal_moves), label="cell")
        command = Play(game=game.number, ply=game.ply, cell=cell)
        is_late = self.paper.flag_has_fallen(self.now)
        player = self.room.seats[game.turn]
        if isinstance(player, Human):
            code = self.command(player.id, command)
        else:
            code = self.attempt(lambda: play(self.room, game.turn, command, self.now))
        assert code == (RefusalCode.GAME_OVER if is_late else None)

    @rule(who=ANYONE, near=NEAR)
    def resign(self, who: Who, near: int) -> None:
        self.command(who, Resign(game=self.paper.number + near))

    @rule(who=ANYONE, kind=KINDS)
    def offer(self, who: Who, kind: OfferKind) -> None:
        session = self.session(who)
        self.command(session, Offer(kind=kind))
        if session is not None and (seat := self.room.seats.of(session)):
            answered = isinstance(self.log[-1], TakenBack | Started | Ended)
            if self.room.offers[kind] is seat and not answered:
                before = self.room
                assert self.command(session, Offer(kind=kind)) is None
                assert self.room is before, "the same offer again is no event"

    @rule(who=ANYONE, kind=KINDS)
    def accept(self, who: Who, kind: OfferKind) -> None:
        self.command(who, Accept(kind=kind))

    @rule(who=ANYONE, kind=KINDS)
    def decline(self, who: Who, kind: OfferKind) -> None:
        self.command(who, Decline(kind=kind))

    @rule(who=ANYONE, near=NEAR)
    def claim(self, who: Who, near: int) -> None:
        self.command(who, Claim(game=self.paper.number + near))

    @rule(who=ANYONE, seat=st.sampled_from(Mark))
    def fill(self, who: Who, seat: Mark) -> None:
        session = self.session(who)
        own, sitting = self.paper.seat(session), self.paper.sitting.get(seat)
        gone_at = self.gone.get(SessionId(sitting or ""))
        is_gone = gone_at is not None and self.now - gone_at >= GRACE_MS
        is_good = own is not None and own is not seat and (sitting is None or is_gone)
        code = self.command(session, Fill(seat=seat, strategy="minimax"))
        assert (code is None) == is_good
        assert self.paper.sitting.get(seat) == (AI if is_good else sitting)

    @precondition(lambda self: self.humans == 2)
    @rule(seat=st.sampled_from(Mark), ms=st.sampled_from([GRACE_MS - 1, GRACE_MS]))
    def fill_for_one_who_is_gone(self, seat: Mark, ms: int) -> None:
        self.go(SessionId(self.paper.sitting[seat]))
        self.pause(ms)
        self.fill(SessionId(self.paper.sitting[seat.other]), seat)

    @precondition(lambda self: not self.room.stood_in_for.empty)
    @rule()
    def come_back(self) -> None:
        absent = self.room.stood_in_for.X or self.room.stood_in_for.O
        assert isinstance(absent, Human)
        self.return_(absent.id)

    @precondition(lambda self: self.paper.offers and self.humans == 2)
    @rule(answer=st.sampled_from([Accept, Accept, Offer, Decline]))
    def answer_each_other(self, answer: type[Accept | Offer | Decline]) -> None:
        for kind, seat in tuple(self.paper.offers.items())[:1]:
            is_late = self.paper.flag_has_fallen(self.now) and kind is not OfferKind.REMATCH
            code = self.command(SessionId(self.paper.sitting[seat.other]), answer(kind=kind))
            assert (code is not None) == is_late

    @rule(who=ANYONE, happens=RARELY)
    def leave(self, who: Who, happens: bool) -> None:
        if not happens:
            return
        session = self.session(who)
        assert self.command(session, Leave()) is None
        assert self.room.seats.of(session) is None

    @precondition(lambda self: self.room.ai_to_answer is not None)
    @rule(agrees=st.booleans())
    def answer(self, agrees: bool) -> None:
        seat = self.room.ai_to_answer
        assert seat is not None
        assert self.paper.sitting[seat] == AI
        answer = accept if agrees else decline
        self.attempt(lambda: answer(self.room, seat, OfferKind.DRAW, self.now))

    @precondition(lambda self: self.room.ai_to_move is not None)
    @rule(happens=RARELY)
    def fail(self, happens: bool) -> None:
        seat = self.room.ai_to_move
        assert seat is not None
        assert self.paper.sitting[seat] == AI
        if happens:
            self.commit(end(self.room, Reason.FORFEIT, seat.other, self.now))

    @precondition(lambda self: self.room.status is Status.PLAYING)
    @rule(happens=RARELY)
    def abandon(self, happens: bool) -> None:
        if happens:
            self.commit(end(self.room, Reason.ABANDONMENT, None, self.now))

    @precondition(lambda self: self.room.status is Status.FINISHED and self.humans)
    @rule()
    def play_again(self) -> None:
        number = self.paper.number
        for who in tuple(self.paper.sitting.values()):
            if who != AI and self.paper.number == number:
                assert self.command(SessionId(who), Offer(kind=OfferKind.REMATCH)) is None
        assert self.paper.number == number + 1

    @precondition(lambda self: self.room.next_game_due)
    @rule()
    def go_on(self) -> None:
        assert list(self.paper.sitting.values()) == [AI, AI]
        self.commit(next_game(self.room, self.now))

    @invariant()
    def the_onlooker_has_the_same_on_paper(self) -> None:
        room, paper = self.room, self.paper
        for mark in Mark:
            player = room.seats[mark]
            sitting = player.id if isinstance(player, Human) else AI
            assert (None if player is None else sitting) == paper.sitting.get(mark)
            keeps = sitting == AI and not paper.owners.get(mark, "ai").startswith("ai")
            kept = room.stood_in_for[mark]
            assert (None if kept is None else kept.id) == (paper.owners[mark] if keeps else None)
        for kind in OfferKind:
            assert room.offers[kind] is paper.offers.get(kind)
        assert (room.status is Status.PLAYING) == paper.is_running
        assert (room.status is Status.WAITING) == (len(paper.sitting) < 2)
        if room.seats.full:
            assert room.score == paper.told_score
        if room.game is not None:
            assert room.game.number == paper.number
            assert room.game.position.board == paper.drawn
            assert room.game.turn is paper.turn
            assert list(room.game.moves) == paper.moves
            assert time_left(room, self.now) == paper.left(self.now)
            assert bool(fallen_flag(room, self.now)) == paper.flag_has_fallen(self.now)

    @invariant()
    def the_state_is_encoded_as_its_model_is(self) -> None:
        """Whatever was kept from the states before."""
        here = Here(X=bool(self.room.seq % 3), O=bool(self.room.seq % 2))
        spectators = self.room.seq % 4
        model = room_state(self.room, here, spectators, self.now)
        assert self.view.encode(self.room, here, spectators, self.now) == encode_message(model)

    @invariant()
    def a_reader_of_the_log_may_begin_at_any_event(self) -> None:
        """A room that was saved is the same, and so is all that follows."""
        assert restore(NAME, save(self.room)) == self.room

    @invariant()
    def nobody_plays_against_themselves(self) -> None:
        seats = (self.room.seats, self.room.stood_in_for)
        humans = [p.id for each in seats for p in (each.X, each.O) if isinstance(p, Human)]
        assert len(humans) == len(set(humans))

    @invariant()
    def offers_are_of_players_and_have_their_time(self) -> None:
        room = self.room
        for kind in OfferKind:
            if room.offers[kind] is not None:
                due = Status.FINISHED if kind is OfferKind.REMATCH else Status.PLAYING
                assert room.status is due

    def teardown(self) -> None:
        """The log alone says all."""
        assert evolve_all(Room(NAME), self.log) == self.room
        stored = list(decode_log(encode_log(self.log)))
        assert stored == self.log
        read = read_lessons(NAME, 0, encode_log(self.log))
        assert [each.lesson for each in read.lessons] == self.lessons
        again = evolve_all(Room(NAME), stored)
        assert again == self.room
        assert self.wire(again) == self.wire(self.room)
        self.exported_games_come_back()

    def exported_games_come_back(self) -> None:
        finished = [game for game in exported_games(Room(NAME), self.log) if game.is_over]
        steps = imported(Room(NAME), finished) if finished else []
        log = tuple(event for step in steps for event in step.events)
        checked(Room(NAME), log)
        assert list(exported_games(Room(NAME), log)) == finished
        assert missing_games(finished, finished) == ()

    def session(self, who: Who) -> SessionId | None:
        if isinstance(who, Mark):
            sitting = self.paper.sitting.get(who, AI)
            return None if sitting == AI else SessionId(sitting)
        return who

    @property
    def humans(self) -> int:
        """How many sit here now."""
        return sum(who != AI for who in self.paper.sitting.values())

    def wire(self, room: Room) -> bytes:
        return encode_message(room_state(room, Here(X=True, O=True), 0, self.now))

    def command(self, who: Who, command: PlayerCommand) -> RefusalCode | None:
        """How it was refused, if it was: just as the onlooker expects."""
        session = self.session(who)
        if session is not None:
            self.gone.pop(session, None)  # a session that speaks is here
        self.fall()
        gone = {
            mark: self.gone[player.id]
            for mark in Mark
            if isinstance(player := self.room.seats[mark], Human) and player.id in self.gone
        }
        expected: str | None = "whatever"
        if self.room.seats.of(session) is None and not isinstance(command, Leave):
            expected = RefusalCode.NOT_A_PLAYER
        elif isinstance(command, Play):
            expected = self.paper.answer_to(session, command)
        elif isinstance(command, Claim):
            expected = self.paper.answer_to_claim(session, command, self.now, self.gone)
        self.fall()
        before = self.room
        code = self.attempt(lambda: decide(before, session, command, self.now, gone.get))
        assert expected in {"whatever", code}
        return code

    def fall(self) -> None:
        """As the hub does before anything else: the flag, if it has fallen."""
        self.commit(fallen_flag(self.room, self.now))

    def attempt(self, decision: Callable[[], Decision]) -> RefusalCode | None:
        """How it was refused, if it was; then nothing has changed."""
        self.fall()
        before = self.room
        try:
            events = decision()
        except Refused as refused:
            assert self.room is before, "it is a value"
            return refused.code
        self.commit(events)
        return None

    def commit(self, events: Decision) -> None:
        before = self.room.seq
        for event in events:
            assert (event.seq, event.at) == (self.room.seq + 1, self.now)
            self.paper.note(event)
            self.room = checked(self.room, [event])
            self.log.append(event)
            if isinstance(event, Played) and self.room.game is not None:
                assert (self.room.game.position.outcome() is None) == (event is events.events[-1])
            if isinstance(event, Ended):
                assert (lesson_of(self.room) is not None) == self.paper.teaches(event)
                if self.paper.teaches(event):
                    winner = event.outcome.winner
                    mark = None if winner is None else EngineMark(winner)
                    self.lessons.append(Lesson.of(tuple(self.paper.moves), mark))
        assert events.after == self.room
        assert self.room.seq == before + len(events) == len(self.log)


TestAnyRoom = AnyRoom.TestCase
TestAnyRoom.settings = settings(stateful_step_count=50)
TestAnyRoom = pytest.mark.timeout(900)(TestAnyRoom)  # 2500 steps, on any machine; thorough, 50 000
TestAnyRoom = pytest.mark.slow(TestAnyRoom)
