"""A program as a strategy, in a worker process: what `make` makes of a `ProgramSetting`."""

from itertools import count

from ttt_engine import Mark, Position, Rules
from ttt_engine.strategies import Thought
from ttt_protocol.bots.conversation import BotProtocol
from ttt_protocol.bots.turn import Turn
from ttt_protocol.state import Mark as Seat
from ttt_protocol.text import clean
from ttt_server.ai.program import Program
from ttt_server.ai.program_setting import ProgramSetting
from ttt_server.core.room import wire_rules

_games = count(1)
"""A number for each question: a game of its own to the program."""

_SEATS = {Mark.X: Seat.X, Mark.O: Seat.O}


class ProgramMaker:
    """Makes the strategy of a program; the registry calls it as it calls a class.

    A worker asks one process a level, and starts it with the first question.
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


class ProgramStrategy:
    """A program that chooses a cell.

    Each question is a game of its own to the program, for a worker serves many rooms at once.
    """

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
        turn = Turn(
            next(_games),
            wire_rules(position.rules),
            _SEATS[position.turn],
            position.board,
            moves if moves is not None else _some_moves(position),
            position.legal_moves,
            max(1, round(1000 * self.seconds)),
        )
        answer, _ = self._program.ask(turn)
        return Thought((answer.cell,), clean(answer.reason or "") or self.name)


def _some_moves(position: Position) -> tuple[int, ...]:
    """Return an order of moves that leads to the position, where the real one is not known."""
    x, o = (
        [cell for cell, mark in enumerate(position.board) if mark == side] for side in ("X", "O")
    )
    order = [cell for pair in zip(x, o, strict=False) for cell in pair]
    return tuple(order + x[len(o) :])
