"""Fair openings: what each player may do when, in which seat, and what becomes of the room."""

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.server.examples import (
    ADA,
    BOB,
    NAME,
    NOW,
    TAKEBACK,
    after,
    checked,
    code_of,
    decided,
    duel,
    founded,
    offered,
    refusal,
    seated,
)
from ttt_protocol.codec import decode_log, decode_room, encode_log, encode_message
from ttt_protocol.codes import Choice, Opening, RefusalCode
from ttt_protocol.commands import Accept, Choose, Join, Offer, Play, Resign
from ttt_protocol.events import Chosen, Created, Ended, Event
from ttt_protocol.state import (
    ClockSetting,
    GivenSettings,
    Mark,
    OfferKind,
    Rules,
    Score,
    SessionId,
    Status,
    TimeLeft,
)
from ttt_server.core.archive.saved_room import is_between_games, restore, save
from ttt_server.core.errors import InvalidLog, Refused
from ttt_server.core.evolve import Decision, evolve, evolve_all
from ttt_server.core.join import Applicant, let_in
from ttt_server.core.play import fallen_flag, position_to_hint
from ttt_server.core.room import Room, game_of
from ttt_server.core.snapshot import Here, StateEncoder, room_state

GOMOKU = Rules(columns=9, rows=9, in_a_row=5)
CLOCK = ClockSetting(initial_s=60, increment_s=1)
STAY, SWAP, MORE = Choice


def choice(made: Choice, ply: int, game: int = 1) -> Choose:
    return Choose(game=game, ply=ply, choice=made)


def placed(room: Room, session: SessionId, *cells: int, now: int = NOW) -> Room:
    """After a player has placed these stones."""
    for cell in cells:
        game = game_of(room)
        room = after(room, session, Play(game=game.number, ply=game.ply, cell=cell), now=now)
    return room


def pie(**wanted: Any) -> Room:
    """Ada has placed the first stone, and Bob is to choose."""
    return placed(duel(opening=Opening.PIE, **wanted), ADA, 4)


def swap2(**wanted: Any) -> Room:
    """Ada has placed three stones, and Bob is to choose."""
    return placed(duel(opening=Opening.SWAP2, rules=GOMOKU, **wanted), ADA, 0, 1, 40)


def points(room: Room, seat: Mark | None) -> int:
    return room.score.X if seat is Mark.X else room.score.O


def to_act(room: Room) -> tuple[Mark, Mark | None, tuple[Choice, ...]]:
    game = game_of(room)
    return game.turn, game.choosing, game.choices


@pytest.mark.parametrize(
    ("room", "to_place"),
    [
        (duel(opening=Opening.NONE), 0),
        (duel(opening=Opening.PIE), 1),
        (pie(), 0),
        (duel(opening=Opening.SWAP2, rules=GOMOKU), 3),
        (after(swap2(), BOB, choice(MORE, 3)), 2),
        (after(swap2(), BOB, choice(STAY, 3)), 0),
    ],
)
def test_the_state_says_how_many_pieces_a_seat_is_to_place(room: Room, to_place: int) -> None:
    here = Here(X=True, O=True)
    state = room_state(room, here, 0, NOW)
    assert state.game is not None
    assert state.game.to_place == to_place
    assert decode_room(StateEncoder().encode(room, here, 0, NOW)) == state


def test_pie_and_stay() -> None:
    room = pie()
    assert to_act(room) == (Mark.O, Mark.O, (STAY, SWAP))
    room = after(room, BOB, choice(STAY, 1))
    assert room.seats.of(BOB) is Mark.O
    assert to_act(room) == (Mark.O, None, ())
    assert placed(room, BOB, 0).game is not None


def test_pie_and_swap() -> None:
    room = after(pie(), BOB, choice(SWAP, 1))
    assert (room.seats.of(ADA), room.seats.of(BOB)) == (Mark.O, Mark.X)
    assert to_act(room) == (Mark.O, None, ())
    room = placed(placed(room, ADA, 0), BOB, 8)
    assert game_of(room).position.board == "O...X...X"


