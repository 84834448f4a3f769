"""What the learner is to remember of the games in a room's log. Pure."""

from collections.abc import Iterable, Iterator

from ttt_engine import TIC_TAC_TOE, Mark
from ttt_engine.learning.memory import Lesson
from ttt_protocol.codes import Reason
from ttt_protocol.events import Created, Ended, Event, Played, Started, TakenBack
from ttt_protocol.state import Outcome
from ttt_server.core.room import Room, engine_rules


def lesson_of(room: Room, events: tuple[Event, ...]) -> Lesson | None:
    """What is to be remembered when `events` happen in `room`: of a game on 3x3 that they end."""
    if Ended not in map(type, events):
        return None  # as nearly always
    if room.game is None or room.game.position.rules != TIC_TAC_TOE:
        return None
    return next(_lessons(events, room.game.moves), None)


def lessons_of(log: Iterable[Event]) -> Iterator[Lesson]:
    """What is to be remembered of a room, when `log` is all that happened in it.

    It looks no further where the board is another.
    """
    events = iter(log)
    match next(events, None):
        case Created(settings=settings) if engine_rules(settings) == TIC_TAC_TOE:
            yield from _lessons(events)


def _lessons(events: Iterable[Event], moves: tuple[int, ...] = ()) -> Iterator[Lesson]:
    """Of the games that end among `events`; `moves` were played in the running one before."""
    for event in events:
        match event:
            case Started():
                moves = ()
            case Played(cell=cell):
                moves = (*moves, cell)
            case TakenBack(ply=ply):
                moves = moves[:ply]
            case Ended(outcome=outcome) if not _is_nobodys(outcome):
                winner = None if outcome.winner is None else Mark(outcome.winner)
                yield Lesson.of(moves, winner)


def _is_nobodys(outcome: Outcome) -> bool:
    """Whether both have left the game: then it is no draw either, and nothing can be learned."""
    return outcome.winner is None and outcome.reason is Reason.ABANDONMENT
