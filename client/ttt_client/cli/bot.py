"""`ttt-client bot`: run a program as a player."""

import asyncio
from argparse import Namespace
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TextIO

from ttt_client.bots import foresight
from ttt_client.bots.player import BotPlayer, LobbyPlayer, OnFailure, OpenSeat, PlayOptions
from ttt_client.bots.process import BotProcess, OnLine
from ttt_client.bots.report import LineReport
from ttt_client.cli.arguments import CHECK, bot_name
from ttt_client.cli.event import take_part
from ttt_client.library.enter import join
from ttt_client.library.errors import CommandRefused, RoomClosed
from ttt_client.library.room import Room
from ttt_client.net.address import ServerAddress
from ttt_client.net.dial import Rejected, Unreachable
from ttt_client.net.session import Ending, NotConnected, Note, RoomSession
from ttt_client.net.tokens import SeatTokenFile, default_folder
from ttt_client.play.rooms import join_command
from ttt_client.terminal.stdout import Output
from ttt_protocol.bots.conversation import BotProtocol
from ttt_protocol.bots.failures import CannotStart
from ttt_protocol.bots.language import UnplayableBoard
from ttt_protocol.bots.system import adopted_orphans
from ttt_protocol.state import InvalidRoomName, RoomName, Rules, Token, parse_room_name
from ttt_protocol.tournament.messages import OwnGame

_LEAVE_S = 2.0
"""How long to wait for the server when leaving."""

_FIVE = Rules(columns=15, rows=15, in_a_row=5)
_DEFAULT = {BotProtocol.JSON: Rules(), BotProtocol.GOMOCUP: _FIVE}
"""The board of a check that names none."""

GoesOn = Callable[[BotPlayer], Awaitable[bool]]
"""Whether to play another game in a room. It offers a rematch if one is over."""


async def run_bot(arguments: Namespace, output: Output) -> Ending:
    """Run the program in a room, in the lobby, or through its check."""
    command = arguments.exec
    protocol = BotProtocol(arguments.protocol)
    if arguments.room == CHECK:
        program = BotProcess(command, protocol, tolerance_s=arguments.tolerance / 1000)
        rules, as_json = arguments.rules or _DEFAULT[protocol], arguments.json
        check = foresight.check_program(program, rules, arguments.time, output, json_lines=as_json)
        with adopted_orphans():
            return Ending(0 if await check else 1)
    try:
        foresight.require_program(command)
        with adopted_orphans(), _opened(arguments.log) as log:
            report = LineReport(output, bot_name(command), json_lines=arguments.json, log=log)
            bot = _Bot(arguments, protocol, report)
            if arguments.event is not None:
                await bot.require_event()
                end = await take_part(arguments, output, bot.play_in_event)
            else:
                end = await bot.run()
            if end.code == 0 and 0 < report.score.games == report.forfeits:
                return Ending(1, f"every game was forfeited, the first: {report.first_forfeit}")
            return end
    except (CannotStart, UnplayableBoard) as error:
        return Ending(1, str(error))
    except OSError as error:
        if arguments.log is None:
            raise
        return Ending(1, f"{arguments.log}: {error.strerror}")