def test_the_marks_of_swap2_take_turns_and_the_seat_does_not() -> None:
    room = duel(opening=Opening.SWAP2, rules=GOMOKU)
    for ply, cell in enumerate((0, 1, 40)):
        assert to_act(room) == (Mark.X, None, ())
        (played,) = decided(room, ADA, Play(game=1, ply=ply, cell=cell))
        assert getattr(played, "seat", None) is Mark.X
        room = evolve(room, played)
    board = game_of(room).position.board
    assert (board[0], board[1], board[40]) == ("X", "O", "X")
    assert to_act(room) == (Mark.O, Mark.O, (STAY, SWAP, MORE))


@pytest.mark.parametrize(("made", "mover"), [(STAY, BOB), (SWAP, ADA)])
def test_swap2_chosen_at_once(made: Choice, mover: SessionId) -> None:
    room = after(swap2(), BOB, choice(made, 3))
    assert room.seats.of(mover) is Mark.O
    assert to_act(room) == (Mark.O, None, ())
    assert game_of(placed(room, mover, 2)).ply == 4


@pytest.mark.parametrize(("made", "mover"), [(STAY, BOB), (SWAP, ADA)])
def test_swap2_with_two_more(made: Choice, mover: SessionId) -> None:
    room = after(swap2(), BOB, choice(MORE, 3))
    assert to_act(room) == (Mark.O, None, ())
    room = placed(room, BOB, 2, 3)
    assert to_act(room) == (Mark.X, Mark.X, (STAY, SWAP))
    assert code_of(room, ADA, choice(MORE, 5)) is RefusalCode.NOT_ALLOWED
    room = after(room, ADA, choice(made, 5))
    assert room.seats.of(mover) is Mark.O
    assert game_of(placed(room, mover, 5)).ply == 6


def test_refusals_of_a_choice() -> None:
    room = pie()
    assert code_of(room, None, choice(STAY, 1)) is RefusalCode.NOT_A_PLAYER
    assert code_of(room, BOB, choice(STAY, 1, game=2)) is RefusalCode.WRONG_GAME
    assert code_of(room, BOB, choice(STAY, 0)) is RefusalCode.STALE_PLY
    assert code_of(room, ADA, choice(STAY, 1)) is RefusalCode.NOT_YOUR_TURN
    assert refusal(room, BOB, choice(MORE, 1)).reason == "choose stay or swap"
    over = after(room, BOB, Resign(game=1))
    assert code_of(over, BOB, choice(STAY, 1)) is RefusalCode.GAME_OVER
    alone = seated(founded(opening=Opening.PIE), ADA)
    assert code_of(alone, ADA, choice(STAY, 1)) is RefusalCode.GAME_NOT_STARTED
    for early in duel(opening=Opening.PIE), duel():
        assert code_of(early, ADA, choice(STAY, 0)) is RefusalCode.NOT_ALLOWED


def test_refusals_of_a_move_while_a_choice_is_open() -> None:
    room = swap2()
    chooser = refusal(room, BOB, Play(game=1, ply=3, cell=5))
    assert (chooser.code, chooser.reason) == (
        RefusalCode.NOT_ALLOWED,
        "choose first: stay, swap or more",
    )
    other = refusal(room, ADA, Play(game=1, ply=3, cell=5))
    assert other.code is RefusalCode.NOT_YOUR_TURN
    assert other.shows_room


def test_the_other_player_waits_while_stones_are_placed() -> None:
    room = placed(duel(opening=Opening.SWAP2, rules=GOMOKU), ADA, 0)
    assert code_of(room, BOB, Play(game=1, ply=1, cell=5)) is RefusalCode.NOT_YOUR_TURN


def test_what_is_sent_again_changes_nothing() -> None:
    room = after(pie(), BOB, choice(SWAP, 1))
    assert decided(room, BOB, choice(SWAP, 1)).events == ()
    assert decided(room, ADA, Play(game=1, ply=0, cell=4)).events == ()  # now in the seat of O
    assert code_of(room, BOB, Play(game=1, ply=0, cell=4)) is RefusalCode.STALE_PLY
    assert code_of(room, BOB, choice(STAY, 1)) is RefusalCode.NOT_ALLOWED
    assert code_of(room, ADA, choice(SWAP, 1)) is RefusalCode.NOT_ALLOWED
    over = after(room, BOB, Resign(game=1))
    assert decided(over, BOB, choice(SWAP, 1)).events == ()


