"""`ttt-client event join` and `event watch` on the full screen."""

import argparse
import asyncio
from collections.abc import Awaitable
from dataclasses import replace

from ttt_client.net.address import ServerAddress
from ttt_client.net.event_session import EventSession
from ttt_client.net.session import Ending
from ttt_client.play.events import beside
from ttt_client.play.rooms import given, remembered_session
from ttt_client.text.event import begins
from ttt_client.tournaments.taking_part import TakingPart, player_session
from ttt_client.tui.app import Shell
from ttt_client.tui.model.event import EventScreen
from ttt_client.tui.model.screen import ScreenState
from ttt_client.tui.scenes.event import EventScene
from ttt_client.tui.scenes.own_boards import OwnBoardsScene
from ttt_client.tui.scenes.room import RoomScene
from ttt_client.tui.scenes.scene import Scene, Stage
from ttt_client.tui.stay import recalled, stay_until
from ttt_protocol.state import Mark
from ttt_protocol.tournament.commands import Watch
from ttt_protocol.tournament.messages import OwnGame

_MOST_BOARDS = 100
"""Boards that are open at once, in a simul; a server lets an address have 200 connections."""


class EventRun:
    """A run of the program in an event, as a player or as a spectator."""

    def __init__(self, arguments: argparse.Namespace, shell: Shell, stage: Stage) -> None:
        self._arguments = arguments
        self._server: ServerAddress = arguments.server
        self._shell = shell
        self._stage = replace(stage, changed=self._look)
        self._has_quit = False
        screen = EventScreen(
            arguments.event, self._server.netloc, self._server.event_page(arguments.event)
        )
        address = self._server.api(f"events/{arguments.event}")
        self._event = EventScene(screen, address, self._stage)
        self._boards = OwnBoardsScene(self._event, stage)

    @property
    def scene(self) -> Scene:
        """The scene of the whole run."""
        return self._boards

    def _look(self) -> None:
        self._boards.look()

    async def run(self) -> Ending:
        """Take part, or watch, until a key ends it. The end of the event stays in sight."""
        arguments = self._arguments
        if arguments.action == "watch":
            url = self._server.socket(f"events/{arguments.event}")
            session = EventSession(url, Watch(boards=True))
            return await self._follow(session, session.run(self._event.report))
        with player_session(self._server, arguments.event, arguments.name) as session:
            part = TakingPart(session, self._event, self._play, at_once=_MOST_BOARDS)
            return await self._follow(session, part.run())

    async def _follow(self, session: EventSession, work: Awaitable[Ending]) -> Ending:
        """Return the end of `work`, but leave a finished event in sight until a key ends it."""
        self._event.follow(session)
        async with beside(self._event.keep_up()):
            end = await work
            if not self._event.screen.is_finished or self._has_quit:
                return end
            self._event.say(end.words or "")
            forever: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
            return await forever

    async def _play(self, game: OwnGame) -> Ending | None:
        """Play a game until it is cancelled; return the end of the program if the player quits."""
        server, name, room = self._server, self._arguments.name, game.room
        screen = ScreenState(room, server.netloc).add("news", [begins(game)])
        scene = RoomScene(screen, self._stage)
        if game.seat is Mark.O:
            self._shell.ring()  # for X the turn rings
        comeback = f"ttt-client event join {self._arguments.event}"
        with remembered_session(server, room, given(name=name), game.token) as session:
            self._boards.add(room, scene)
            try:
                async with recalled(scene, server):
                    end, has_quit = await stay_until(scene, session, comeback)
            finally:
                self._boards.remove(room)
        if has_quit:
            self._has_quit = True
            return end
        self._event.say(end.words or "")
        return None
