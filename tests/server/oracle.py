"""A room as an onlooker keeps it on paper: simple, slow, and nothing in common with the server."""

from collections import Counter
from collections.abc import Mapping

from ttt_protocol.codes import Reason
from ttt_protocol.commands import Claim, Play
from ttt_protocol.events import (
    Chosen,
    Created,
    Declined,
    Ended,
    Event,
    Left,
    Moderated,
    Offered,
    Played,
    Renamed,
    Seated,
    Slept,
    Started,
    TakenBack,
)
from ttt_protocol.state import (
    Human,
    Mark,
    OfferKind,
    Rules,
    Score,
    SessionId,
    Settings,
    TimeLeft,
)

AI = "ai"
Ways = ((0, 1), (1, 0), (1, 1), (1, -1))


class Onlooker:
    """Notes each event, and complains of one that cannot be."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.sitting: dict[Mark, str] = {}
        """Who sits there: a session, or `AI`."""
        self.owners: dict[Mark, str] = {}
        """Whose seat it is: the human's whom an AI sits in for; each other AI's own name."""
        self.score: Counter[str] = Counter()
        self.draws = 0
        self.have_met = False
        self.number = 0
        self.is_running = False
        self.moves: list[int] = []
        self.board: dict[int, Mark] = {}
        self.offers: dict[OfferKind, Mark] = {}
        self.clock: dict[Mark, int] | None = None
        self.since = 0
        self.chat = settings.chat
        self._plugins = 0

    @property
    def turn(self) -> Mark:
        return Mark.O if len(self.moves) % 2 else Mark.X

    @property
    def drawn(self) -> str:
        """The board as the wire has it; of no game, the empty one."""
        rules = self.settings.rules
        return "".join(self.board.get(cell, ".") for cell in range(rules.columns * rules.rows))

    @property
    def told_score(self) -> Score:
        x, o = (self.score[self.owners[mark]] if mark in self.owners else 0 for mark in Mark)
        return Score(X=x, O=o, draws=self.draws)

    def seat(self, session: SessionId | None) -> Mark | None:
        return next((mark for mark, who in self.sitting.items() if who == session), None)

    def left(self, now: int) -> TimeLeft | None:
        """What the clock shows."""
        if self.clock is None:
            return None
        left = dict(self.clock)
        if self.is_running:
            left[self.turn] = max(0, left[self.turn] - (now - self.since))
        return TimeLeft(X=left[Mark.X], O=left[Mark.O])

    def flag_has_fallen(self, now: int) -> bool:
        left = self.left(now)
        if left is None or self.clock is None or not self.is_running:
            return False
        return now - self.since >= self.clock[self.turn]

    def teaches(self, ended: Ended) -> bool:
        """Whether the learner is to remember a game that ends so."""
        is_on_the_board = ended.outcome.reason in (Reason.LINE, Reason.FULL)
        return self.settings.rules == Rules() and is_on_the_board

    def is_free(self, cell: int) -> bool:
        """Whether the cell may be played."""
        rules = self.settings.rules
        if self.drawn[cell : cell + 1] != "." or cell < 0:
            return False
        return not rules.gravity or self.drawn[cell + rules.columns :][:1] != "."

    def answer_to(self, session: SessionId | None, play: Play) -> str | None:
        """The refusal of a move; null if it is good, or was made already."""
        seat = self.seat(session)
        if seat is None:
            return "not_a_player"
        if not self.number:
            return "game_not_started"
        if play.game != self.number:
            return "wrong_game"
        if self._was_made(seat, play):
            return None
        if not self.is_running:
            return "game_over"
        if play.ply != len(self.moves):
            return "stale_ply"
        if seat is not self.turn:
            return "not_your_turn"
        if not 0 <= play.cell < len(self.drawn):
            return "out_of_board"
        if play.cell in self.board:
            return "cell_taken"
        return None if self.is_free(play.cell) else "floating_cell"

    def answer_to_claim(
        self, session: SessionId | None, claim: Claim, now: int, gone: Mapping[SessionId, int]
    ) -> str | None:
        seat = self.seat(session)
        if seat is None:
            return "not_a_player"
        if not self.number:
            return "game_not_started"
        if claim.game != self.number:
            return "wrong_game"
        if not self.is_running:
            return "game_over"
        other = self.sitting[seat.other]
        if other == AI or self.turn is seat:
            return "not_allowed"
        gone_at = gone.get(SessionId(other), now + 1)
        return None if now - gone_at >= self.settings.grace_s * 1000 else "too_early"

    def note(self, event: Event) -> None:
        """What happened next."""
        match event:
            case Created():
                pass
            case Seated():
                self._sit(event)
            case Left(seat=seat):
                assert not self.is_running, "a game is resigned first"
                del self.sitting[seat]
                self.owners.pop(seat)
                self.offers.clear()
            case Started(game=number, at=at):
                self._start(number, at)
            case Played():
                self._play(event)
            case Chosen():
                raise AssertionError("these rooms have no opening")
            case TakenBack(game=number, ply=ply, at=at):
                assert self.is_running
                assert number == self.number
                assert 0 <= ply < len(self.moves)
                self._take_back(at, event.clock, len(self.moves) - ply)
                self.moves = self.moves[:ply]
                self.board = {cell: self.board[cell] for cell in self.moves}
                self._lapse()
            case Offered(kind=kind, seat=seat):
                assert seat in self.sitting
                self.offers[kind] = seat
            case Declined(kind=kind, seat=seat):
                assert self.offers.pop(kind) is seat.other
            case Ended():
                self._end(event)
            case Renamed(seat=seat):
                assert self.sitting[seat] != AI
            case Moderated(chat=mode):
                assert self.chat is not mode
                self.chat = mode
            case Slept(game=number, seat=seat, clock=left, at=at):
                assert self.is_running
                assert (number, seat) == (self.number, self.turn)
                self.clock, self.since = {Mark.X: left.X, Mark.O: left.O}, at

    def _sit(self, event: Seated) -> None:
        seat, player = event.seat, event.player
        who = player.id if isinstance(player, Human) else AI
        before = self.sitting.get(seat)
        if before is None:
            assert not self.is_running
            self._plugins += 1
            self.owners[seat] = who if who != AI else f"ai {self._plugins}"
            self.have_met = False
            self.score.clear()
            self.draws = 0
        elif before == AI:
            assert self.owners[seat] == who, "only the human that it sits in for"
        else:
            assert who == AI
        self.sitting[seat] = who
        self.offers.clear()

    def _start(self, number: int, at: int) -> None:
        assert not self.is_running
        assert len(self.sitting) == 2
        assert number == self.number + 1
        if self.have_met:
            self.sitting = {mark: self.sitting[mark.other] for mark in Mark}
            self.owners = {mark: self.owners[mark.other] for mark in Mark}
        self.have_met = self.is_running = True
        self.number, self.moves, self.board = number, [], {}
        self.offers.clear()
        if self.settings.clock is not None:
            self.clock = dict.fromkeys(Mark, int(self.settings.clock.initial_s * 1000))
            self.since = at

    def _play(self, event: Played) -> None:
        assert self.is_running, "nothing is played after an outcome"
        assert (event.game, event.ply, event.seat) == (self.number, len(self.moves), self.turn)
        assert self.is_free(event.cell)
        before = self.left(event.at)
        self._pay(event.at, None)
        if self.clock is not None and self.settings.clock is not None:
            assert before is not None
            self.clock[event.seat] += int(self.settings.clock.increment_s * 1000)
            assert event.clock == TimeLeft(X=self.clock[Mark.X], O=self.clock[Mark.O])
        self.moves.append(event.cell)
        self.board[event.cell] = event.seat
        self._lapse()

    def _end(self, event: Ended) -> None:
        assert self.is_running
        assert event.game == self.number
        outcome = event.outcome
        line = self._line()
        assert (outcome.reason is Reason.LINE) == bool(line)
        assert (outcome.reason is Reason.FULL) == ("." not in self.drawn and not line)
        assert outcome.line == (tuple(sorted(line)) or None)
        self._pay(event.at, event.clock, moved=outcome.reason in {Reason.LINE, Reason.FULL})
        self.is_running = False
        self.offers.clear()
        if outcome.winner is not None:
            self.score[self.owners[outcome.winner]] += 1
        elif outcome.reason is not Reason.ABANDONMENT:
            self.draws += 1

    def _pay(self, at: int, told: TimeLeft | None, *, moved: bool = False) -> None:
        """The side to move has used the time until now; if it has moved, it has paid already."""
        left = self.left(self.since if moved else at)
        assert told is None or told == left
        if left is not None:
            self.clock, self.since = {Mark.X: left.X, Mark.O: left.O}, at
            assert min(left.X, left.O) >= 0

    def _take_back(self, at: int, told: TimeLeft | None, moves: int) -> None:
        """Time spent is spent, and what the moves gained is gone; but a second stays."""
        left = self.left(at)
        if left is None or self.settings.clock is None:
            assert told is None
            return
        rest = {Mark.X: left.X, Mark.O: left.O}
        mark = self.turn
        for _ in range(moves):
            mark = mark.other
            gained = int(self.settings.clock.increment_s * 1000)
            rest[mark] = max(rest[mark] - gained, min(rest[mark], 1000))
        assert told == TimeLeft(X=rest[Mark.X], O=rest[Mark.O])
        self.clock, self.since = rest, at

    def _lapse(self) -> None:
        self.offers.pop(OfferKind.DRAW, None)
        self.offers.pop(OfferKind.TAKEBACK, None)

    def _was_made(self, seat: Mark, play: Play) -> bool:
        made = dict(enumerate(self.moves))
        return made.get(play.ply) == play.cell and self.board.get(play.cell) is seat

    def _line(self) -> set[int]:
        """All cells of the lines through the last one, if there are any."""
        if not self.moves:
            return set()
        rules, last = self.settings.rules, self.moves[-1]
        row, column = divmod(last, rules.columns)
        found: set[int] = set()
        for down, right in Ways:
            run = {last}
            for sign in (1, -1):
                step = sign
                while self._is_at(row + step * down, column + step * right, self.board[last]):
                    run.add((row + step * down) * rules.columns + column + step * right)
                    step += sign
            if len(run) >= rules.in_a_row:
                found |= run
        return found

    def _is_at(self, row: int, column: int, mark: Mark) -> bool:
        rules = self.settings.rules
        inside = 0 <= row < rules.rows and 0 <= column < rules.columns
        return inside and self.board.get(row * rules.columns + column) is mark