class _Bot:
    """A program that plays, in one room or in many."""

    def __init__(self, arguments: Namespace, protocol: BotProtocol, report: LineReport) -> None:
        self._arguments = arguments
        self._server: ServerAddress = arguments.server
        self._protocol = protocol
        self._report = report
        self._games: int | None = arguments.games
        if self._games is None and arguments.room is not None:
            self._games = arguments.parallel
        self._begun = 0
        """The games that have begun in rooms of its own."""
        self._tried: dict[Rules, str | None] = {}
        """By board that was tried: why the program refuses it, or None."""
        on_failure, claims = OnFailure(arguments.on_failure), arguments.lobby is not None
        self._options = PlayOptions(arguments.time, on_failure, arguments.share_log, claims=claims)
        self._trouble: str | None = None

    async def run(self) -> Ending:
        """Play in the room, or in the lobby.

        Raises:
            CannotPlay: the program does not play on the room's board; it has not joined.
        """
        if self._arguments.lobby is None:
            return await self._in_rooms()
        session = RoomSession(self._server.lobby(), None)
        lobby = LobbyPlayer(session, self._from_lobby, most=self._most_rooms, plays=self._plays)
        end = await lobby.run(self._note)
        return end if self._trouble is None else Ending(1, self._trouble)

    async def require_event(self) -> None:
        """Check the board of the event, if it can be seen.

        Raises:
            CannotPlay: the program does not play on it.
        """
        rules = await foresight.rules_of_event(self._server, self._arguments.event)
        await self._require_board(rules)

    async def _require_board(self, rules: Rules | None) -> None:
        """Check that the language has words for a board, and once that the program accepts it.

        Lines of JSON have words for every board; a program says which variants it plays.
        """
        if rules is None or (self._protocol is BotProtocol.JSON and rules.variant is None):
            return
        foresight.require_board(self._protocol, rules)
        if rules not in self._tried:
            try:
                await foresight.require_start(self._program(), rules)
                self._tried[rules] = None
            except UnplayableBoard as error:
                self._tried[rules] = str(error)
        if (why := self._tried[rules]) is not None:
            raise UnplayableBoard(why)

    def _plays(self, rules: Rules) -> bool:
        """Return whether to play on a board of the lobby."""
        return self._arguments.rules in {None, rules} and foresight.plays(self._protocol, rules)

    async def _in_rooms(self) -> Ending:
        """Play in the room, or in `--parallel` rooms at once.

        Raises:
            CannotPlay: the program does not play there; it has not joined.
        """
        room, count = self._arguments.room, self._arguments.parallel
        try:
            names = [room] if count == 1 else [f"{room}-{n + 1}" for n in range(count)]
            rooms = [*map(parse_room_name, names)]
        except InvalidRoomName as error:
            return Ending(2, f"--parallel: {error}")
        wanted, token = self._arguments.rules, self._arguments.token
        for one in rooms:
            rules = await foresight.rules_of_room(self._server, one, token, wanted)
            await self._require_board(rules)
        ends = await asyncio.gather(*map(self._in_room, rooms))
        return next((end for end in ends if end.code), Ending(0))

    async def _in_room(self, room: RoomName) -> Ending:
        try:
            await self._play(room, self._goes_on_in_room)
        except CommandRefused as refused:
            return Ending(4, refused.reason, refused.code)
        except Rejected as error:
            return Ending(4, error.words)
        except Unreachable as error:
            return Ending(3, error.words)
        except (RoomClosed, CannotStart, UnplayableBoard) as error:
            return Ending(1, str(error))
        return Ending(0)

    async def play_in_event(self, game: OwnGame) -> Ending | None:
        """Play a game of an event; return the end of the program where it cannot play at all."""
        played = self._report.score.games

        async def goes_on(_: BotPlayer) -> bool:
            return self._report.score.games == played

        try:
            await self._play(game.room, goes_on, game.token)
        except (CommandRefused, Rejected, Unreachable, RoomClosed) as error:
            self._report.say(f"{game.room}: {error}; on to the next game")
        except (CannotStart, UnplayableBoard) as error:
            return Ending(1, str(error))
        return None

    async def _goes_on_in_room(self, player: BotPlayer) -> bool:
        if self._begun == self._games:
            return False
        self._begun += 1
        await player.ask_for_another()
        return True

    def _most_rooms(self) -> int:
        """Return how many rooms of the lobby to play in now; 0 ends it."""
        rooms: int = self._arguments.lobby
        if self._trouble is not None:
            return 0
        return rooms if self._games is None else min(rooms, self._games - self._report.score.games)

    async def _from_lobby(self, seat: OpenSeat, may_play_on: Callable[[], bool]) -> None:
        """Play in a room of the lobby for as long as both sides want to."""
        room = seat.room

        async def goes_on(player: BotPlayer) -> bool:
            return may_play_on() and await player.is_wanted()

        try:
            await self._require_board(seat.rules)
            await self._play(room, goes_on)
        except (CommandRefused, Rejected, Unreachable, RoomClosed, UnplayableBoard) as error:
            self._report.say(f"{room}: {error}; on to another room")
        except CannotStart as error:
            self._trouble = str(error)

    async def _play(self, name: RoomName, goes_on: GoesOn, token: Token | None = None) -> None:
        """Play in a room until `goes_on` says no, and leave it.

        Raises:
            CommandRefused, Rejected, Unreachable: there is no place in the room.
            RoomClosed: the place is gone.
            CannotStart, CannotPlay: the program cannot play there.
        """
        arguments = self._arguments
        program = self._program(self._report.pipe_of(name))
        wanted = join_command(arguments)
        given: dict[str, Any] = {"name": arguments.name, "password": wanted.password, "bot": True}
        if arguments.room is not None:  # others have settings already
            given |= {"seat": wanted.seat, "settings": wanted.settings}
        with SeatTokenFile(default_folder(), self._server.url, name, arguments.name) as tokens:
            given["token"] = token or arguments.token or tokens
            async with join(self._server.url, name, on_note=self._note, **given) as room:
                self._report.say(f"{name}: {arguments.name} plays {room.seat}")
                try:
                    await self._require_board(room.state.settings.rules)  # a locked room hid them
                    player = BotPlayer(room, program, self._options, self._report)
                    while await goes_on(player):
                        finished = await player.play()
                        self._report.finished(room.state.name, finished, self._games)
                finally:
                    await self._leave(room)
                    await program.close()

    def _program(self, on_line: OnLine = lambda _mark, _line: None) -> BotProcess:
        arguments = self._arguments
        level = {} if arguments.level is None else {"TTT_LEVEL": arguments.level}
        tolerance_s = arguments.tolerance / 1000
        return BotProcess(arguments.exec, self._protocol, level, on_line, tolerance_s=tolerance_s)

    async def _leave(self, room: Room) -> None:
        if room.closed:
            return
        try:
            async with asyncio.timeout(_LEAVE_S):
                await room.leave()
        except (NotConnected, TimeoutError):
            self._report.say(f"{room.state.name}: the server did not confirm that the seat is free")

    def _note(self, note: Note) -> None:
        self._report.say(str(note))


def _opened(path: str | None) -> AbstractContextManager[TextIO | None]:
    return nullcontext() if path is None else Path(path).open("a", encoding="utf-8")
