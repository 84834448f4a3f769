"""Games read from the log of their room: one to replay, all to export. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, get_args

from ttt_protocol.events import Ended, Event, Started
from ttt_protocol.records import ExportedGame, GameEvent, GameRecord
from ttt_protocol.state import BySeat
from ttt_server.core.evolve import evolve
from ttt_server.core.room import Room, RoomGame, game_of, positions_of

_OF_A_GAME: tuple[type[Any], ...] = get_args(get_args(GameEvent)[0])


def record_of(room: Room, log: Iterable[Event], number: int) -> GameRecord | None:
    """Return a game up to its end or to now; `None` if there is none.

    Args:
        room: the room before `log`.
        log: all events of the room, in order.
        number: the number of the game, from 1.
    """
    for after, game in _games(room, log):
        if game["game"] == number:
            return GameRecord(room=after.name, **game)
    return None


def exported_games(room: Room, log: Iterable[Event]) -> Iterator[ExportedGame]:
    """Yield all games in order; the last may still be going on.

    Args:
        room: the room before `log`.
        log: all events of the room, in order.

    Raises:
        InvalidLog: if the events contradict each other.
    """
    for after, game in _games(room, log):
        game["events"] = tuple(replace(each, seq=n) for n, each in enumerate(game["events"], 1))
        is_locked = after.password_hash is not None
        yield ExportedGame(room=after.name, settings=after.settings, locked=is_locked, **game)


def _games(room: Room, log: Iterable[Event]) -> Iterator[tuple[Room, dict[str, Any]]]:
    """Yield the fields of each game, and the room at its end or after the log."""
    events: list[Event] = []
    seats = room.seats

    def fields() -> dict[str, Any]:
        return {
            "game": game_of(room).number,
            "rules": room.settings.rules,
            "start": room.settings.start,
            "seats": BySeat(X=seats.X, O=seats.O),
            "boards": _boards(game_of(room)),
            "events": tuple(events),
        }

    for event in log:
        room = evolve(room, event)
        if isinstance(event, Started):
            events, seats = [event], room.seats
        elif events and isinstance(event, _OF_A_GAME):
            events.append(event)
        if events and isinstance(event, Ended):
            yield room, fields()
            events = []
    if events:
        yield room, fields()


def _boards(game: RoomGame) -> tuple[str, ...]:
    """Return the board after each move, for readers that do not know the rules of a variant."""
    rules = game.position.rules
    if rules.variant is None:
        return ()
    _, *positions = positions_of(game.moves, rules)
    return tuple(each.board for each in positions)
