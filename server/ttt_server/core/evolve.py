"""The fold: the room after an event, and the decisions that give events. Pure.

A room is the fold of `evolve` over its log, so restoring, replaying and following one are the same.
The events say everything: no clock or random choice is needed.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, assert_never

from ttt_engine import Position, UnknownVariant
from ttt_engine.openings.opening import Choice as EngineChoice
from ttt_protocol import events
from ttt_protocol.codes import Reason
from ttt_protocol.events import Event
from ttt_protocol.state import Human, Mark, OfferKind, Offers, Outcome, Score, Settings, TimeLeft
from ttt_server.core.clock import GameClock
from ttt_server.core.clock import start as start_clock
from ttt_server.core.errors import InvalidLog, LacksPackage
from ttt_server.core.room import (
    NO_OFFERS,
    NO_SCORE,
    Room,
    RoomGame,
    engine_rules,
    game_of,
    opening_of,
)


def evolve(room: Room, event: events.Event) -> Room:
    """Return the room after `event`, checking no more than that takes.

    `contradiction` checks an event by all the rules.

    Raises:
        InvalidLog: if it does not fit the room.
        IllegalMove: if it is a move that the rules forbid.
    """
    if event.seq != room.seq + 1:
        raise InvalidLog(f"{room.name}: event {event.seq} follows {room.seq}")
    if isinstance(event, events.Played):  # most events; a pattern takes 50 ns more
        game = game_of(room)
        return after_move(room, game, event, game.position.play(event.cell))
    match event:  # the most frequent first
        case events.Ended():
            return after_end(room, event)
        case events.Offered(kind=kind, seat=seat):
            return _after(room, event, offers=_with_offer(room.offers, kind, seat))
        case events.Started():
            return _started(room, event)
        case events.Seated():
            return _seated(room, event)
        case events.Created():
            return _created(room, event)
        case events.Chosen():
            return _chosen(room, event)
        case events.Left(seat=seat):
            seats, absent = room.seats.with_(seat, None), room.stood_in_for.with_(seat, None)
            return _after(room, event, seats=seats, stood_in_for=absent, offers=NO_OFFERS)
        case events.Declined(kind=kind):
            return _after(room, event, offers=_with_offer(room.offers, kind, None))
        case events.TakenBack():
            return _taken_back(room, event)
        case events.Renamed():
            return _renamed(room, event)
        case events.Moderated(chat=mode):
            return _after(room, event, chat=mode)
        case events.Slept(clock=left):
            game = replace(game_of(room), clock=_clock(left, event.at))
            return _after(room, event, game=game)
        case _:
            assert_never(event)


def evolve_all(room: Room, log: Iterable[events.Event]) -> Room:
    """Return the room after all events of `log`."""
    for event in log:
        room = evolve(room, event)
    return room


def _after(room: Room, event: events.Event, **changes: Any) -> Room:
    return room.after(event.seq, event.at, changes)


def after_move(room: Room, game: RoomGame, event: events.Played, position: Position) -> Room:
    """Return the room after a move in its game that leads to this position."""
    at, left = event.at, event.clock
    moves = (*game.moves, event.cell)
    clock = None if left is None else GameClock(left, at)
    moved = RoomGame(game.number, position, moves, game.outcome, clock, game.opening)
    offers = room.offers if room.offers is NO_OFFERS else _lapsed(room.offers)
    # Takes half the time of `replace`, and every move comes through here.
    return Room(
        room.name,
        room.settings,
        room.password_hash,
        room.seats,
        room.stood_in_for,
        offers,
        room.score,
        room.met,
        event.seq,
        moved,
        at,
        room.host,
        room.chat,
    )


def _chosen(room: Room, event: events.Chosen) -> Room:
    game = game_of(room)
    if game.opening is None or event.ply != game.ply or event.choice not in game.choices:
        raise InvalidLog(f"{room.name}: event {event.seq} chooses what is not to be chosen")
    opening = game.opening.chosen(EngineChoice(event.choice))
    game = replace(game, opening=opening, clock=_clock(event.clock, event.at))
    seats = _changed_seats(room) if opening.is_swapped else {}
    return _after(room, event, game=game, offers=NO_OFFERS, **seats)


def _changed_seats(room: Room) -> dict[str, Any]:
    """Return the fields that change when the players change seats."""
    score, absent = room.score, room.stood_in_for
    return {
        "seats": room.seats.swapped,
        "stood_in_for": absent if absent.empty else absent.swapped,
        "score": _score(score.O, score.X, score.draws),
    }


def after_end(room: Room, event: events.Ended) -> Room:
    """Return the room after the end of its game."""
    game, outcome = game_of(room), event.outcome
    clock = _clock(event.clock, event.at)
    number, position, moves, opening = game.number, game.position, game.moves, game.opening
    over = RoomGame(number, position, moves, outcome, clock, opening, event.unrated)
    return _after(room, event, game=over, offers=NO_OFFERS, score=_counted(room.score, outcome))


def _created(room: Room, event: events.Created) -> Room:
    settings = event.settings
    _require_variant(event)
    return _after(
        room,
        event,
        settings=settings if settings is room.settings else shared(settings),
        password_hash=event.lock,
        host=event.host,
        chat=settings.chat,
    )


def _require_variant(event: events.Created) -> None:
    """Check that this server knows the game of a room.

    Raises:
        LacksPackage: if not; the room stays as it is.
    """
    variant = event.settings.rules.variant
    try:
        if variant is not None:
            engine_rules(event.settings)
    except UnknownVariant:
        package = f"the package {event.package}" if event.package else "a package"
        words = f"this room plays {variant!r}, which needs {package} that is not installed here"
        raise LacksPackage(words) from None


def _renamed(room: Room, event: events.Renamed) -> Room:
    player = room.seats[event.seat]
    if not isinstance(player, Human):
        raise InvalidLog(f"{room.name}: event {event.seq} renames a seat without a human")
    renamed = replace(player, name=event.name)
    return _after(room, event, seats=room.seats.with_(event.seat, renamed))


def _seated(room: Room, event: events.Seated) -> Room:
    seat, player, before = event.seat, event.player, room.seats[event.seat]
    # An AI holds the seat for a human, who may come back; a human does not.
    absent = room.stood_in_for[seat]
    if isinstance(before, Human):
        absent = before
    if isinstance(player, Human):
        absent = None
    new_series = {"met": False, "score": NO_SCORE} if before is None else {}
    return _after(
        room,
        event,
        host=player.id if room.host is None and isinstance(player, Human) else room.host,
        seats=room.seats.with_(seat, player),
        stood_in_for=room.stood_in_for.with_(seat, absent),
        offers=NO_OFFERS,
        **new_series,
    )


def _started(room: Room, event: events.Started) -> Room:
    start = room.settings.start
    rules = engine_rules(room.settings) if room.game is None else room.game.position.rules
    position, opening = Position.after(start, rules), opening_of(room.settings)
    clock = start_clock(room.settings, event.at)
    game = RoomGame(event.game, position, start, clock=clock, opening=opening)
    seats = _changed_seats(room) if room.changes_seats else {}
    return _after(room, event, game=game, offers=NO_OFFERS, met=True, **seats)


def _taken_back(room: Room, event: events.TakenBack) -> Room:
    game = game_of(room)
    moves = game.moves[: event.ply]
    position = Position.after(moves, game.position.rules)
    clock = _clock(event.clock, event.at)
    back = replace(game, position=position, moves=moves, clock=clock)
    return _after(room, event, game=back, offers=_lapsed(room.offers))


def _clock(left: TimeLeft | None, since: int) -> GameClock | None:
    return None if left is None else GameClock(left, since)


def _lapsed(offers: Offers) -> Offers:
    """Drop the offers that end with a move."""
    return _with_offer(_with_offer(offers, OfferKind.DRAW, None), OfferKind.TAKEBACK, None)


@cache  # bounded: three kinds of offers, two seats
def _with_offer(offers: Offers, kind: OfferKind, seat: Mark | None) -> Offers:
    """Set the offer of this kind, or drop it. No offers are always `NO_OFFERS`."""
    after = replace(offers, **{kind.value: seat})
    return NO_OFFERS if after == NO_OFFERS else after


def _counted(score: Score, outcome: Outcome) -> Score:
    """Count a game that ended so."""
    match outcome.winner:
        case None if outcome.reason in (Reason.ABANDONMENT, Reason.VOID):
            return score  # both players have left the game, or its rules failed: it is not a draw
        case None:
            return _score(score.X, score.O, score.draws + 1)
        case Mark.X:
            return _score(score.X + 1, score.O, score.draws)
        case Mark.O:
            return _score(score.X, score.O + 1, score.draws)
        case _:
            assert_never(outcome.winner)


@lru_cache(maxsize=1024)  # most series are short, and come to the same scores
def _score(x: int, o: int, draws: int) -> Score:
    return Score(X=x, O=o, draws=draws)


@lru_cache(maxsize=1024)
def shared(settings: Settings) -> Settings:
    """Return the same object for all equal settings, to save memory."""
    return settings


@dataclass(slots=True)
class Decision:
    """Events in order, and the room after them, as `evolve` gives it. False without events."""

    after: Room
    events: tuple[Event, ...] = ()

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def then(self, *events: Event) -> "Decision":
        """Add events."""
        return Decision(evolve_all(self.after, events), self.events + events)

    def followed_by(self, next_: "Decision") -> "Decision":
        """Add a decision about the room after this one."""
        return Decision(next_.after, self.events + next_.events)


Decide = Callable[[Room, int], Decision]
"""Decides on a room at a time in Unix ms, once the room is free."""


def unchanged(room: Room, _now: int) -> Decision:
    """Decide that nothing happens but what is overdue."""
    return Decision(room)
