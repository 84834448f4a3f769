"""The commands of the client on a full screen."""

import argparse
import asyncio

from ttt_client.model.analysis import Analysis
from ttt_client.model.view import View
from ttt_client.net.address import Server
from ttt_client.net.seat_tokens import SeatTokenFile, default_folder
from ttt_client.net.session import Ending, RoomSession, Session
from ttt_client.play.controller import SAME_COMMAND
from ttt_client.play.events import beside
from ttt_client.play.explore import explorer_of
from ttt_client.play.join import (
    given,
    join_command,
    recordings_of,
    remembered_session,
    seek_command,
    shared_session,
    watch_command,
)
from ttt_client.play.passwords import Attempt, enter
from ttt_client.play.quick_match import QuickMatch
from ttt_client.play.recordings import Recordings
from ttt_client.play.television import Spectating, television_session
from ttt_client.terminal.stdout import standard_output
from ttt_client.text.render import game_words
from ttt_client.tui.app import Shell
from ttt_client.tui.event_run import EventRun
from ttt_client.tui.model.room_list import ChosenRoom, RoomList
from ttt_client.tui.model.screen import ScreenState
from ttt_client.tui.scenes.explore import ExploreScene
from ttt_client.tui.scenes.replay import ReplayScene
from ttt_client.tui.scenes.room import RoomScene
from ttt_client.tui.scenes.room_list import RoomListScene
from ttt_client.tui.scenes.scene import Scene, Stage
from ttt_client.tui.stay import recalled, stay
from ttt_protocol.commands import Join
from ttt_protocol.state import Role, RoomName

_REST_S = 5.0
"""Seconds that a finished game stays on the screen before the next room."""