def test_no_takeback_in_an_opening_or_into_it() -> None:
    takeback = Offer(kind=TAKEBACK)
    for room in (duel(opening=Opening.PIE), pie()):
        assert refusal(room, ADA, takeback).reason == "moves of the opening cannot be taken back"
    room = placed(after(pie(), BOB, choice(SWAP, 1)), ADA, 0)
    assert code_of(room, BOB, takeback) is RefusalCode.NOT_ALLOWED
    back = after(offered(room, ADA, TAKEBACK), BOB, Accept(kind=TAKEBACK))
    assert game_of(back).moves == (4,)
    assert to_act(back) == (Mark.O, None, ())


def test_an_offer_ends_with_a_choice() -> None:
    room = offered(pie(), ADA, OfferKind.DRAW)
    assert after(room, BOB, choice(SWAP, 1)).offers.draw is None


def test_no_hint_in_the_opening() -> None:
    room = pie(hints=True)
    for session in ADA, BOB:
        with pytest.raises(Refused) as caught:
            position_to_hint(room, session)
        assert caught.value.code is RefusalCode.NOT_ALLOWED
    assert position_to_hint(after(room, BOB, choice(STAY, 1)), BOB).ply == 1


def test_the_time_goes_with_the_players() -> None:
    room = placed(duel(opening=Opening.PIE, clock=CLOCK), ADA, 4, now=NOW + 10_000)
    assert room.flag_falls_at == NOW + 70_000  # that of Bob, who is to choose
    (chosen,) = decided(room, BOB, choice(SWAP, 1), NOW + 30_000)
    assert isinstance(chosen, Chosen)
    assert chosen.clock == TimeLeft(X=40_000, O=51_000)
    room = evolve(room, chosen)
    assert room.flag_falls_at == NOW + 81_000  # that of Ada, who is to move as O
    assert fallen_flag(room, NOW + 80_999).events == ()
    lost = evolve_all(room, fallen_flag(room, NOW + 81_000))
    assert game_of(lost).outcome is not None
    assert lost.score == Score(X=1)


def test_a_flag_falls_while_a_player_chooses() -> None:
    room = placed(duel(opening=Opening.PIE, clock=CLOCK), ADA, 4)
    lost = evolve_all(room, fallen_flag(room, NOW + 60_000))
    assert lost.score == Score(X=1)


@pytest.mark.parametrize(("made", "next_x"), [(STAY, BOB), (SWAP, BOB)])
def test_the_second_player_begins_the_next_game(made: Choice, next_x: SessionId) -> None:
    room = after(pie(), BOB, choice(made, 1), Resign(game=1))
    room = after(offered(room, ADA, OfferKind.REMATCH), BOB, Accept(kind=OfferKind.REMATCH))
    assert room.seats.of(next_x) is Mark.X
    assert points(room, room.seats.of(ADA)) == 1
    assert to_act(room) == (Mark.X, None, ())
    assert to_act(placed(room, next_x, 0)) == (Mark.O, Mark.O, (STAY, SWAP))


def test_a_choice_that_is_not_to_be_made_makes_no_sense_in_a_log() -> None:
    for room in duel(), duel(opening=Opening.PIE):
        with pytest.raises(InvalidLog, match="not to be chosen"):
            evolve(room, Chosen(room.seq + 1, NOW, 1, 0, Mark.X, STAY))
    with pytest.raises(InvalidLog):
        evolve(pie(), Chosen(pie().seq + 1, NOW, 1, 1, Mark.O, MORE))


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (GivenSettings(opening=Opening.SWAP2), "4 in a row"),
        (
            GivenSettings(
                opening=Opening.SWAP2, rules=Rules(columns=7, rows=6, in_a_row=4, gravity=True)
            ),
            "without gravity",
        ),
        (GivenSettings(opening=Opening.PIE, start=(0,)), "starts from given moves"),
    ],
)
def test_an_opening_that_cannot_be(wanted: GivenSettings, words: str) -> None:
    with pytest.raises(Refused) as caught:
        let_in(Room(NAME), Applicant(Join(settings=wanted), ADA), NOW)
    assert caught.value.code is RefusalCode.BAD_COMMAND
    assert "settings.opening" in caught.value.reason
    assert words in caught.value.reason


