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
from ttt_client.net.session import Ending, Link
from ttt_client.play.controller import Visit
from ttt_client.play.frontends import Face, Json, Plain
from ttt_client.play.join import join_command, remembered_link, watch_command
from ttt_client.play.lobby import Zapper, show_rooms
from ttt_client.play.replay import replay
from ttt_client.terminal.stdin import Keyboard
from ttt_client.terminal.stdout import CannotWrite, Output, standard_output
from ttt_client.tui.terminal import TERMINATED


class Screen(Protocol):
    """A terminal that a full screen is on."""

    def leave(self) -> None:
        """Give it back as it was found; once is enough."""


def run(arguments: argparse.Namespace, screen: Screen | None = None) -> int:
    """Carry out the command, on `screen` if there is one; the result is the exit code."""
    # The library logs what a peer did wrong; what the user needs of it is said in our own words.
    logging.getLogger("websockets").setLevel(logging.CRITICAL + 1)
    output = standard_output(ascii_only=arguments.ascii)
    face: Face = Json(output) if arguments.json else Plain(output)
    code = 1
    try:
        command = _command(arguments, face, output) if screen is None else _show(arguments)
        end = asyncio.run(_stoppable(command))
        if screen is not None:
            screen.leave()  # last words are for the terminal as it was
        code = _finish(end, face, output)
    except* KeyboardInterrupt:
        code = 130
    except* BrokenPipeError:
        # Nobody reads any more: that is an end like another. What is buffered has nowhere to go.
        code = 0
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except* CannotWrite as group:
        output.warn(str(_first(group)))
    except* Exception as group:  # noqa: BLE001 - the last line of defence: no traceback for people
        error = _first(group)
        if screen is not None:
            screen.leave()
        output.warn(f"a fault of this program: {type(error).__name__}: {error}")
        code = 1
    return code


def _first(error: BaseException) -> BaseException:
    """The error itself, of those that come in groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def _stoppable(command: Coroutine[None, None, Ending]) -> Ending:
    """`command`, which SIGTERM ends as tidily as Ctrl-C."""
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
    from ttt_client.tui.runner import show  # noqa: PLC0415 - lines of text need none of it

    return await show(arguments)


async def _command(arguments: argparse.Namespace, face: Face, output: Output) -> Ending:
    server: Server = arguments.server
    match arguments.command:
        case "doctor":
            return Ending(await examine(server, output, json=arguments.json))
        case "rooms":
            return await show_rooms(Link(server.lobby_url, None), face, follow=arguments.follow)
        case "join":
            return await _join(arguments, face)
        case "watch":
            return await _watch(arguments, face)
        case "replay":
            room, game = arguments.room, arguments.game
            return await replay(server, room, game, output, json=arguments.json)
        case other:  # pragma: no cover - the parser knows these commands alone
            raise AssertionError(other)


def _finish(end: Ending, face: Face, output: Output) -> int:
    if end.words is not None:
        if end.code == 0:
            face.note(end.words)
        else:
            output.warn(end.words)
    return end.code


async def _join(arguments: argparse.Namespace, face: Face) -> Ending:
    with remembered_link(arguments, arguments.room, join_command(arguments)) as (link, _):
        return await _visit(link, face)


async def _watch(arguments: argparse.Namespace, face: Face) -> Ending:
    server: Server = arguments.server
    join = watch_command(arguments)
    if arguments.room is not None:
        return await _visit(Link(server.room_url(arguments.room), join), face)
    zapper = Zapper(
        lobby=lambda: Link(server.lobby_url, None),
        room=lambda room: Link(server.room_url(room), join),
        face=face,
        terminal=_terminal(),
    )
    return await zapper.run(Keyboard(0))


async def _visit(link: Link, face: Face) -> Ending:
    return await Visit(link, face, terminal=_terminal()).run(Keyboard(0))


def _terminal() -> bool:
    return os.isatty(0)
