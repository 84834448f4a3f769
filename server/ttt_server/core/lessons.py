"""The lessons that the learner remembers of the games in a room's log. Pure.

Only a game that ended on the board is one: by a line, or on a full board. How it ends otherwise,
by resignation, on time, by agreement, is up to the players alone, who could teach anything by it.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ttt_engine import TIC_TAC_TOE, Mark
from ttt_engine.learning.memory import Lesson
from ttt_protocol.codes import Reason
from ttt_protocol.events import Created, Ended, Event, Played, Started, TakenBack
from ttt_protocol.state import Outcome, Settings
from ttt_server.core.room import Room, engine_rules

_ON_THE_BOARD: Final = (Reason.LINE, Reason.FULL)


class Taught(NamedTuple):
    """A lesson, and when its game ended."""

    lesson: Lesson
    at: int
    """Unix ms."""


def lesson_of(room: Room, ended: Ended) -> Lesson | None:
    """Return the lesson of the game in `room`, which began on the empty 3x3 board and ends so.

    `None` if it did not, or ends otherwise than on the board.
    """
    if room.game is None or room.game.position.rules != TIC_TAC_TOE or room.settings.start:
        return None
    return _lesson(room.game.moves, ended.outcome)


def lessons_of(log: Iterable[Event], settings: Settings | None = None) -> Iterator[Taught]:
    """Return the lessons of a log, which is read no further if the board is another.

    Args:
        log: all events of a room, or those from a game's end on.
        settings: those of the room, if the first event is not among them.
    """
    events = iter(log)
    if settings is None:
        match next(events, None):
            case Created(settings=settings):
                pass
            case _:
                return
    if engine_rules(settings) == TIC_TAC_TOE and not settings.start:
        yield from _lessons(events)


def _lessons(events: Iterable[Event]) -> Iterator[Taught]:
    moves: tuple[int, ...] = ()
    for event in events:
        match event:
            case Started():
                moves = ()
            case Played(cell=cell):
                moves = (*moves, cell)
            case TakenBack(ply=ply):
                moves = moves[:ply]
            case Ended(outcome=outcome, at=at):
                if (lesson := _lesson(moves, outcome)) is not None:
                    yield Taught(lesson, at)
            case _:
                pass


def _lesson(moves: tuple[int, ...], outcome: Outcome) -> Lesson | None:
    if outcome.reason not in _ON_THE_BOARD:
        return None
    return Lesson.of(moves, None if outcome.winner is None else Mark(outcome.winner))
