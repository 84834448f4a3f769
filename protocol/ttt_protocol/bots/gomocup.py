"""The language `gomocup`: the Gomocup (Piskvork) protocol, which existing gomoku engines speak.

    > ABOUT                     < name="ours", version="1"
    > START 15                  < OK
    > INFO timeout_turn 1000
    > BEGIN, or TURN 7,7        < 8,8

In a `swap2` opening an engine is asked for its three stones, and for its choice, as in the
Gomocup's own tournaments. It answers as if it were O, the side to move: SWAP to play X, a move to
play O, two moves to place two more. The moves that it names are played without another question.

    > SWAP2BOARD, DONE                  < 7,7 8,7 9,9
    > SWAP2BOARD, 7,7, 8,7, 9,9, DONE   < SWAP, or 8,8, or 8,8 8,6

An engine that does not know the word stays, and so does every engine in a `pie` opening, for which
the protocol has no word. Source: https://gomocup.org/news/experimental-tournament-update-2020/

Coordinates are column and row, from 0. A position that the engine did not see move by move comes
as BOARD, one line a stone: 1 is its own, 2 the other side's. Source:
https://plastovicka.github.io/protocl2en.htm
"""

import re
from collections import deque
from enum import Enum, auto

from ttt_protocol.bots.failures import not_understood, shown
from ttt_protocol.bots.language import (
    Answer,
    BotTurn,
    HeardLine,
    Language,
    MustStartAgain,
    UnplayableBoard,
)
from ttt_protocol.codes import Choice, Opening
from ttt_protocol.state import Rules
from ttt_protocol.text import clean

IN_A_ROW = 5
"""The only length of a line that the protocol knows."""

_NO_LIMIT_MS = 2_147_483_647
"""The protocol's value for a match without a time limit."""

_STONES = 3
"""The stones of a swap2 opening before the first choice."""

_POINT = re.compile(r"\b([0-9]{1,3})\s*,\s*([0-9]{1,3})\b")
_UNKNOWN = ("UNKNOWN", "ERROR")
"""Beginnings of the answer of an engine that does not know a command, or cannot carry it out."""

_ASIDE = ("DEBUG", "MESSAGE")
"""Beginnings of lines that an engine may write at any time."""

_SUGGEST = "SUGGEST "


def has_words_for(turn: BotTurn) -> bool:
    """Return whether the protocol can ask this question of an opening.

    It asks for the first three stones together, and for a choice in `swap2`. Later stones are named
    in an answer, and `Gomocup.recall` knows them.
    """
    if turn.choices:
        return turn.opening is Opening.SWAP2
    return turn.opening is not Opening.SWAP2 or not turn.moves


class _Wants(Enum):
    """The answer that a step waits for."""

    OK = auto()
    RESTARTED = auto()
    MOVE = auto()
    STONES = auto()
    """The three stones of a swap2 opening."""
    CHOICE = auto()


