"""The ratings of the persons in a room, in words. Pure."""

from collections.abc import Mapping
from typing import Any

from ttt_client.model.view import name_of
from ttt_protocol.state import Human, Mark, PersonId, RoomState


def rating_words(room: RoomState, ratings: Mapping[str, Any]) -> str:
    """Return `ratings: ada 1582? (+12), bob 1498`; empty without any.

    Args:
        room: whose players they are.
        ratings: as `GET /api/rooms/{room}/ratings` has them.

    Raises:
        KeyError, TypeError, ValueError: if they are not understood.
    """
    told = [
        f"{name_of(room, mark)} {_words(ratings[mark.value])}"
        for mark in Mark
        if mark.value in ratings and room.seats[mark] is not None
    ]
    return f"ratings: {', '.join(told)}" if told else ""


def points_of_persons(room: RoomState, ratings: Mapping[str, Any]) -> dict[PersonId, str]:
    """Return `1582?` for each person in a seat who has a rating.

    `ratings`, and what is raised, are as in `rating_words`.
    """
    seats = {mark: room.seats[mark] for mark in Mark if mark.value in ratings}
    return {
        seat.person: _points(ratings[mark.value])
        for mark, seat in seats.items()
        if isinstance(seat, Human) and seat.person is not None
    }


def is_counted(ratings: Mapping[str, Any]) -> bool:
    """Return whether they say what the last game changed."""
    return any("change" in rating for rating in ratings.values())


def _words(rating: Mapping[str, Any]) -> str:
    points = _points(rating)
    return f"{points} ({round(rating['change']):+d})" if "change" in rating else points


def _points(rating: Mapping[str, Any]) -> str:
    return f"{round(rating['rating'])}{'?' if rating['provisional'] else ''}"
