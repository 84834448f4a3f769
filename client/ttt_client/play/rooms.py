"""Join and watch rooms, and find an opponent, whatever shows it. A password is asked for."""

import argparse
from collections.abc import Awaitable, Callable
from functools import partial

from ttt_client.model.options import settings_of
from ttt_client.net.address import ServerAddress
from ttt_client.net.session import Ending, RoomSession, Session
from ttt_client.play.controller import SAME_COMMAND
from ttt_client.play.join import as_person, given, remembered_session, seek_command, shared_session
from ttt_client.text.render import game_words
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Join, Seek
from ttt_protocol.messages import Paired
from ttt_protocol.state import RoomName

Attempt = Callable[[Join], Awaitable[Ending]]
AskPassword = Callable[[str], Awaitable[str | None]]
"""Ask for a password, with a text that says why; None if the question is given up."""


async def enter(join: Join, attempt: Attempt, ask: AskPassword) -> Ending:
    """Stay in a room, and return the end of the stay.

    Where a password is needed, or another one, the answer to `ask` is tried next.
    """
    while True:
        end = await attempt(join)
        if end.refusal is not RefusalCode.WRONG_PASSWORD:
            return end
        why = "wrong password: " if join.password is not None else ""
        password = await ask(f"{why}password of the room: ")
        if password is None:
            return end
        join = _with_password(join, password)


def _with_password(join: Join, password: str) -> Join:
    """Return `join` with the password of a room that is there: the settings lock no new one."""
    fields = {name: getattr(join, name) for name in join.model_fields_set}
    if join.settings is not None:
        named = join.settings.model_fields_set - {"password"}
        fields["settings"] = settings_of(**{name: getattr(join.settings, name) for name in named})
    return given(**fields | {"password": password})


class RoomCommands:
    """The commands that lead into a room. A subclass says how it shows the room and asks."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._server: ServerAddress = arguments.server

    async def stay(self, session: Session, comeback: str) -> Ending:
        """Stay in the room of a session; `comeback` is the command that takes the seat back."""
        raise NotImplementedError

    async def search(self, session: RoomSession, seek: Seek, wanted: str) -> Paired | Ending:
        """Search for an opponent who wants this game, which `wanted` names."""
        raise NotImplementedError

    async def ask(self, room: RoomName, words: str) -> str | None:
        """Ask for the password of a room; return None if the question is given up."""
        raise NotImplementedError

    async def join(
        self, room: RoomName, join: Join, token: str | None = None, comeback: str = SAME_COMMAND
    ) -> Ending:
        """Take a seat in a room and play, alone or with a second player at this keyboard."""

        async def attempt(join: Join) -> Ending:
            if self._arguments.both:
                with shared_session(self._server, room, join, self._arguments.second) as both:
                    return await self.stay(both, comeback)
            with remembered_session(self._server, room, join, token) as session:
                return await self.stay(session, comeback)

        return await enter(join, attempt, partial(self.ask, room))

    async def watch(self, room: RoomName, join: Join) -> Ending:
        """Watch a room."""
        url = self._server.socket(f"rooms/{room}")

        async def attempt(join: Join) -> Ending:
            return await self.stay(RoomSession(url, as_person(self._server, join)), SAME_COMMAND)

        return await enter(join, attempt, partial(self.ask, room))

    async def play(self) -> Ending:
        """Find a player who wants the same game, and play."""
        seek = seek_command(self._arguments)
        session = RoomSession(self._server.socket("play"), seek)
        found = await self.search(session, seek, game_words(seek.rules, seek.opening))
        if isinstance(found, Ending):
            return found
        return await self.play_found(found.room, found.token)

    async def play_found(self, room: RoomName, token: str) -> Ending:
        """Play in a room that the server has given this player a seat in."""
        join = given(name=self._arguments.name)
        return await self.join(room, join, token, comeback=f"ttt-client join {room}")
