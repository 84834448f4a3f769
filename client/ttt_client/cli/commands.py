"""The commands of `ttt-client`, from checked arguments to an exit code and the next step."""

import asyncio
import errno
import logging
import os
import shlex
import signal
from argparse import Namespace
from collections.abc import Callable, Coroutine
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from typing import Protocol

from ttt_client.cli.arguments import WrongUsage
from ttt_client.cli.bot import run_bot
from ttt_client.cli.doctor import Doctor
from ttt_client.cli.event import run_event
from ttt_client.cli.me import run_me, run_notify
from ttt_client.conformance.run import check_server
from ttt_client.model.view import View
from ttt_client.net.address import ServerAddress
from ttt_client.net.http import listed
from ttt_client.net.session import Ending, RoomSession, Session
from ttt_client.net.tokens import default_folder, kept_names
from ttt_client.play import explore, lobby, recordings, seat_links, television
from ttt_client.play.controller import RoomController
from ttt_client.play.frontends import Frontend, JsonFrontend, PlainFrontend
from ttt_client.play.ratings import RatingNews
from ttt_client.play.rooms import RoomCommands, join_command, recordings_of, watch_command
from ttt_client.terminal.stdin import StandardInput, can_hide, hidden
from ttt_client.terminal.stdout import CannotWrite, Output, drop_the_rest, standard_output
from ttt_client.text.event import begins
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Seek
from ttt_protocol.messages import Paired
from ttt_protocol.state import RoomName
from ttt_protocol.text import clean
from ttt_protocol.tournament.messages import OwnGame

WRONG_USAGE = 2
INTERRUPTED = 130
HUNG_UP = 129
_STOPPING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
"""Signals that end the program tidily, as far as the platform has them."""

_LOOK_UP_S = 2.0
"""Seconds that looking up a similar name may take."""

_AFTER_REFUSAL = {
    RefusalCode.ROOM_FULL: "ttt-client watch {} watches",
    RefusalCode.SEAT_TAKEN: "ttt-client watch {} watches",
    RefusalCode.NO_SUCH_ROOM: "ttt-client join {} makes it",
    RefusalCode.WRONG_PASSWORD: "give --password, or TTT_PASSWORD",
    RefusalCode.SETTINGS_CONFLICT: "join it without these options, or take another name",
    RefusalCode.UNKNOWN_STRATEGY: "ttt-client strategies lists them",
    RefusalCode.STRATEGY_CANNOT_PLAY: "ttt-client strategies --rules lists those that do",
    RefusalCode.BAD_TOKEN: "TTT_TOKEN belongs to another room",
}
_AFTER_EVENT = {
    RefusalCode.NO_SUCH_ROOM: "ttt-client event create {} makes it",
    RefusalCode.ROOM_FULL: "ttt-client event watch {} watches",
    RefusalCode.NOT_ALLOWED: "ttt-client event watch {} watches",
    RefusalCode.BAD_TOKEN: "run the same command again to enter",
}
"""The next step, with the name of the room or the event."""


class Screen(Protocol):
    """A terminal that shows the full screen."""

    def leave(self) -> None:
        """Restore the terminal as it was found; a second call does nothing."""


def run(arguments: Namespace, screen: Screen | None = None) -> int:
    """Carry out the command, on `screen` if there is one, and return the exit code."""
    # The library logs the faults of its peers; the user reads them in this program's own words.
    logging.getLogger("websockets").setLevel(logging.CRITICAL + 1)
    output = standard_output(ascii_only=arguments.ascii)
    frontend: Frontend = PlainFrontend(output, moves_only=arguments.moves, asks=os.isatty(0))
    if arguments.json:
        frontend = JsonFrontend(output)
    code = 1
    try:
        if screen is None:
            command = advised(_command(arguments, frontend, output), arguments)
            end = asyncio.run(_stoppable(command, lambda: frontend.parting))
        else:
            end = asyncio.run(_show(arguments))
            screen.leave()  # the last lines belong on the restored terminal
        code = _finish(end, frontend, output)
    except* KeyboardInterrupt:
        code = INTERRUPTED
    except* BrokenPipeError:
        code = 0  # the reader of the output is gone, which is no error
        drop_the_rest()
    except* CannotWrite as group:
        code = 1
        drop_the_rest()
        output.warn(str(_first(group)))
    except* Exception as group:  # noqa: BLE001 - the last boundary: people get no traceback
        code = _failed(_first(group), screen, output)
    return code


def _failed(error: BaseException, screen: Screen | None, output: Output) -> int:
    if screen is not None:
        screen.leave()
        if isinstance(error, EOFError) or (isinstance(error, OSError) and error.errno == errno.EIO):
            return HUNG_UP  # the terminal is gone
    output.warn(f"internal error: {type(error).__name__}: {error}")
    return 1