def test_a_room_is_made_with_an_opening() -> None:
    wanted = GivenSettings(opening=Opening.SWAP2, rules=GOMOKU)
    created, *_ = let_in(Room(NAME), Applicant(Join(settings=wanted), ADA), NOW)
    assert isinstance(created, Created)
    assert created.settings.opening is Opening.SWAP2
    room = evolve(Room(NAME), created)
    with pytest.raises(Refused) as caught:
        let_in(room, Applicant(Join(settings=GivenSettings(opening=Opening.PIE)), BOB), NOW)
    assert caught.value.reason == "the room has other settings: opening"


class Player:
    """Of an opening, as this test sees it: who acts next, told by the plies and choices alone."""

    @staticmethod
    def to_act(kind: Opening, ply: int, made: list[Choice]) -> tuple[str, tuple[Choice, ...]]:
        """Return "first", "second", or "turns" once the sides take turns; and the choices."""
        if kind is Opening.PIE:
            if made:
                return "turns", ()
            return ("first", ()) if ply == 0 else ("second", (STAY, SWAP))
        if made == [MORE]:
            return ("second", ()) if ply < 5 else ("first", (STAY, SWAP))
        if made:
            return "turns", ()
        return ("first", ()) if ply < 3 else ("second", (STAY, SWAP, MORE))


