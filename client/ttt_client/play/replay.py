"""A recorded game, move by move. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import assert_never

from ttt_client.model.view import View
from ttt_client.text import render
from ttt_client.text.narrate import narrate
from ttt_protocol.codec import BadMessage
from ttt_protocol.events import (
    Chosen,
    Created,
    Declined,
    Ended,
    Event,
    Left,
    Moderated,
    Offered,
    Played,
    Renamed,
    Seated,
    Slept,
    Started,
    TakenBack,
)
from ttt_protocol.messages import Update
from ttt_protocol.records import GameRecord
from ttt_protocol.state import (
    AiSeat,
    BySeat,
    Clock,
    Game,
    Human,
    HumanSeat,
    Mark,
    Offers,
    Outcome,
    Player,
    RoomState,
    Score,
    Seat,
    Settings,
    Status,
    TimeLeft,
)
from ttt_protocol.text import clean


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """Some events, and the room after them. The first step has no events."""

    events: tuple[Event, ...]
    room: RoomState


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded game, and its steps."""

    record: GameRecord
    steps: tuple[ReplayStep, ...]
    number: int
    """Its number in the room, or in the file that it was read from."""


def recording_of(record: GameRecord, number: int | None = None) -> Recording:
    """Return the game with its steps. `number`: that in its file, if it is from one.

    Raises:
        BadMessage: if the events do not make a game.
    """
    return Recording(record, tuple(steps_of(record)), number or record.game)


def replay_lines(recording: Recording, *, ascii_only: bool = False) -> Iterator[str]:
    """Yield the whole game in lines for people."""
    record, shown = recording.record, recording.steps
    rules = render.rules_words(record.rules)
    yield f"room {clean(record.room)}, game {record.game}: {rules}"
    yield from render.seats(View(room=shown[0].room))
    for before, step in pairwise(shown):
        happened = Update(events=step.events, room=step.room)
        after = View(room=step.room)
        yield from narrate(View(room=before.room), happened, after, ascii_only=ascii_only)


def steps_of(record: GameRecord) -> list[ReplayStep]:
    """Return the beginning, then a step for each event; an end joins the step before it.

    Raises:
        BadMessage: if the events do not make a game.
    """
    progress = _Progress(_start(record))
    found = [ReplayStep((), _room(record, progress))]
    for event in record.events:
        progress = _follow(progress, event, record.rules.columns * record.rules.rows)
        room = _room(record, progress)
        match event:
            case Started():
                pass  # the first step
            case Ended() if len(found) > 1:
                found[-1] = ReplayStep((*found[-1].events, event), room)
            case _:
                found.append(ReplayStep((event,), room))
    return found


@dataclass(frozen=True, slots=True)
class _Progress:
    """A game so far."""

    moves: tuple[Played, ...] = ()
    clock: TimeLeft | None = None
    outcome: Outcome | None = None


def _start(record: GameRecord) -> tuple[Played, ...]:
    """Return the moves that were made before the start."""
    if any(cell >= record.rules.columns * record.rules.rows for cell in record.start):
        raise BadMessage("not a record of a game: its start is off the board")
    return tuple(
        Played(seq=0, at=0, game=record.game, ply=ply, seat=list(Mark)[ply % 2], cell=cell)
        for ply, cell in enumerate(record.start)
    )


def _follow(progress: _Progress, event: Event, cells: int) -> _Progress:
    match event:
        case Played(cell=cell, clock=clock) if 0 <= cell < cells:
            return _Progress((*progress.moves, event), clock)
        case TakenBack(ply=ply, clock=clock) if 0 <= ply <= len(progress.moves):
            return _Progress(progress.moves[:ply], clock)
        case Played() | TakenBack():
            raise BadMessage(f"not a record of a game: event {event.seq} is off the board")
        case Ended(outcome=outcome, clock=clock):
            return _Progress(progress.moves, clock, outcome)
        case Created() | Seated() | Left() | Started() | Offered() | Declined():
            return progress
        case Renamed() | Moderated():
            return progress
        case Chosen(clock=clock) | Slept(clock=clock):
            return replace(progress, clock=clock)
        case _:  # pragma: no cover - the union is closed
            assert_never(event)


def _room(record: GameRecord, progress: _Progress) -> RoomState:
    """Return the room at that time, as far as the record knows it."""
    moves, clock = progress.moves, progress.clock
    board = ["."] * (record.rules.columns * record.rules.rows)
    for move in moves:
        board[move.cell] = move.seat.value
    return RoomState(
        name=record.room,
        seq=0,
        status=Status.FINISHED if progress.outcome else Status.PLAYING,
        locked=False,
        settings=Settings(rules=record.rules),
        seats=BySeat[Seat | None](X=_seat(record.seats.X), O=_seat(record.seats.O)),
        game=Game(
            number=record.game,
            board="".join(board),
            turn=moves[-1].seat.other if moves else Mark.X,
            ply=len(moves),
            moves=tuple(move.cell for move in moves),
            outcome=progress.outcome,
            clock=Clock(X=clock.X, O=clock.O, running=None) if clock else None,
        ),
        offers=Offers(),
        score=Score(),
        spectators=0,
    )


def _seat(player: Player | None) -> Seat | None:
    match player:
        case None:
            return None
        case Human(id=id_, name=name):
            return HumanSeat(id=id_, name=name, connected=True)
        case _:
            return AiSeat(name=player.name, strategy=player.strategy, level=player.level)
