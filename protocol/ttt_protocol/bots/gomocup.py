"""The language `gomocup`: the Gomocup (Piskvork) protocol, which existing gomoku engines speak.

    > ABOUT                     < name="ours", version="1"
    > START 15                  < OK
    > INFO timeout_turn 1000
    > BEGIN, or TURN 7,7        < 8,8

Coordinates are column and row, from 0. A position that the engine did not see move by move comes
as BOARD, one line a stone: 1 is its own, 2 the other side's. Source:
https://plastovicka.github.io/protocl2en.htm
"""

import re
from collections import deque
from enum import Enum, auto

from ttt_protocol.bots.failures import not_understood
from ttt_protocol.bots.language import CannotPlay, Heard
from ttt_protocol.bots.turn import Answer, GameEnd, Turn
from ttt_protocol.state import Rules

IN_A_ROW = 5
"""The only length of a line that the protocol knows."""

_NO_LIMIT_MS = 2_147_483_647
"""The protocol's word for no limit of the time of a match."""

_MOVE = re.compile(r"\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*")
_ASIDE = ("DEBUG", "MESSAGE")
"""Beginnings of lines that an engine may write at any time."""


class _Wants(Enum):
    """The answer that a step waits for."""

    ANYTHING = auto()
    OK = auto()
    RESTARTED = auto()
    MOVE = auto()


class Gomocup:
    """The talk with one engine process."""

    def __init__(self) -> None:
        self._steps: deque[tuple[str, _Wants]] = deque()
        self._wants: _Wants | None = None
        self._turn: Turn | None = None
        self._game: int | None = None
        self._rules: Rules | None = None
        self._seen: tuple[int, ...] | None = None
        """The moves of the game as the engine knows them; None if it does not."""

    def ask(self, turn: Turn) -> bytes:
        """Return the first lines that ask for a move; `hear` gives the next ones.

        Raises:
            CannotPlay: the protocol has five in a row, and no gravity.
        """
        _require_playable(turn.rules)
        steps: list[tuple[str, _Wants]] = []
        if self._rules is None:
            steps.append(("ABOUT", _Wants.ANYTHING))
        if self._rules != turn.rules:
            steps.append((_start(turn.rules), _Wants.OK))
        elif turn.game != self._game:
            steps.append(("RESTART", _Wants.RESTARTED))
        if steps:
            self._seen = ()
        steps.append((self._question(turn), _Wants.MOVE))
        self._turn, self._game, self._rules = turn, turn.game, turn.rules
        self._steps = deque(steps)
        return self._next()

    def hear(self, line: str) -> Heard:
        """Return what a line of the engine leads to.

        Raises:
            BotFailed: `not understood`.
        """
        if not line.strip() or line.startswith(_ASIDE):
            return Heard()
        match self._wants:
            case _Wants.OK if not line.startswith("OK"):
                raise not_understood(line, "where OK was expected")
            case _Wants.RESTARTED if not line.startswith("OK") and self._rules is not None:
                self._steps.appendleft((_start(self._rules), _Wants.OK))
            case _Wants.MOVE:
                return Heard(self._answer(line))
            case _:
                pass
        return Heard(reply=self._next())

    def tell_end(self, end: GameEnd) -> bytes:  # noqa: ARG002 - the protocol has no words for it
        """Return nothing: the next game begins with RESTART."""
        return b""

    def say_goodbye(self) -> bytes:
        """Return the line that asks the engine to end."""
        return b"END\n"

    def _next(self) -> bytes:
        line, self._wants = self._steps.popleft()
        return line.encode() + b"\n"

    def _question(self, turn: Turn) -> str:
        left = _NO_LIMIT_MS if turn.left_ms is None else turn.left_ms
        whole = 0 if turn.left_ms is None else turn.left_ms
        lines = [f"INFO timeout_turn {turn.time_ms}"]
        if not self._seen:
            lines += [f"INFO timeout_match {whole}", "INFO max_memory 0", "INFO game_type 1"]
            lines += ["INFO rule 0"]  # a longer row wins, too
        lines.append(f"INFO time_left {left}")
        columns = turn.rules.columns
        if not turn.moves:
            lines.append("BEGIN")
        elif self._seen is not None and self._seen == turn.moves[:-1]:
            lines.append(f"TURN {_point(turn.moves[-1], columns)}")
        else:
            mine = len(turn.moves) % 2
            stones = (
                f"{_point(cell, columns)},{1 if ply % 2 == mine else 2}"
                for ply, cell in enumerate(turn.moves)
            )
            lines += ["BOARD", *stones, "DONE"]
        return "\n".join(lines)

    def _answer(self, line: str) -> Answer:
        found = _MOVE.fullmatch(line)
        turn = self._turn
        if found is None or turn is None or int(found[1]) >= turn.rules.columns:
            raise not_understood(line, "where a move like 7,7 was expected")
        cell = int(found[2]) * turn.rules.columns + int(found[1])
        self._seen = (*turn.moves, cell)
        return Answer(cell)


def _require_playable(rules: Rules) -> None:
    if rules.in_a_row != IN_A_ROW or rules.gravity:
        raise CannotPlay("Gomocup engines play five in a row, without gravity: 15x15x5")


def _start(rules: Rules) -> str:
    if rules.columns == rules.rows:
        return f"START {rules.columns}"
    return f"RECTSTART {rules.columns},{rules.rows}"


def _point(cell: int, columns: int) -> str:
    row, column = divmod(cell, columns)
    return f"{column},{row}"
