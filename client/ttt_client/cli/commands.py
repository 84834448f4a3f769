"""The commands of `ttt-client`, from checked arguments to an exit code."""

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Coroutine
from typing import Protocol

from ttt_client.cli.doctor import examine
from ttt_client.net.address import Server
from ttt_client.net.session import Ending, RoomSession
from ttt_client.play.controller import RoomController
from ttt_client.play.frontends import Frontend, JsonFrontend, PlainFrontend
from ttt_client.play.join import join_command, remembered_session, watch_command
from ttt_client.play.lobby import Spectating, show_rooms
from ttt_client.play.replay import replay
from ttt_client.terminal.stdin import StandardInput
from ttt_client.terminal.stdout import CannotWrite, Output, standard_output
from ttt_client.tui.terminal import TERMINATED


class Screen(Protocol):
    """A terminal that shows the full screen."""

    def leave(self) -> None:
        """Restore the terminal as it was found; a second call does nothing."""


def run(arguments: argparse.Namespace, screen: Screen | None = None) -> int:
    """Carry out the command, on `screen` if there is one, and return the exit code."""
    # The library logs the faults of its peers; the user reads them in this program's own words.
    logging.getLogger("websockets").setLevel(logging.CRITICAL + 1)
    output = standard_output(ascii_only=arguments.ascii)
    frontend: Frontend = JsonFrontend(output) if arguments.json else PlainFrontend(output)
    code = 1
    try:
        command = _command(arguments, frontend, output) if screen is None else _show(arguments)
        end = asyncio.run(_stoppable(command))
        if screen is not None:
            screen.leave()  # the last lines belong on the restored terminal
        code = _finish(end, frontend, output)
    except* KeyboardInterrupt:
        code = 130
    except* BrokenPipeError:
        # The reader of the output is gone, which is no error. The null device takes the rest.
        code = 0
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except* CannotWrite as group:
        output.warn(str(_first(group)))
    except* Exception as group:  # noqa: BLE001 - the last boundary: people get no traceback
        error = _first(group)
        if screen is not None:
            screen.leave()
        output.warn(f"a fault of this program: {type(error).__name__}: {error}")
        code = 1
    return code


def _first(error: BaseException) -> BaseException:
    """Return the first error inside nested groups, or the error itself."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def _stoppable(command: Coroutine[None, None, Ending]) -> Ending:
    """Run `command` so that SIGTERM ends it as tidily as Ctrl-C."""
    task = asyncio.ensure_future(command)
    loop = asyncio.get_running_loop()
    terminated = False

    def terminate() -> None:
        nonlocal terminated
        terminated = True
        task.cancel()

    loop.add_signal_handler(signal.SIGTERM, terminate)
    try:
        return await task
    except asyncio.CancelledError:
        if terminated:
            return Ending(TERMINATED)
        raise


async def _show(arguments: argparse.Namespace) -> Ending:
    from ttt_client.tui.runner import run as run_screen  # noqa: PLC0415 - lines of text need none

    return await run_screen(arguments)


async def _command(arguments: argparse.Namespace, frontend: Frontend, output: Output) -> Ending:
    server: Server = arguments.server
    match arguments.command:
        case "doctor":
            return Ending(await examine(server, output, json=arguments.json))
        case "rooms":
            return await show_rooms(
                RoomSession(server.lobby_url, None), frontend, follow=arguments.follow
            )
        case "join":
            return await _join(arguments, frontend)
        case "watch":
            return await _watch(arguments, frontend)
        case "replay":
            room, game = arguments.room, arguments.game
            return await replay(server, room, game, output, json=arguments.json)
        case other:  # pragma: no cover - the parser accepts no other command
            raise AssertionError(other)


def _finish(end: Ending, frontend: Frontend, output: Output) -> int:
    if end.words is not None:
        if end.code == 0:
            frontend.say(end.words)
        else:
            output.warn(end.words)
    return end.code


async def _join(arguments: argparse.Namespace, frontend: Frontend) -> Ending:
    server: Server = arguments.server
    join, name, token = join_command(arguments), arguments.name, arguments.token
    with remembered_session(server, arguments.room, join, name=name, token=token) as (session, _):
        return await _visit(session, frontend)


async def _watch(arguments: argparse.Namespace, frontend: Frontend) -> Ending:
    server: Server = arguments.server
    join = watch_command(arguments)
    if arguments.room is not None:
        return await _visit(RoomSession(server.room_url(arguments.room), join), frontend)
    spectating = Spectating(
        lobby=lambda: RoomSession(server.lobby_url, None),
        room=lambda room: RoomSession(server.room_url(room), join),
        frontend=frontend,
        terminal=_terminal(),
    )
    return await spectating.run(StandardInput(0))


async def _visit(session: RoomSession, frontend: Frontend) -> Ending:
    return await RoomController(session, frontend, terminal=_terminal()).run(StandardInput(0))


def _terminal() -> bool:
    return os.isatty(0)
