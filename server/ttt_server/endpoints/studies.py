"""Positions by HTTP: a strategy's study of one, the value of any, and puzzles.

The queries of `/api/trace`, `/api/compare` and `/api/explore`; the puzzle of a day at
`/api/puzzles/daily`, and sets at `/api/puzzles?set=…`. Puzzles follow from what is asked for, and
are the same on every server: nothing is kept of who asks.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from typing import Final

import ttt_engine as engine
from ttt_engine.evaluation import Evaluation
from ttt_engine.exceptions import Flaw
from ttt_engine.learning.memory import Lesson, Memory
from ttt_engine.order import order_of
from ttt_engine.outcome import Value
from ttt_engine.puzzles import BOARDS, MOST_IN_SET, Kind, Puzzle
from ttt_protocol.base import FromServer, Maybe
from ttt_protocol.notation import MOST_ON_WIRE
from ttt_protocol.state import BySeat, Mark, Rules
from ttt_server.ai.evaluations import Evaluations
from ttt_server.ai.laboratory import MOST_STEPS, PuzzleWish, StrategyWish, Study
from ttt_server.ai.runner import AiFailed
from ttt_server.core.room import wire_rules
from ttt_server.core.snapshot import shown
from ttt_server.endpoints.asking import read_fields
from ttt_server.transport.responses import HttpError

JSON_LINES: Final = "application/x-ndjson"
"""The `Content-Type` of lines of JSON."""

DEFAULT_STEPS: Final = 2000
"""The default limit of a trace."""

MOST_GAMES: Final = 40
"""The most games that a query gives a learner to remember."""

_MOVES = re.compile(r"([a-s][1-9][0-9]?)+")
_IN_LAYERS = re.compile(r"([1-9][a-s][1-9])+")


@contextmanager
def study_failures() -> Iterator[None]:
    """Turn errors of a study into HTTP errors.

    Raises:
        HttpError: 400 for a position or strategy that there is not, 503 without an answer.
    """
    try:
        yield
    except engine.EngineError as error:
        raise HttpError(400, str(error)) from None
    except AiFailed as failure:
        raise HttpError(503, str(failure)) from None


def read_study(query: str) -> Study:
    """Return the position of a query: `rules`, and `moves` or `board`; else the empty board.

    `games` are what the learner remembers in it.

    Raises:
        EngineError: there is no such board or position, or the game is over.
        HttpError: 400 for other faults.
    """
    fields = read_fields(query)
    rules = read_rules(fields)
    if "moves" in fields and "board" in fields:
        raise HttpError(400, "give moves or a board, not both")
    moves: tuple[int, ...] | None = None
    if "board" in fields:
        position = engine.Position.parse(fields["board"].upper(), rules)
    else:
        moves = read_moves(fields.get("moves", ""), rules)
        position = engine.Position.after(moves, rules)
    if position.outcome() is not None:
        raise engine.GameOver("the game is over")
    return Study(position, moves, _read_games(fields))


def read_rules(fields: Mapping[str, str]) -> engine.Rules:
    """Return the board of a query; a room has at most 19 columns and rows.

    Raises:
        InvalidRules: there is no such board.
    """
    rules = engine.Rules.parse(fields.get("rules", "3x3x3"))
    if max(rules.columns, rules.rows) > MOST_ON_WIRE:
        raise engine.InvalidRules(f"{rules}: each side must be 3 to {MOST_ON_WIRE}")
    return rules


def read_wish(query: str) -> StrategyWish:
    """Return the strategy of a query: `strategy=minimax:9`.

    Raises:
        HttpError: 400 without one, or with a level that is no digit.
    """
    name, colon, level = read_fields(query).get("strategy", "").partition(":")
    if not name:
        raise HttpError(400, "name a strategy: strategy=minimax:9")
    if colon and not re.fullmatch("[0-9]", level):
        raise HttpError(400, "a level is 0 to 9")
    return StrategyWish(name, int(level) if colon else None)


def read_limit(query: str) -> int:
    """Return the most steps of a trace.

    Raises:
        HttpError: 400 if it is not 1 to `MOST_STEPS`.
    """
    text = read_fields(query).get("limit", str(DEFAULT_STEPS))
    if not re.fullmatch("[0-9]{1,5}", text) or not 1 <= int(text) <= MOST_STEPS:
        raise HttpError(400, f"a limit is 1 to {MOST_STEPS} steps")
    return int(text)


def read_moves(text: str, rules: engine.Rules) -> tuple[int, ...]:
    """Return the cells of moves written without separators: `b2a1c3`.

    Raises:
        InvalidCell: one is off the board.
        HttpError: 400 for what is no move.
    """
    if rules.cell_name(0)[0].isdigit() and _IN_LAYERS.fullmatch(text):
        return tuple(rules.parse_cell(name) for name in re.findall("...", text))
    if text and not _MOVES.fullmatch(text):
        raise HttpError(400, "write moves as cells without separators: b2a1c3")
    return tuple(rules.parse_cell(name) for name in re.findall("[a-s][0-9]+", text))


def _read_games(fields: Mapping[str, str]) -> Memory | None:
    """Return the memory of `games=b2a1c1a3a2,…`; `None` without the field."""
    if "games" not in fields:
        return None
    names = [name for name in fields["games"].split(",") if name]
    if len(names) > MOST_GAMES:
        raise HttpError(400, f"at most {MOST_GAMES} games")
    memory = Memory()
    for moves in (read_moves(name, engine.TIC_TAC_TOE) for name in names):
        outcome = engine.Position.after(moves).outcome()
        if outcome is None:
            raise HttpError(400, "play each of the games to its end")
        memory.learn(Lesson.of(moves, outcome.winner))
    return memory


class FlawedPosition(FromServer):
    """A board that no game can reach."""

    rules: Rules
    board: str
    flaw: Flaw
    reason: str


class ExploredPosition(FromServer):
    """A position, and its value for the side to move as far as it is known."""

    rules: Rules
    board: str
    moves: tuple[int, ...] | None
    """Moves that lead here, as `start` takes them; `None` if none are known."""
    turn: Mark
    """The side to move, or that would move if the game were not over."""
    legal: tuple[int, ...]
    boards: Maybe[str] = None
    """This and the next two as in a game; absent where the variant has them not."""
    leaving: Maybe[BySeat[int | None]] = None
    marks: Maybe[int] = None
    winner: Mark | None
    line: tuple[int, ...] | None
    """Every cell of the winning line or lines."""
    over: bool
    best: tuple[int, ...]
    values: dict[str, Value | None]
    """Loss, draw or win for the side to move, by legal cell; `None` if unknown."""
    reason: str


async def explore(
    query: str, explorer: Evaluations, *, key: str = ""
) -> ExploredPosition | FlawedPosition:
    """Answer `rules=7x6x4g&moves=d6d5`. `key` groups the askers that take turns.

    The board is empty, or as `board=` has it, a letter a cell, row by row from the top left;
    `moves=` are played on it, the names of their cells one after the other.

    Raises:
        HttpError: 400 for what is no query, 503 if nothing could be found out.
        TooBusy: too many other requests are under way.
    """
    fields = _known_fields(query, "rules", "board", "moves")
    try:
        rules = read_rules(fields)
        moves = read_moves(fields.get("moves", ""), rules)
    except engine.Invalid as error:
        raise HttpError(400, str(error)) from None
    board = fields.get("board", "." * rules.cells)
    try:
        base = engine.Position.parse(board, rules)
    except engine.InvalidPosition as error:
        wire = wire_rules(rules)
        return FlawedPosition(rules=wire, board=board, flaw=error.flaw, reason=str(error))
    position = base
    try:
        for cell in moves:
            position = position.play(cell)
    except engine.IllegalMove as error:
        raise HttpError(400, f"moves: {error}") from None
    is_over = position.outcome() is not None
    try:
        found = None if is_over else await explorer.evaluate(position, key=key)
    except AiFailed as failure:
        raise HttpError(503, str(failure)) from None
    return _explored(base, position, moves, found)


def _explored(
    base: engine.Position,
    position: engine.Position,
    moves: tuple[int, ...],
    found: Evaluation | None,
) -> ExploredPosition:
    before, outcome = order_of(base), position.outcome()
    values = {} if found is None else found.values
    return ExploredPosition(
        rules=wire_rules(position.rules),
        board=position.board,
        moves=None if before is None else (*before, *moves),
        turn=Mark(position.turn),
        **{"legal": position.legal_moves} | shown(position),
        winner=None if outcome is None or outcome.winner is None else Mark(outcome.winner),
        line=None if outcome is None else outcome.line,
        over=outcome is not None,
        best=() if found is None else found.best,
        values={str(cell): value for cell, value in sorted(values.items())},
        reason="" if found is None else found.reason,
    )


_NAME: Final = re.compile(r"[a-z0-9-]{1,24}")
_DEFAULT_SIZE: Final = 6


class PosedPuzzle(FromServer):
    """A position, a question about it, and the one answer."""

    kind: Kind
    rules: Rules
    board: str
    turn: Mark
    legal: Maybe[tuple[int, ...]] = None
    """This and the next as in a game; absent where the variant has them not."""
    boards: Maybe[str] = None
    cell: int | None
    """The answer to `win_in_two` and `only_move`."""
    winner: Mark | None
    """The side that wins with best play, which answers `who_wins`; `None` for a draw."""


class DailyPuzzle(FromServer):
    """The puzzle of a day, which begins and ends by UTC."""

    date: str
    puzzle: PosedPuzzle


class PuzzleSet(FromServer):
    """Puzzles by the name of their set."""

    set: str
    puzzles: tuple[PosedPuzzle, ...]


def read_day(query: str, today: date) -> PuzzleWish:
    """Return the wish for the puzzle of `date=2026-11-26`, or of today.

    Raises:
        HttpError: 400 for what is no date, or is a day to come.
    """
    text = _known_fields(query, "date").get("date", today.isoformat())
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.min
    if day.isoformat() != text:
        raise HttpError(400, "write a date as 2026-11-26")
    if day > today:
        raise HttpError(400, "the puzzle of a day to come is not told")
    return PuzzleWish(day)


def read_set(query: str) -> PuzzleWish:
    """Return the wish for a set: `set=class-4b&kinds=win_in_two,who_wins&rules=3x3x3&count=6`.

    Raises:
        HttpError: 400 for another name, kind, board or number.
    """
    fields = _known_fields(query, "count", "kinds", "rules", "set")
    name = fields.get("set", "")
    if not _NAME.fullmatch(name):
        raise HttpError(400, "name a set: 1 to 24 of a-z, 0-9 and -")
    try:
        rules = read_rules(fields)
    except engine.Invalid as error:
        raise HttpError(400, str(error)) from None
    asked = [kind for kind in Kind if rules in BOARDS[kind]]
    wanted = fields.get("kinds", ",".join(asked)).split(",")
    kinds = tuple(kind for kind in asked if kind in wanted)
    if not asked:
        raise HttpError(400, "there are no puzzles on this board")
    if not kinds or len(kinds) != len(wanted):
        known = ", ".join(asked)
        raise HttpError(400, f"the kinds of puzzles on this board: {known}; name each at most once")
    size = fields.get("count", str(_DEFAULT_SIZE))
    if not re.fullmatch("[0-9]{1,2}", size) or not 1 <= int(size) <= MOST_IN_SET:
        raise HttpError(400, f"a set has 1 to {MOST_IN_SET} puzzles")
    return PuzzleWish(None, name, kinds, rules, int(size))


def posed(puzzle: Puzzle) -> PosedPuzzle:
    """Return a puzzle as it is told."""
    position, winner = puzzle.position, puzzle.winner
    return PosedPuzzle(
        kind=puzzle.kind,
        rules=wire_rules(position.rules),
        board=position.board,
        turn=Mark(position.turn),
        **shown(position),
        cell=puzzle.cell,
        winner=None if winner is None else Mark(winner),
    )


def _known_fields(query: str, *known: str) -> dict[str, str]:
    fields = read_fields(query)
    if unknown := set(fields) - set(known):
        raise HttpError(400, f"{len(unknown)} unknown fields; known are {', '.join(known)}")
    return fields
