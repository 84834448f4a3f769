"""A program as a strategy, in a worker process."""

from itertools import count
from typing import NamedTuple

from ttt_engine import Mark, Position, Rules
from ttt_engine.openings.opening import Setup
from ttt_engine.order import in_turns
from ttt_engine.strategies import Thought
from ttt_engine.strategy import EVERY
from ttt_protocol.bots.conversation import BotProtocol
from ttt_protocol.bots.failures import BotError, BotFailed
from ttt_protocol.bots.gomocup import has_words_for
from ttt_protocol.bots.turn import BotTurn
from ttt_protocol.codes import Choice, Opening
from ttt_protocol.state import Mark as Seat
from ttt_protocol.text import clean
from ttt_server.ai.program import Program
from ttt_server.ai.program_setting import ProgramSetting
from ttt_server.core.room import wire_rules

_games = count(1)
"""A number for each question, which is a game of its own to the program."""


class ProgramMaker:
    """Makes the strategy of a program; the registry calls it like a class.

    A worker has one process a level, and starts it with the first question.
    """

    parts = ("seconds",)

    def __init__(self, name: str, setting: ProgramSetting) -> None:
        self._name = name
        self._setting = setting
        self.levels = setting.levels
        self.about = setting.about
        self.boards = setting.boards or "every board"
        self._programs: dict[int | None, Program] = {}

    def __call__(self, level: int | None = None, seconds: float | None = None) -> "ProgramStrategy":
        if level not in self._programs:
            protocol = BotProtocol(self._setting.protocol)
            self._programs[level] = Program(self._setting.command, protocol, level)
        own = self._setting.time_s if seconds is None else seconds
        return ProgramStrategy(self._name, self._setting, self._programs[level], own)


_MORE = 2
"""Marks that a player places after choosing `more`."""


class OpeningPart(NamedTuple):
    """What a program contributes to an opening: its choice, and its marks."""

    choice: Choice | None
    """`None` where it was asked for marks."""

    marks: tuple[int, ...]
    """Cells in order, up to the other side's choice, or fewer if it failed."""


class ProgramStrategy:
    """A program that chooses a cell, and in an opening whatever its protocol can express.

    Each question is a game of its own to the program, as a worker serves many rooms.
    """

    variants = EVERY

    def __init__(
        self, name: str, setting: ProgramSetting, program: Program, seconds: float
    ) -> None:
        self.name = name
        self.seconds = seconds
        self._setting = setting
        self._program = program

    def plays(self, rules: Rules) -> bool:
        return self._setting.plays(rules)

    def think(self, position: Position) -> Thought:
        return self.think_after(position, None)

    def think_after(self, position: Position, moves: tuple[int, ...] | None) -> Thought:
        """Ask the program.

        Raises:
            BotError: it gave no legal move.
        """
        known = moves if moves is not None else in_turns(position)
        turn = self._turn(next(_games), position, known, position.turn, self.seconds)
        answer, _ = self._program.ask(turn)
        return Thought((answer.cell,), clean(answer.reason or "") or self.name)

    def open_game(
        self, position: Position, moves: tuple[int, ...], setup: Setup
    ) -> OpeningPart | None:
        """Ask the program to choose in an opening, or to place marks up to the next choice.

        Without a choice it stays on its side, as it may not know openings. Marks are asked for
        together, as parts of one game: some protocols name them in one answer.

        Returns:
            `None` if the program's protocol cannot express it.

        Raises:
            BotError: it placed no mark.
        """
        game = next(_games)
        asked = self._turn(game, position, moves, setup.seat, self.seconds, setup.kind)
        if setup.choices:
            asked = asked._replace(legal=(), choices=tuple(map(Choice, setup.choices)))
        if not self._has_words_for(asked):
            return None
        if not setup.choices:
            return OpeningPart(None, self._marks(game, position, moves, setup, setup.stones))
        try:
            choice = self._program.choose(asked)
        except BotFailed:
            return OpeningPart(Choice.STAY, ())
        if choice is not Choice.MORE:
            return OpeningPart(choice, ())
        try:
            marks = self._marks(game, position, moves, setup, setup.stones + _MORE)
        except BotError:
            marks = ()  # it is asked for its marks again
        return OpeningPart(choice, marks)

    def _marks(
        self, game: int, position: Position, moves: tuple[int, ...], setup: Setup, until: int
    ) -> tuple[int, ...]:
        """Return the next marks, until there are this many on the board.

        Raises:
            BotError: it did not place the first.
        """
        marks: tuple[int, ...] = ()
        seconds = self.seconds / (until - len(moves))
        while len(moves) + len(marks) < until:
            so_far = moves + marks
            turn = self._turn(game, position, so_far, setup.seat, seconds, setup.kind)
            try:
                answer, _ = self._program.ask(turn)
            except BotError:
                if not marks:
                    raise
                break
            marks += (answer.cell,)
            position = position.play(answer.cell)
        return marks

    def _has_words_for(self, question: BotTurn) -> bool:
        is_gomocup = BotProtocol(self._setting.protocol) is BotProtocol.GOMOCUP
        return not is_gomocup or has_words_for(question)

    def _turn(
        self,
        game: int,
        position: Position,
        moves: tuple[int, ...],
        seat: Mark,
        seconds: float,
        kind: str = Opening.NONE,
    ) -> BotTurn:
        return BotTurn(
            game,
            wire_rules(position.rules),
            Seat(seat),
            position.board,
            moves,
            position.legal_moves,
            time_ms=max(1, round(1000 * seconds)),
            opening=Opening(kind),
        )
