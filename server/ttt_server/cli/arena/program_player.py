"""A program at the board of the arena."""

from ttt_engine import Mark, Position, Rules
from ttt_engine.arena.match import NO_TIMES, Game, NoMove, Player, Times
from ttt_engine.openings.opening import Choice, Setup
from ttt_protocol.bots.conversation import GRACE_S, BotProtocol
from ttt_protocol.bots.failures import BotError, BotFailed
from ttt_protocol.bots.language import BotTurn, GameEnd, UnplayableBoard
from ttt_protocol.codes import Choice as OfferedChoice
from ttt_protocol.codes import Opening, Reason
from ttt_protocol.state import Mark as Seat
from ttt_server.ai.program import Program
from ttt_server.cli.arena.entrants import Command
from ttt_server.core.room import wire_rules

_SEATS = {Mark.X: Seat.X, Mark.O: Seat.O}


class ProgramPlayer(Player):
    """A program. Its answers are not cached: it may answer the same question differently."""

    def __init__(
        self,
        command: Command,
        level: int | None,
        rules: Rules,
        time_s: float,
        tolerance_s: float = GRACE_S,
    ) -> None:
        protocol = BotProtocol(command.protocol)
        self._program = Program(command.words, protocol, level, tolerance_s)
        self._rules = wire_rules(rules)
        self._time_ms = round(1000 * time_s)
        self._game = 0
        self._times = NO_TIMES

    def begin(self, mark: Mark) -> None:  # noqa: ARG002 - each turn tells it
        self._game += 1

    def end(self, game: Game) -> None:
        if game.forfeit is not None:
            reason = Reason.FORFEIT
        else:
            reason = Reason.FULL if game.winner is None else Reason.LINE
        winner = None if game.winner is None else _SEATS[game.winner]
        self._program.tell_end(GameEnd(winner, reason))

    def take_times(self) -> Times:
        times, self._times = self._times, NO_TIMES
        return times

    def cells(self, position: Position, moves: tuple[int, ...]) -> tuple[int, ...]:
        return self._move(position, moves, position.turn, Opening.NONE)

    def place(self, position: Position, moves: tuple[int, ...], setup: Setup) -> tuple[int, ...]:
        return self._move(position, moves, setup.seat, Opening(setup.kind))

    def choose(self, position: Position, moves: tuple[int, ...], setup: Setup) -> Choice:
        """Ask the program. It stays if it gives no choice, for it may not know openings."""
        asked = self._turn(position, moves, setup.seat, Opening(setup.kind))
        asked = asked._replace(legal=(), choices=tuple(map(OfferedChoice, setup.choices)))
        try:
            return Choice(self._program.choose(asked))
        except BotFailed:
            return Choice.STAY
        except (BotError, UnplayableBoard) as failure:
            raise NoMove(str(failure)) from None

    def _move(
        self, position: Position, moves: tuple[int, ...], seat: Mark, opening: Opening
    ) -> tuple[int, ...]:
        try:
            answer, seconds = self._program.ask(self._turn(position, moves, seat, opening))
        except (BotError, UnplayableBoard) as failure:
            raise NoMove(str(failure)) from None
        count, total, longest = self._times
        self._times = Times(count + 1, total + seconds, max(longest, seconds))
        return (answer.cell,)

    def _turn(
        self, position: Position, moves: tuple[int, ...], seat: Mark, opening: Opening
    ) -> BotTurn:
        return BotTurn(
            self._game,
            self._rules,
            _SEATS[seat],
            position.board,
            moves,
            position.legal_moves,
            self._time_ms,
            opening=opening,
        )
