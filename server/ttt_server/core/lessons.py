"""The lessons that the learner remembers of the games in a room's log. Pure."""

from collections.abc import Iterable, Iterator

from ttt_engine import TIC_TAC_TOE, Mark
from ttt_engine.learning.memory import Lesson
from ttt_protocol.codes import Reason
from ttt_protocol.state import Outcome, Settings
from ttt_server.core.events import Created, Ended, Event, Played, Started, TakenBack
from ttt_server.core.room import Room, engine_rules


def lesson_of(room: Room, ended: Ended) -> Lesson | None:
    """Return the lesson of the game in `room` that ends so, if it began on the empty 3x3 board."""
    if room.game is None or room.game.position.rules != TIC_TAC_TOE or room.settings.start:
        return None
    return _lesson(room.game.moves, ended.outcome)


def lessons_of(log: Iterable[Event], settings: Settings | None = None) -> Iterator[Lesson]:
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


def _lessons(events: Iterable[Event]) -> Iterator[Lesson]:
    moves: tuple[int, ...] = ()
    for event in events:
        match event:
            case Started():
                moves = ()
            case Played(cell=cell):
                moves = (*moves, cell)
            case TakenBack(ply=ply):
                moves = moves[:ply]
            case Ended(outcome=outcome):
                if (lesson := _lesson(moves, outcome)) is not None:
                    yield lesson
            case _:
                pass


def _lesson(moves: tuple[int, ...], outcome: Outcome) -> Lesson | None:
    if outcome.winner is None and outcome.reason is Reason.ABANDONMENT:
        return None  # both players have left: it is not a draw, and teaches nothing
    return Lesson.of(moves, None if outcome.winner is None else Mark(outcome.winner))