class Runner:
    """A run of the program on a terminal: it carries out the command."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._server: Server = arguments.server
        self._passwords: dict[RoomName, str] = {}
        """The passwords that were typed in this run."""
        self._shell = Shell(mouse=not arguments.no_mouse, theme=arguments.theme)
        self._stage = Stage(
            self._shell.changed,
            asyncio.get_running_loop().time,
            standard_output(ascii_only=arguments.ascii).ascii_only,
        )

    @property
    def parting(self) -> str | None:
        """The last words of a program that is stopped now."""
        return self._shell.parting

    async def run(self) -> Ending:
        arguments = self._arguments
        scene: Scene
        match arguments.command:
            case "join":
                scene = self._room(arguments.room, shared=arguments.both)
                work = self._join(scene, arguments.room, join_command(arguments), arguments.token)
            case "play":
                scene = self._room("play")
                work = self._play(scene)
            case "watch" if arguments.room is not None:
                scene = self._room(arguments.room)
                work = self._watch(scene, arguments.room, watch_command(arguments))
            case "watch":
                scene = self._room("television", television=True)
                work = self._spectate(scene)
            case "rooms":
                scene = RoomListScene(RoomList(self._server.netloc), self._stage)
                work = self._browse(scene)
            case "replay":
                scene = self._room(arguments.room)
                work = self._replay()
            case "explore":
                explorer = explorer_of(self._server, arguments)
                scene = ExploreScene(explorer, self._server.netloc, self._stage)
                work = scene.run()
            case "event":
                event = EventRun(arguments, self._shell, self._stage)
                scene, work = event.scene, event.run()
            case other:  # pragma: no cover - the other commands have no full screen
                raise AssertionError(other)
        return await self._shell.run(scene, work)

    def _room(self, place: str, *, television: bool = False, shared: bool = False) -> RoomScene:
        view = View(is_shared=shared)
        screen = ScreenState(place, self._server.netloc, view=view, television=television)
        return RoomScene(screen, self._stage)

    async def _play(self, scene: RoomScene) -> Ending:
        arguments, seek = self._arguments, seek_command(self._arguments)
        wanted = game_words(seek.rules, seek.opening)
        session = scene.search(RoomSession(self._server.socket("play"), seek), wanted)
        search = QuickMatch(session, seek, scene, takes_ai=arguments.ai)
        async with beside(scene.measure()):
            found = await search.run(scene)
        if isinstance(found, Ending):
            return found
        join, room = given(name=arguments.name), found.room
        return await self._join(scene, room, join, found.token, comeback=f"ttt-client join {room}")

    async def _join(
        self,
        scene: RoomScene,
        room: RoomName,
        join: Join,
        token: str | None = None,
        comeback: str = SAME_COMMAND,
    ) -> Ending:
        async def attempt(join: Join) -> Ending:
            with remembered_session(self._server, room, join, token) as session:
                end = await self._stay(scene, session, comeback)
                return end if end.words is not None else Ending(end.code, session.trouble)

        async def attempt_both(join: Join) -> Ending:
            with shared_session(self._server, room, join, self._arguments.second) as both:
                return await self._stay(scene, both)

        return await self._enter(scene, room, join, attempt_both if scene.is_shared else attempt)

    async def _watch(self, scene: RoomScene, room: RoomName, join: Join) -> Ending:
        async def attempt(join: Join) -> Ending:
            return await self._stay(scene, RoomSession(self._server.socket(f"rooms/{room}"), join))

        return await self._enter(scene, room, join, attempt)

    async def _stay(
        self, scene: RoomScene, session: Session, comeback: str = SAME_COMMAND
    ) -> Ending:
        async with recalled(scene, self._server):
            return await stay(scene, session, comeback)

    async def _enter(
        self, scene: RoomScene, room: RoomName, join: Join, attempt: Attempt
    ) -> Ending:
        """Enter a room with the password that was typed for it in this run, if there was one."""

        async def ask(words: str) -> str | None:
            password = await scene.ask_password(words)
            self._passwords |= {} if password is None else {room: password}
            return password

        return await enter(join, attempt, ask)

    async def _replay(self) -> Ending:
        arguments = self._arguments
        recordings = recordings_of(self._server, arguments.room, arguments)
        scene = await self._recorded(recordings, arguments.game)
        if isinstance(scene, Ending):
            return scene
        self._shell.show(scene)
        while True:  # until a key ends the program
            other = await self._recorded(recordings, await scene.other_game())
            if isinstance(other, Ending):
                scene.say(other.words or "")
                self._shell.changed()
            else:
                scene = other
                self._shell.show(scene)

    async def _recorded(self, recordings: Recordings, game: int | None) -> ReplayScene | Ending:
        """Return the scene of a game, with its analysis if that is wanted."""
        recording = await recordings.load(game)
        if isinstance(recording, Ending):
            return recording
        analysis: Analysis | None = None
        if self._arguments.analysis:
            found = await recordings.analysis(recording.record.game)
            if isinstance(found, Ending):
                return found
            analysis = found.analysis
        return ReplayScene(recording, self._server.netloc, self._stage, analysis)

    async def _browse(self, scene: RoomListScene) -> Ending:
        while True:
            choice = await scene.choose(RoomSession(self._server.socket("lobby?changes=1"), None))
            if isinstance(choice, Ending):
                return choice
            room = self._room(choice.room)
            self._shell.show(room)
            end = await self._go_to(room, choice)
            scene.say(end.words or "")
            self._shell.show(scene)

    async def _go_to(self, scene: RoomScene, choice: ChosenRoom) -> Ending:
        """Play where a seat is free or remembered, else watch.

        The user's token plays no part: it is for one room.
        """
        name, password = self._arguments.name, self._passwords.get(choice.room)
        password = password or self._arguments.password
        tokens = SeatTokenFile(default_folder(), self._server.url, choice.room, name)
        if not choice.watch and (choice.free or tokens.has_seat):
            join = given(name=name, password=password, settings=choice.settings)
            comeback = f"ttt-client join {choice.room}"
            return await self._join(scene, choice.room, join, comeback=comeback)
        join = given(name=name, password=password, role=Role.SPECTATOR)
        return await self._watch(scene, choice.room, join)

    async def _spectate(self, scene: RoomScene) -> Ending:
        join = watch_command(self._arguments)
        spectating = Spectating(
            lobby=lambda: RoomSession(self._server.socket("lobby?changes=1"), None),
            room=lambda room: scene.watch(television_session(self._server, room, join)),
            frontend=scene,
            terminal=True,
            rest_s=_REST_S,
            skipped=scene.skipped,
        )
        async with beside(scene.measure()):
            return await spectating.run(scene)
