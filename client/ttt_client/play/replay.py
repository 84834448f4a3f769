"""A recorded game, move by move. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from ttt_client.model import variants
from ttt_client.model.view import View
from ttt_client.text import render
from ttt_client.text.narrate import narrate
from ttt_protocol import events, state
from ttt_protocol.codec import BadMessage
from ttt_protocol.codes import Choice
from ttt_protocol.events import Event
from ttt_protocol.messages import Update
from ttt_protocol.records import GameRecord
from ttt_protocol.text import clean


class ReplayStep(NamedTuple):
    """Some events, and the room after them. The first step has no events."""

    events: tuple[Event, ...]
    room: state.RoomState


class Recording(NamedTuple):
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


def replay_lines(
    recording: Recording, *, ascii_only: bool = False, drawn: bool = True
) -> Iterator[str]:
    """Yield the whole game in lines for people; with `drawn` false without boards."""
    record, shown = recording.record, recording.steps
    yield f"room {clean(record.room)}, game {record.game}: {variants.words(record.rules)}"
    yield from render.seats(View(room=shown[0].room))
    for before, step in pairwise(shown):
        happened = Update(events=step.events, room=step.room)
        was, now = View(room=before.room), View(room=step.room)
        yield from narrate(was, happened, now, ascii_only=ascii_only, drawn=drawn)


def steps_of(record: GameRecord) -> list[ReplayStep]:
    """Return the beginning, then a step for each event; an end joins the step before it.

    Raises:
        BadMessage: if the events do not make a game.
    """
    progress = _Progress(_start(record))
    found = [ReplayStep((), _room(record, progress, record.events))]
    for number, event in enumerate(record.events, start=1):
        progress = _follow(progress, event, record.rules.columns * record.rules.rows)
        room = _room(record, progress, record.events[number:])
        match event:
            case events.Started():
                pass  # the first step
            case events.Ended() if len(found) > 1:
                found[-1] = ReplayStep((*found[-1].events, event), room)
            case _:
                found.append(ReplayStep((event,), room))
    return found


@dataclass(frozen=True, slots=True)
class _Progress:
    """A game so far."""

    cells: tuple[int, ...] = ()
    clock: state.TimeLeft | None = None
    outcome: state.Outcome | None = None
    is_swapped: bool = False
    """Whether the players have changed seats since the start."""


def _start(record: GameRecord) -> tuple[int, ...]:
    """Return the cells of the moves that were made before the start."""
    if any(cell >= record.rules.columns * record.rules.rows for cell in record.start):
        raise BadMessage("not a record of a game: its start is off the board")
    return tuple(record.start)


def _follow(progress: _Progress, event: Event, cells: int) -> _Progress:
    match event:
        case events.Played(cell=cell, clock=clock) if 0 <= cell < cells:
            return replace(progress, cells=(*progress.cells, cell), clock=clock)
        case events.TakenBack(ply=ply, clock=clock) if 0 <= ply <= len(progress.cells):
            return replace(progress, cells=progress.cells[:ply], clock=clock)
        case events.Played() | events.TakenBack():
            raise BadMessage(f"not a record of a game: event {event.seq} is off the board")
        case events.Ended(outcome=outcome, clock=clock):
            return replace(progress, clock=clock, outcome=outcome)
        case events.Created() | events.Seated() | events.Left() | events.Started():
            return progress
        case events.Offered() | events.Declined() | events.Renamed() | events.Moderated():
            return progress
        case events.Chosen(choice=choice, clock=clock):
            changes = choice is Choice.SWAP
            return replace(progress, clock=clock, is_swapped=progress.is_swapped is not changes)
        case events.Slept(clock=clock):
            return replace(progress, clock=clock)


def _room(record: GameRecord, progress: _Progress, later: Sequence[Event]) -> state.RoomState:
    """Return the room at that time, as far as the record and its `later` events tell it."""
    cells, clock = progress.cells, progress.clock
    x, o = _seat(record.seats.X), _seat(record.seats.O)
    if progress.is_swapped:
        x, o = o, x
    turn, choosing = _next(variants.turn_at(record.rules, len(cells)), later)
    return state.RoomState(
        name=record.room,
        seq=0,
        status=state.Status.FINISHED if progress.outcome else state.Status.PLAYING,
        locked=False,
        settings=state.Settings(rules=record.rules),
        seats=state.BySeat(X=x, O=o),
        game=state.Game(
            number=record.game,
            board=_board(record, cells),
            turn=turn,
            choosing=choosing,
            ply=len(cells),
            moves=cells,
            outcome=progress.outcome,
            clock=state.Clock(X=clock.X, O=clock.O, running=None) if clock else None,
        ),
        offers=state.Offers(),
        score=state.Score(),
        spectators=0,
    )


def _board(record: GameRecord, cells: tuple[int, ...]) -> str:
    """Return the board after these moves.

    The record tells the boards of a variant, whose rules may be anything, but for moves that were
    taken back.
    """
    if cells and record.boards and cells == _kept(record)[: len(cells)]:
        return record.boards[len(cells) - 1]
    return variants.board_after(record.rules, cells)


def _kept(record: GameRecord) -> tuple[int, ...]:
    """Return the moves that were not taken back, as far as their boards are told."""
    progress = _Progress(_start(record))
    for event in record.events:
        progress = _follow(progress, event, record.rules.columns * record.rules.rows)
    return progress.cells[: len(record.boards)]


def _next(turn: state.Mark, later: Sequence[Event]) -> tuple[state.Mark, state.Mark | None]:
    """Return the seat that acts, and again if it chooses: in an opening the record tells them.

    Where it tells none, it is the seat whose turn it is.
    """
    acts = events.Played | events.Chosen | events.TakenBack
    match next((event for event in later if isinstance(event, acts)), None):
        case events.Chosen(seat=seat):
            return seat, seat
        case events.Played(seat=seat):
            return seat, None
        case _:
            return turn, None


def _seat(player: state.Player | None) -> state.Seat | None:
    match player:
        case None:
            return None
        case state.Human(id=id_, name=name):
            return state.HumanSeat(id=id_, name=name, connected=True)
        case _:
            return state.AiSeat(name=player.name, strategy=player.strategy, level=player.level)
