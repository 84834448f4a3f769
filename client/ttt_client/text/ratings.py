"""The ratings of the persons in a room, in words. Pure."""

from collections.abc import Mapping
from typing import Any

from ttt_client.model.view import name_of
from ttt_protocol.state import Mark, RoomState


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


def is_counted(ratings: Mapping[str, Any]) -> bool:
    """Return whether they say what the last game changed."""
    return any("change" in rating for rating in ratings.values())


def _words(rating: Mapping[str, Any]) -> str:
    points = f"{round(rating['rating'])}{'?' if rating['provisional'] else ''}"
    return f"{points} ({round(rating['change']):+d})" if "change" in rating else points