class Openings(RuleBasedStateMachine):
    """Two players in a room with an opening, beside a record of who sits where."""

    @initialize(kind=st.sampled_from([Opening.PIE, Opening.SWAP2]), is_timed=st.booleans())
    def begin(self, kind: Opening, is_timed: bool) -> None:
        self.kind, self.now = kind, NOW
        rules = Rules(columns=4, rows=4, in_a_row=4)
        self.room = duel(rules=rules, opening=kind, clock=CLOCK if is_timed else None)
        self.log: tuple[Event, ...] = ()
        self.base = self.room
        self.seat = {ADA: Mark.X, BOB: Mark.O}
        self.won = {ADA: 0, BOB: 0}
        self.new_game(ADA)

    def new_game(self, opener: SessionId) -> None:
        self.opener, self.made, self.moves = opener, list[Choice](), list[int]()
        self.chosen: set[tuple[int, SessionId, Choice]] = set()
        self.seat = {opener: Mark.X, self.other(opener): Mark.O}

    @staticmethod
    def other(session: SessionId) -> SessionId:
        return BOB if session == ADA else ADA

    def in_seat(self, mark: Mark) -> SessionId:
        return next(session for session, seat in self.seat.items() if seat is mark)

    @property
    def actor(self) -> SessionId:
        role, _ = Player.to_act(self.kind, len(self.moves), self.made)
        if role == "turns":
            return self.in_seat(tuple(Mark)[len(self.moves) % 2])
        return self.opener if role == "first" else self.other(self.opener)

    def do(self, session: SessionId, command: Any) -> RefusalCode | None:
        try:
            events = decided(self.room, session, command, self.now)
        except Refused as refused:
            return refused.code
        self.add(events)
        return None

    def add(self, events: Decision) -> None:
        self.log += events.events
        self.room = checked(self.room, events)
        for event in events:
            if isinstance(event, Ended) and event.outcome.winner is not None:
                self.won[self.in_seat(event.outcome.winner)] += 1

    playing = precondition(lambda self: self.room.status is Status.PLAYING)

    @playing
    @rule(data=st.data(), is_actor=st.booleans())
    def place(self, data: st.DataObject, is_actor: bool) -> None:
        who = self.actor if is_actor else self.other(self.actor)
        cell = data.draw(st.sampled_from(game_of(self.room).position.legal_moves))
        game, ply = game_of(self.room).number, len(self.moves)
        code = self.do(who, Play(game=game, ply=ply, cell=cell))
        _, choices = Player.to_act(self.kind, ply, self.made)
        if not is_actor:
            assert code is RefusalCode.NOT_YOUR_TURN
        elif choices:
            assert code is RefusalCode.NOT_ALLOWED
        else:
            assert code is None
            self.moves.append(cell)
            assert self.do(who, Play(game=game, ply=ply, cell=cell)) is None  # again

    @playing
    @rule(made=st.sampled_from(Choice), is_actor=st.booleans())
    def choose(self, made: Choice, is_actor: bool) -> None:
        who = self.actor if is_actor else self.other(self.actor)
        _, choices = Player.to_act(self.kind, len(self.moves), self.made)
        command = choice(made, len(self.moves), game_of(self.room).number)
        code = self.do(who, command)
        if (len(self.moves), who, made) in self.chosen:
            assert code is None  # again
        elif not choices:
            assert code is RefusalCode.NOT_ALLOWED
        elif not is_actor:
            assert code is RefusalCode.NOT_YOUR_TURN
        elif made not in choices:
            assert code is RefusalCode.NOT_ALLOWED
        else:
            assert code is None
            self.made.append(made)
            self.chosen.add((len(self.moves), who, made))
            if made is SWAP:
                self.seat = {session: seat.other for session, seat in self.seat.items()}
            seq = self.room.seq
            assert self.do(who, command) is None  # again
            assert self.room.seq == seq

    @playing
    @rule(who=st.sampled_from([ADA, BOB]))
    def take_back(self, who: SessionId) -> None:
        code = self.do(who, Offer(kind=TAKEBACK))
        _, choices = Player.to_act(self.kind, len(self.moves), self.made)
        role, _ = Player.to_act(self.kind, len(self.moves), self.made)
        if role != "turns" or choices:
            assert code is RefusalCode.NOT_ALLOWED
            return
        stones = 1 if self.kind is Opening.PIE else 5 if self.made[0] is MORE else 3
        own = [ply for ply in range(len(self.moves)) if tuple(Mark)[ply % 2] is self.seat[who]]
        if not own or own[-1] < stones:
            assert code is RefusalCode.NOT_ALLOWED
            return
        assert code is None
        assert self.do(self.other(who), Accept(kind=TAKEBACK)) is None
        del self.moves[own[-1] :]

    @playing
    @rule(who=st.sampled_from([ADA, BOB]))
    def resign(self, who: SessionId) -> None:
        assert self.do(who, Resign(game=game_of(self.room).number)) is None

    @playing
    @precondition(lambda self: self.room.settings.clock is not None)
    @rule(share=st.floats(0, 1.2))
    def wait(self, share: float) -> None:
        falls_at = self.room.flag_falls_at
        assert falls_at is not None
        loser = self.actor
        self.now += round((falls_at - self.now) * share)
        events = fallen_flag(self.room, self.now)
        assert bool(events) is (self.now >= falls_at)
        self.add(events)
        if events:
            outcome = game_of(self.room).outcome
            assert outcome is not None
            assert outcome.winner is self.seat[self.other(loser)]

    @precondition(lambda self: self.room.status is Status.FINISHED)
    @rule()
    def rematch(self) -> None:
        for session in ADA, BOB:
            assert self.do(session, Offer(kind=OfferKind.REMATCH)) is None
        self.new_game(self.other(self.opener))

    @invariant()
    def the_room_is_as_recorded(self) -> None:
        room, game = self.room, game_of(self.room)
        for session, seat in self.seat.items():
            assert room.seats.of(session) is seat
            assert points(room, seat) == self.won[session]
        assert game.moves == tuple(self.moves)
        _, choices = Player.to_act(self.kind, len(self.moves), self.made)
        seat = self.seat[self.actor]
        assert (game.turn, game.choosing) == (seat, seat if choices else None)
        assert game.choices == choices

    @invariant()
    def its_log_and_its_state_say_the_same(self) -> None:
        stored = decode_log(encode_log(self.log))
        assert stored == self.log
        again = evolve_all(self.base, stored)
        assert again == self.room
        here = Here(X=True, O=True)
        state = encode_message(room_state(self.room, here, 0, self.now))
        assert StateEncoder().encode(self.room, here, 0, self.now) == state
        if is_between_games(self.room):
            assert restore(NAME, save(self.room)) == self.room


TestOpenings = Openings.TestCase
TestOpenings.settings = settings(max_examples=40, stateful_step_count=40)
