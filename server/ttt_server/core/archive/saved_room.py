"""A room as JSON, as the store keeps it beside its log. Pure.

A saved room is the fold of a log up to one of its events, so that a reader of the log can begin
there. It is never the source of truth while the events before it are kept.
"""

from collections.abc import Iterable
from functools import reduce
from operator import not_
from typing import Any, Final, Literal

from pydantic import Field, ValidationError

from ttt_engine import IllegalMove, InvalidRules, Position
from ttt_engine.openings.opening import Choice, Opening
from ttt_protocol import state
from ttt_protocol.base import FromServer, absent
from ttt_protocol.codec import encode_message
from ttt_protocol.codes import Choice as ChoiceMade
from ttt_server.core.clock import GameClock
from ttt_server.core.errors import InvalidLog
from ttt_server.core.evolve import shared
from ttt_server.core.room import NO_OFFERS, Room, RoomGame, Seats, engine_rules, opening_of

SNAPSHOT_EVENTS = 64
"""The least number of events between two snapshots of a room. Saving one takes 10 us, and the
space of six events."""


class _SavedGame(FromServer):
    """A `RoomGame`; its position follows from the moves."""

    number: int
    moves: tuple[int, ...]
    outcome: state.Outcome | None
    clock: GameClock | None
    choices: tuple[ChoiceMade, ...] = Field(default=(), exclude_if=not_)
    """The choices of its opening. Left out without any."""
    unrated: str | None = Field(default=None, exclude_if=absent)


class _SavedRoom(FromServer):
    """A `Room` without its name.

    An added field gets a default, for rooms saved before; any other change is a new `version`.
    """

    version: Literal[1] = 1
    seq: int
    changed_at: int
    settings: state.Settings
    password_hash: str | None
    seats: state.BySeat[state.Player | None]
    stood_in_for: state.BySeat[state.Player | None]
    offers: state.Offers
    score: state.Score
    met: bool
    game: _SavedGame | None
    host: state.SessionId | None
    chat: state.ChatMode


_ALIKE: Final = ("seq", "changed_at", "password_hash", "score", "met", "host", "chat")
"""The fields that a room and a saved room have alike."""
_ALIKE_IN_GAMES: Final = ("number", "moves", "outcome", "clock", "unrated")


def _fields(names: Iterable[str], of: object) -> dict[str, Any]:
    return {name: getattr(of, name) for name in names}


def save(room: Room) -> bytes:
    """Return the room as JSON, without its name."""
    saved = _SavedRoom(
        **_fields(_ALIKE, room),
        settings=room.settings,
        offers=room.offers,
        seats=state.BySeat(X=room.seats.X, O=room.seats.O),
        stood_in_for=state.BySeat(X=room.stood_in_for.X, O=room.stood_in_for.O),
        game=None if room.game is None else _saved_game(room.game),
    )
    return encode_message(saved)


def restore(name: state.RoomName, saved: bytes) -> Room:
    """Return the room that was saved.

    Raises:
        InvalidLog: if it is damaged, or of an unknown version.
    """
    try:
        found = _SavedRoom.model_validate_json(saved)
        return Room(
            name,
            **_fields(_ALIKE, found),
            settings=shared(found.settings),
            offers=NO_OFFERS if found.offers == NO_OFFERS else found.offers,
            seats=Seats(found.seats.X, found.seats.O),
            stood_in_for=Seats(found.stood_in_for.X, found.stood_in_for.O),
            game=None if found.game is None else _game(found.game, found.settings),
        )
    except (ValidationError, IllegalMove, InvalidRules):
        raise InvalidLog(f"{name}: a saved room cannot be read") from None


def is_between_games(room: Room) -> bool:
    """Return whether no game is under way: a room is saved only then."""
    return room.game is None or room.game.outcome is not None


def _saved_game(game: RoomGame) -> _SavedGame:
    chosen = () if game.opening is None else game.opening.choices
    alike = _fields(_ALIKE_IN_GAMES, game)
    return _SavedGame(choices=tuple(map(ChoiceMade, chosen)), **alike)


def _game(saved: _SavedGame, settings: state.Settings) -> RoomGame:
    position = Position.after(saved.moves, engine_rules(settings))
    opening = opening_of(settings)
    if opening is not None:
        opening = reduce(Opening.chosen, map(Choice, saved.choices), opening)
    return RoomGame(position=position, opening=opening, **_fields(_ALIKE_IN_GAMES, saved))
