"""How strong the persons in a room are, told when they sit down and after each game."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from ttt_client.model.view import View
from ttt_client.net.address import ServerAddress
from ttt_client.net.dial import CannotDial
from ttt_client.net.http import fetch
from ttt_client.net.tasks import cancelled
from ttt_client.text.render import is_counted, points_of_persons, rating_words
from ttt_protocol.state import Human, Mark, PersonId, RoomState

_TRIES = 15
_AGAIN_S = 1.0
"""The server counts a game some seconds after its end."""


Say = Callable[[str], None]
Show = Callable[[Mapping[PersonId, str]], None]


class RatingNews:
    """Asks the server for ratings when the players or the game are others."""

    def __init__(self, server: ServerAddress, say: Say, show: Show = lambda _: None) -> None:
        """Make one that tells news by `say`, and all ratings, by persons, by `show`."""
        self._server = server
        self._say = say
        self._show = show
        self._known: object = None
        self._told = ""
        self._task: asyncio.Task[None] | None = None
        self._token: str | None = None

    def see(self, view: View, token: str | None) -> None:
        """Take in the state of the room; `token` is that of one's seat, if it was told."""
        self._token = token or self._token
        room = view.room
        if room is None or (room.settings.clock is None and room.settings.days is None):
            return
        seats = (room.seats[mark] for mark in Mark)
        persons = [seat.person if isinstance(seat, Human) else None for seat in seats]
        game = room.game
        is_over = game is not None and game.outcome is not None
        state = persons, game and game.number, is_over
        if state == self._known or not any(persons):
            return
        self._known = state
        if self._task is not None:
            self._task.cancel()
        counts = is_over and room.settings.rated and game is not None and game.unrated is None
        self._task = asyncio.create_task(self._tell(room, _TRIES if counts else 1))

    async def close(self) -> None:
        """Stop asking."""
        if self._task is not None:
            await cancelled(self._task)

    async def _tell(self, room: RoomState, tries: int) -> None:
        url = self._server.api(f"rooms/{room.name}/ratings")
        for left in reversed(range(tries)):
            with suppress(CannotDial, ValueError, KeyError, TypeError):
                said: dict[str, Any] = json.loads(await fetch(url, token=self._token))
                if tries == 1 or is_counted(said) or not left:
                    self._show(points_of_persons(room, said))
                    self._tell_once(rating_words(room, said))
                    return
            if left:
                await asyncio.sleep(_AGAIN_S)

    def _tell_once(self, words: str) -> None:
        if words and words != self._told:
            self._told = words
            self._say(words)
