"""The queries of `/api/trace` and `/api/compare`: a position, a strategy, a limit."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final
from urllib.parse import parse_qsl

from ttt_engine import TIC_TAC_TOE, EngineError, GameOver, InvalidRules, Position, Rules
from ttt_engine.learning.memory import Lesson, Memory
from ttt_protocol.exports.notation import MOST_ON_WIRE
from ttt_server.ai.laboratory import MOST_STEPS, StrategyWish, Study
from ttt_server.ai.runner import AiFailed
from ttt_server.transport.responses import HttpError

STUDIES: Final = ("/api/trace", "/api/compare")
"""The paths whose answers are for one client only; their work ends when it leaves."""

JSON_LINES: Final = "application/x-ndjson"
"""The `Content-Type` of lines of JSON."""

DEFAULT_STEPS: Final = 2000
"""The default limit of a trace."""

MOST_GAMES: Final = 40
"""The most games that a query gives a learner to remember."""

_MOST_FIELDS: Final = 8
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
    except EngineError as error:
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
        position = Position.parse(fields["board"].upper(), rules)
    else:
        moves = read_moves(fields.get("moves", ""), rules)
        position = Position.after(moves, rules)
    if position.outcome() is not None:
        raise GameOver("the game is over")
    return Study(position, moves, _read_games(fields))


def read_rules(fields: Mapping[str, str]) -> Rules:
    """Return the board of a query; a room has at most 19 columns and rows.

    Raises:
        InvalidRules: there is no such board.
    """
    rules = Rules.parse(fields.get("rules", "3x3x3"))
    if max(rules.columns, rules.rows) > MOST_ON_WIRE:
        raise InvalidRules(f"{rules}: each side must be 3 to {MOST_ON_WIRE}")
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


def read_fields(query: str) -> dict[str, str]:
    """Return the fields of a query.

    Raises:
        HttpError: 400 for too many.
    """
    try:
        return dict(parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise HttpError(400, "too many fields") from None


def read_moves(text: str, rules: Rules) -> tuple[int, ...]:
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
    for moves in (read_moves(name, TIC_TAC_TOE) for name in names):
        outcome = Position.after(moves).outcome()
        if outcome is None:
            raise HttpError(400, "play each of the games to its end")
        memory.learn(Lesson.of(moves, outcome.winner))
    return memory