def _first(error: BaseException) -> BaseException:
    """Return the first error inside nested groups, or the error itself."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def _stoppable(
    command: Coroutine[None, None, Ending], parting: Callable[[], str | None]
) -> Ending:
    """Run `command` so that a signal ends it tidily, with the last words that `quit` would say."""
    task = asyncio.ensure_future(command)
    loop = asyncio.get_running_loop()
    stopped: list[signal.Signals] = []

    def stop(by: signal.Signals) -> None:
        stopped.append(by)
        task.cancel()

    for name in _STOPPING:
        if (one := getattr(signal, name, None)) is not None:
            with suppress(NotImplementedError):  # an event loop of Windows
                loop.add_signal_handler(one, stop, one)
    try:
        return await task
    except asyncio.CancelledError:
        if stopped:
            return stopped_by(stopped[0], parting())
        raise


def stopped_by(by: signal.Signals, parting: str | None) -> Ending:
    """Return the end of a program that a signal stopped."""
    words = parting if by is signal.SIGINT else parting or f"stopped by {by.name}"
    return Ending(128 + by, words)


async def _show(arguments: Namespace) -> Ending:
    from ttt_client.tui.runner import Runner

    runner = Runner(arguments)
    return await _stoppable(advised(runner.run(), arguments), lambda: runner.parting)


async def _command(arguments: Namespace, frontend: Frontend, output: Output) -> Ending:
    server: ServerAddress = arguments.server
    rooms = partial(_PlainRooms, arguments, frontend, output)
    match arguments.command:
        case "doctor":
            return Ending(await Doctor(server, output, json=arguments.json).run())
        case "conformance":
            return await check_server(server, output, json_lines=arguments.json)
        case "bot":
            return await run_bot(arguments, output)
        case "seats":
            return seat_links.run_seats(arguments, output)
        case "event":
            return await _event(arguments, rooms(), output)
        case "notify":
            return await run_notify(arguments, output)
        case "me" | "challenge":
            return await run_me(arguments, output, rooms().secret)
        case "rooms":
            session = RoomSession(server.lobby(arguments.after, changes=False), None)
            return await lobby.show_rooms(session, frontend, follow=arguments.follow)
        case "join":
            return await rooms().join(arguments.room, join_command(arguments), arguments.token)
        case "watch" if arguments.room is not None:
            return await rooms().watch(arguments.room, watch_command(arguments))
        case "watch":
            return await rooms().spectate()
        case "play":
            return await rooms().play()
        case "strategies":
            rules, as_json = arguments.rules, arguments.json
            return await explore.show_strategies(server, rules, output, json_lines=as_json)
        case "explain":
            return await explore.explain(server, arguments, output)
        case "compare":
            return await explore.compare(server, arguments, output)
        case "explore":
            explorer = explore.explorer_of(server, arguments)
            return await explore.explore(explorer, StandardInput(0), output)
        case "replay":
            games = recordings_of(server, arguments.room, arguments)
            game, json, analysed = arguments.game, arguments.json, arguments.analysis
            if arguments.pictures:
                return await recordings.write_pictures(games, game, arguments.pictures)
            form = {"json": json, "drawn": not arguments.moves, "analysed": analysed}
            return await recordings.replay(games, game, output, **form)
        case other:  # pragma: no cover - the parser accepts no other command
            raise AssertionError(other)


async def _event(arguments: Namespace, rooms: "_PlainRooms", output: Output) -> Ending:
    # The lines of a pipe are for the games.
    wait = rooms.wait if os.isatty(0) and not arguments.json else None
    try:
        return await run_event(arguments, output, rooms.play_game, wait)
    except WrongUsage as error:
        return Ending(WRONG_USAGE, str(error))


def _finish(end: Ending, frontend: Frontend, output: Output) -> int:
    if end.code == 0 and isinstance(frontend, JsonFrontend) and frontend.all_refused:
        output.warn("no command of the input was taken")
        end = Ending(1, end.words)
    if end.words is None:
        return end.code
    if end.code > 128:
        with suppress(CannotWrite, BrokenPipeError):  # the terminal may be gone
            frontend.say(end.words)
    elif end.code == 0:
        frontend.say(end.words)
    elif end.code == WRONG_USAGE:
        output.warn(f"error: {end.words}; see --help")
    else:
        output.warn(end.words)
    return end.code


class _PlainRooms(RoomCommands):
    """A stay in rooms as lines of text or JSON. Create it in the event loop."""

    def __init__(self, arguments: Namespace, frontend: Frontend, output: Output) -> None:
        super().__init__(arguments)
        self._frontend = frontend
        self._output = output
        self._source = StandardInput(0)
        self._terminal = os.isatty(0)

    async def stay(self, session: Session, comeback: str) -> Ending:
        arguments = self._arguments
        view = View(is_shared=arguments.both, is_of_event=arguments.command == "event")
        controller = RoomController(
            session,
            self._frontend,
            terminal=self._terminal,
            view=view,
            comeback=comeback,
            recall=None if arguments.json else partial(recordings.events_before, self._server),
            ratings=None if arguments.json else RatingNews(self._server, self._frontend.say),
        )
        return await controller.run(self._source)

    async def search(self, session: RoomSession, seek: Seek, wanted: str) -> Paired | Ending:
        asks = self._terminal or self._arguments.json
        takes_ai = self._arguments.ai or not asks
        # The lines of a pipe are for the game.
        way_out = "; quit ends it" if asks else ""
        self._frontend.say(f"looking for a player who wants the same: {wanted}{way_out}")
        search = lobby.QuickMatch(session, seek, self._frontend, takes_ai=takes_ai)
        return await search.run(self._source if asks else None)

    async def ask(self, room: RoomName, words: str) -> str | None:  # noqa: ARG002 - only one
        return None if self._arguments.json or not can_hide(0) else await self.secret(words)

    async def secret(self, words: str) -> str | None:
        """Ask for a secret, or read it from a pipe."""
        if not can_hide(0):
            return await self._source.line() or None
        with hidden(0):  # before it is asked for: the answer may come at once
            self._output.prompt(words)
            return await self._source.line() or None

    async def spectate(self) -> Ending:
        """Watch the liveliest room, and the next."""
        join = watch_command(self._arguments)
        spectating = television.Spectating(
            lobby=lambda: RoomSession(self._server.lobby(changes=False), None),
            room=lambda room: television.television_session(self._server, room, join),
            frontend=self._frontend,
            terminal=self._terminal,
        )
        return await spectating.run(self._source)

    async def play_game(self, game: OwnGame) -> Ending:
        """Play a game of an event."""
        self._frontend.say(begins(game))
        return await self.play_found(game.room, game.token)

    async def wait(self) -> Ending:
        """Read what is typed between the games of an event."""
        while (line := await self._source.line()) is not None:
            if line.strip() == "quit":
                break
            if line.strip():
                self._frontend.refuse("no game yet: quit ends the program")
        return Ending(0, "your place is kept: the same command takes part again")


async def advised(command: Coroutine[None, None, Ending], arguments: Namespace) -> Ending:
    """Return the end of a command with the next step in its words, if there is one."""
    end = await command
    if end.words is None:
        return end
    if end.code == 3:
        return Ending(3, _reach(end.words, arguments.server))
    if end.refusal is None:
        return end
    step = await _after_refusal(end.refusal, arguments)
    return Ending(end.code, f"{end.words}; {step}" if step else end.words, end.refusal)


def _reach(words: str, server: ServerAddress) -> str:
    """Return what to do where no server was reached."""
    at = server.netloc
    if "Connection refused" in words:
        return f"nothing listens at {at}; start ttt-server, or give --server"
    if "does not speak WebSocket" in words and not server.secure:
        return f"{words}: {at}; a TLS port needs wss://{at}"
    if "TLS: " in words:
        return f"{words}: {at}; SSL_CERT_FILE names the certificates to trust"
    return f"{words}: {at}; ttt-client doctor finds the cause"


async def _after_refusal(code: RefusalCode, arguments: Namespace) -> str:
    if (event := getattr(arguments, "event", None)) is not None:
        return _AFTER_EVENT.get(code, "").format(event)
    room = getattr(arguments, "room", None)
    step = _AFTER_REFUSAL.get(code, "").format(room)
    match code:
        case RefusalCode.ROOM_FULL | RefusalCode.SEAT_TAKEN:
            return f"{_kept(arguments)}{step}"
        case RefusalCode.NO_SUCH_ROOM:
            similar = await _similar(arguments.server, "rooms", room)
        case RefusalCode.UNKNOWN_STRATEGY if (wanted := getattr(arguments, "vs", None)) is not None:
            similar = await _similar(arguments.server, "strategies", wanted.strategy)
        case _:
            similar = None
    return f"did you mean {similar}? {step}" if similar else step


def _kept(arguments: Namespace) -> str:
    """Return which seats of the room this user has left without giving them up."""
    if (room := getattr(arguments, "room", None)) is None:
        return ""
    names = kept_names(default_folder(), arguments.server.url, room)
    told = []
    for name in dict.fromkeys(map(clean, names)):
        if name == arguments.name:
            told.append(f"another ttt-client here plays your seat as {name}; ")
        else:
            again = f"ttt-client --name {shlex.quote(name)} join {room}"
            told.append(f"your seat as {name} is kept: {again} takes it back; ")
    return "".join(told)


async def _similar(server: ServerAddress, kind: str, name: str | None) -> str | None:
    """Return the name on the server that is most like `name`."""
    if name is None:
        return None
    matches = get_close_matches(name, await listed(server, kind, _LOOK_UP_S), n=1)
    return clean(matches[0]) if matches else None
