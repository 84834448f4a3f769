"""The commands of the client on a full screen."""

import argparse
import asyncio
from collections.abc import Awaitable
from dataclasses import replace

from ttt_client.model.view import View
from ttt_client.net.address import ServerAddress
from ttt_client.net.session import Ending, RoomSession, Session
from ttt_client.net.tokens import SeatTokenFile, default_folder, recall_person
from ttt_client.play import rooms
from ttt_client.play.events import beside
from ttt_client.play.explore import explorer_of
from ttt_client.play.lobby import QuickMatch
from ttt_client.play.ratings import RatingNews
from ttt_client.play.recordings import Recordings
from ttt_client.play.rooms import RoomCommands
from ttt_client.play.television import Spectating, television_session
from ttt_client.terminal.stdout import standard_output
from ttt_client.text.event import begins
from ttt_client.tournaments.taking_part import EventSession, TakingPart, player_session
from ttt_client.tui.app import Shell
from ttt_client.tui.model.event import EventScreen
from ttt_client.tui.model.room_list import ChosenRoom, RoomList
from ttt_client.tui.model.screen import ScreenState
from ttt_client.tui.scenes.event import EventScene, OwnBoardsScene
from ttt_client.tui.scenes.explore import ExploreScene
from ttt_client.tui.scenes.replay import ReplayScene
from ttt_client.tui.scenes.room import RoomScene
from ttt_client.tui.scenes.room_list import RoomListScene
from ttt_client.tui.scenes.scene import Scene, Stage
from ttt_protocol.commands import Seek
from ttt_protocol.messages import Paired
from ttt_protocol.state import Mark, Role, RoomName
from ttt_protocol.tournament.commands import Watch
from ttt_protocol.tournament.messages import OwnGame

_REST_S = 5.0
"""Seconds that a finished game stays on the screen before the next room."""
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
        name, server = arguments.event, self._server
        screen = EventScreen(name, server.netloc, server.event_page(name))
        address = server.api(f"events/{name}")
        self._event = EventScene(screen, address, self._stage)
        self.scene = OwnBoardsScene(self._event, stage)

    def _look(self) -> None:
        self.scene.look()

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
        with rooms.remembered_session(server, room, rooms.given(name=name), game.token) as session:
            self.scene.add(room, scene)
            try:
                async with beside(scene.recall(server)):
                    end, has_quit = await scene.stay(session, comeback)
            finally:
                self.scene.remove(room)
        if has_quit:
            self._has_quit = True
            return end
        self._event.say(end.words or "")
        return None


class Runner(RoomCommands):
    """A run of the program on a terminal: it carries out the command."""

    _scene: RoomScene
    """The latest room."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        super().__init__(arguments)
        self._passwords: dict[RoomName, str] = {}
        """The passwords that were typed in this run."""
        self._shell = Shell(mouse=not arguments.no_mouse, theme=arguments.theme)
        ascii_only = standard_output(ascii_only=arguments.ascii).ascii_only
        self._stage = Stage(self._shell.changed, asyncio.get_running_loop().time, ascii_only)

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
                command = rooms.join_command(arguments)
                work = self.join(arguments.room, command, arguments.token)
            case "play":
                scene = self._room("play")
                work = self.play()
            case "watch" if arguments.room is not None:
                scene = self._room(arguments.room)
                work = self.watch(arguments.room, rooms.watch_command(arguments))
            case "watch":
                scene = self._room("television", television=True)
                work = self._spectate(scene)
            case "rooms":
                keeps_name = recall_person(self._server) is not None
                listed = RoomList(self._server.netloc, keeps_name=keeps_name)
                scene = RoomListScene(listed, self._stage)
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
        self._scene = RoomScene(screen, self._stage)
        return self._scene

    async def stay(self, session: Session, comeback: str) -> Ending:
        scene = self._scene
        async with beside(scene.recall(self._server)):
            ratings = RatingNews(self._server, scene.say, scene.rate)
            end, _ = await scene.stay(session, comeback, ratings)
            return end if end.words is not None else Ending(end.code, session.trouble)

    async def search(self, session: RoomSession, seek: Seek, wanted: str) -> Paired | Ending:
        shown = self._scene.search(session, wanted)
        search = QuickMatch(shown, seek, self._scene, takes_ai=self._arguments.ai)
        async with beside(self._scene.measure()):
            return await search.run(self._scene)

    async def ask(self, room: RoomName, words: str) -> str | None:
        password = await self._scene.ask_password(words)
        if password is not None:
            self._passwords[room] = password
        return password

    async def _replay(self) -> Ending:
        arguments = self._arguments
        recordings = rooms.recordings_of(self._server, arguments.room, arguments)
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
        if not self._arguments.analysis:
            return ReplayScene(recording, self._server.netloc, self._stage)
        found = await recordings.analysis(recording.record.game)
        if isinstance(found, Ending):
            return found
        return ReplayScene(recording, self._server.netloc, self._stage, found.analysis)

    async def _browse(self, scene: RoomListScene) -> Ending:
        while True:
            choice = await scene.choose(lambda after: RoomSession(self._server.lobby(after), None))
            if isinstance(choice, Ending):
                return choice
            self._shell.show(self._room(choice.room))
            end = await self._go_to(choice)
            scene.say(end.words or "")
            self._shell.show(scene)

    async def _go_to(self, choice: ChosenRoom) -> Ending:
        """Play where a seat is free or remembered, else watch.

        The user's token plays no part: it is for one room.
        """
        name, password = self._arguments.name, self._passwords.get(choice.room)
        password = password or self._arguments.password
        tokens = SeatTokenFile(default_folder(), self._server.url, choice.room, name)
        if not choice.watch and (choice.free or tokens.has_seat):
            command = rooms.given(name=name, password=password, settings=choice.settings)
            comeback = f"ttt-client join {choice.room}"
            return await self.join(choice.room, command, comeback=comeback)
        command = rooms.given(name=name, password=password, role=Role.SPECTATOR)
        return await self.watch(choice.room, command)

    async def _spectate(self, scene: RoomScene) -> Ending:
        command = rooms.watch_command(self._arguments)
        spectating = Spectating(
            lobby=lambda: RoomSession(self._server.lobby(), None),
            room=lambda room: scene.watch(television_session(self._server, room, command)),
            frontend=scene,
            terminal=True,
            rest_s=_REST_S,
            skipped=scene.skipped,
        )
        async with beside(scene.measure()):
            return await spectating.run(scene)