class Gomocup(Language):
    """The talk with one engine process.

    An engine may write its words in either case, as the protocol has it.

    Args:
        max_memory: the bytes that the engine may use; 0 for no limit.
    """

    def __init__(self, max_memory: int = 0) -> None:
        self._max_memory = max_memory
        self._may_describe = False
        """Whether the answer to ABOUT may still come. Some engines give none."""
        self._steps: deque[tuple[str, _Wants]] = deque()
        self._wants: _Wants | None = None
        self._asked: BotTurn | None = None
        self._seen: tuple[int, ...] | None = None
        """The moves of the game as the engine knows them; None if it does not."""
        self._planned: tuple[int, ...] = ()
        """The moves of the game with those that the engine has named for the opening."""
        self._rejected = 0
        """How many lines of a rejected question may still be answered by UNKNOWN."""

    @property
    def is_preparing(self) -> bool:
        return bool(self._steps)

    def is_aside(self, line: str) -> bool:
        return not line.strip() or line.upper().startswith(_ASIDE)

    def ask(self, turn: BotTurn) -> bytes:
        """Return the first lines of a question; `hear` gives the next ones.

        Raises:
            CannotPlay: the protocol has five in a row, and no gravity.
        """
        require_playable(turn.rules)
        wants = _Wants.CHOICE if turn.choices else _Wants.MOVE
        if turn.opening is Opening.SWAP2 and not turn.moves:
            wants = _Wants.STONES
        steps: list[tuple[str, _Wants]] = []
        if (last := self._asked) is None or last.rules != turn.rules:
            self._may_describe = last is None
            about = "ABOUT\n" if self._may_describe else ""
            steps.append((about + _start(turn.rules), _Wants.OK))
        elif turn.game != last.game:
            steps.append(("RESTART", _Wants.RESTARTED))
        if steps:
            self._seen = ()
        steps.append((self._written(turn, wants), wants))
        self._asked = turn
        self._planned = ()
        self._steps = deque(steps)
        return self._next()

    def recall(self, turn: BotTurn) -> Answer | Choice | None:
        """Return a move that the engine has named before; in a `pie` opening the choice to stay."""
        if turn.choices:
            return Choice.STAY if turn.opening is Opening.PIE else None
        last, ply = self._asked, len(turn.moves)
        is_known = last is not None and last.game == turn.game and self._planned[:ply] == turn.moves
        return Answer(self._planned[ply]) if is_known and ply < len(self._planned) else None

    def hear(self, line: str) -> HeardLine:
        """Return what follows from a line of the engine.

        Raises:
            BotFailed: `not understood`.
            CannotPlay: the engine answers ERROR to START or BEGIN.
            MustStartAgain: the engine knows no RESTART.
        """
        words = line.strip().upper()
        if self._rejected and words.startswith(_UNKNOWN):
            self._rejected -= 1
            return HeardLine()
        may_describe, self._may_describe = self._may_describe, False
        if may_describe and not words.startswith(("OK", "ERROR")):
            return HeardLine()
        match self._wants:
            case _Wants.OK if words.startswith(_UNKNOWN):
                raise self._refusal(line)
            case _Wants.OK if not words.startswith("OK"):
                raise not_understood(line, "where OK was expected")
            case _Wants.RESTARTED if not words.startswith("OK"):
                raise MustStartAgain
            case _Wants.STONES if words.startswith(_UNKNOWN) and self._asked is not None:
                self._rejected = 1
                self._steps.append((self._written(self._asked, _Wants.MOVE), _Wants.MOVE))
            case _Wants.MOVE if words.startswith("ERROR") and not self._moves:
                raise self._refusal(line)
            case _Wants.MOVE if words.startswith(_SUGGEST):
                return HeardLine(reply=f"PLAY {words.removeprefix(_SUGGEST)}\n".encode())
            case _Wants.MOVE | _Wants.STONES:
                return HeardLine(self._answer(line))
            case _Wants.CHOICE:
                return HeardLine(self._choice(line))
            case _:
                pass
        return HeardLine(reply=self._next())

    def say_goodbye(self) -> bytes:
        """Return the line that asks the engine to end."""
        return b"END\n"

    def _next(self) -> bytes:
        line, self._wants = self._steps.popleft()
        return line.encode() + b"\n"

    def _written(self, asked: BotTurn, wants: _Wants) -> str:
        """Return the lines of a question."""
        left = _NO_LIMIT_MS if asked.left_ms is None else asked.left_ms
        whole = 0 if asked.left_ms is None else asked.left_ms
        lines = [f"INFO timeout_turn {asked.time_ms}"]
        if not self._seen:
            lines += [f"INFO timeout_match {whole}", f"INFO max_memory {self._max_memory}"]
            lines += ["INFO game_type 1"]  # the opponent is a program
            lines += [f"INFO rule {int(asked.rules.exact)}"]  # 0: a longer row wins, too
        lines.append(f"INFO time_left {left}")
        columns, moves = asked.rules.columns, asked.moves
        if wants in {_Wants.STONES, _Wants.CHOICE}:
            lines += ["SWAP2BOARD", *(_point(cell, columns) for cell in moves), "DONE"]
        elif not moves:
            lines.append("BEGIN")
        elif self._seen is not None and self._seen == moves[:-1]:
            lines.append(f"TURN {_point(moves[-1], columns)}")
        else:
            mine = len(moves) % 2
            stones = (
                f"{_point(cell, columns)},{1 if ply % 2 == mine else 2}"
                for ply, cell in enumerate(moves)
            )
            lines += ["BOARD", *stones, "DONE"]
        return "\n".join(lines)

    def _answer(self, line: str) -> Answer:
        if self._wants is _Wants.STONES:
            cells = self._cells(line, 3, "three stones like 7,7 8,7 9,9")
            self._planned, self._seen = cells, None
            return Answer(cells[0])
        (cell,) = self._cells(line, 1, "a move like 7,7")
        self._seen = (*self._moves, cell)
        return Answer(cell)

    def _choice(self, line: str) -> Choice:
        """Return the choice: after three stones the engine has the seat of O, after five of X."""
        self._seen = None
        plays_o, plays_x = Choice.STAY, Choice.SWAP
        if len(self._moves) > _STONES:
            plays_o, plays_x = plays_x, plays_o
        if line.upper().startswith(_UNKNOWN):
            self._rejected = len(self._moves) + 1
            return Choice.STAY
        if line.strip().upper() == "SWAP":
            return plays_x
        most = 1 if len(self._moves) > _STONES else 2
        count = min(most, max(1, len(_POINT.findall(line))))
        cells = self._cells(line, count, "SWAP or moves like 8,8 8,6")
        self._planned = (*self._moves, *cells)
        return Choice.MORE if count > 1 else plays_o

    def _refusal(self, line: str) -> UnplayableBoard:
        rules = None if self._asked is None else self._asked.rules
        name = "" if rules is None else f"{rules.columns}x{rules.rows}"
        said = shown(clean(line))
        return UnplayableBoard(f"the engine does not play on {name}: it says {said!r}")

    @property
    def _moves(self) -> tuple[int, ...]:
        return () if self._asked is None else self._asked.moves

    def _cells(self, line: str, count: int, expected: str) -> tuple[int, ...]:
        """Return the cells that a line names.

        Raises:
            BotFailed: `not understood`.
        """
        columns = 0 if self._asked is None else self._asked.rules.columns
        points = _POINT.findall(line)
        is_good = len(points) == count and not _POINT.sub("", line).strip()
        if not is_good or any(int(column) >= columns for column, _ in points):
            raise not_understood(line, f"where {expected} was expected")
        return tuple(int(row) * columns + int(column) for column, row in points)


def require_playable(rules: Rules) -> None:
    """Check that engines know a board.

    Raises:
        CannotPlay: the protocol has five in a row, and no gravity.
    """
    if rules.in_a_row != IN_A_ROW or rules.gravity or rules.variant is not None:
        raise UnplayableBoard("Gomocup engines play five in a row, without gravity: 15x15x5")


def _start(rules: Rules) -> str:
    if rules.columns == rules.rows:
        return f"START {rules.columns}"
    return f"RECTSTART {rules.columns},{rules.rows}"


def _point(cell: int, columns: int) -> str:
    row, column = divmod(cell, columns)
    return f"{column},{row}"
