"""The commands of `ttt-client`, from checked arguments to an exit code."""

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Coroutine

from ttt_client.address import Server
from ttt_client.doctor import examine
from ttt_client.keyboard import Keyboard
from ttt_client.link import Ending, Link
from ttt_client.lobby import Zapper, show_rooms
from ttt_client.options import seats_against, settings_of
from ttt_client.output import Output, standard_output
from ttt_client.plain import Face, Json, Plain
from ttt_client.replay import replay
from ttt_client.sessions import SeatMemory, default_folder
from ttt_client.visit import Visit
from ttt_protocol.commands import Join
from ttt_protocol.state import Mark, Role, RoomName, Token

TERMINATED = 143
"""What a shell calls a program that SIGTERM ended."""


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command; the result is the exit code."""
    # The library logs what a peer did wrong; what the user needs of it is said in our own words.
    logging.getLogger("websockets").setLevel(logging.CRITICAL + 1)
    output = standard_output(ascii_only=arguments.ascii)
    code = 1
    try:
        code = asyncio.run(_stoppable(_command(arguments, output)))
    except* KeyboardInterrupt:
        code = 130
    except* BrokenPipeError:
        # Nobody reads any more: that is an end like another. What is buffered has nowhere to go.
        code = 0
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except* Exception as group:  # noqa: BLE001 - the last line of defence: no traceback for people
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        output.warn(f"a fault of this program: {type(error).__name__}: {error}")
        code = 1
    return code


async def _stoppable(command: Coroutine[None, None, int]) -> int:
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
            return TERMINATED
        raise


async def _command(arguments: argparse.Namespace, output: Output) -> int:
    server: Server = arguments.server
    if arguments.command == "doctor":
        return await examine(server, output, json=arguments.json)
    face: Face = Json(output) if arguments.json else Plain(output)
    match arguments.command:
        case "rooms":
            end = await show_rooms(Link(server.lobby_url, None), face, follow=arguments.follow)
        case "join":
            end = await _join(arguments, face)
        case "watch":
            end = await _watch(arguments, face)
        case "replay":
            room, game = arguments.room, arguments.game
            end = await replay(server, room, game, output, json=arguments.json)
        case other:  # pragma: no cover - the parser knows these commands alone
            raise AssertionError(other)
    return _finish(end, face, output)


def _finish(end: Ending, face: Face, output: Output) -> int:
    if end.words is not None:
        if end.code == 0:
            face.note(end.words)
        else:
            output.warn(end.words)
    return end.code


async def _join(arguments: argparse.Namespace, face: Face) -> Ending:
    server: Server = arguments.server
    room: RoomName = arguments.room
    given = None if arguments.token is None else Token(arguments.token)
    with SeatMemory(default_folder(), server.url, room, arguments.name) as memory:
        link = Link(server.room_url(room), join_command(arguments), memory, given=given)
        end = await _visit(link, face)
        if memory.trouble is not None:
            face.note(memory.trouble)
        return end


def join_command(arguments: argparse.Namespace) -> Join:
    """What a player says who typed these arguments: the settings are those that were given."""
    seat = None if arguments.seat is None else Mark(arguments.seat)
    settings = settings_of(
        rules=arguments.rules,
        seats=None if arguments.vs is None else seats_against(arguments.vs, seat),
        clock=arguments.clock,
        public=False if arguments.private else None,
        hints=True if arguments.hints else None,
        password=arguments.password,
    )
    return _given(
        name=arguments.name,
        settings=settings,
        seat=seat,
        password=arguments.password,
    )


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


def watch_command(arguments: argparse.Namespace) -> Join:
    """What a spectator says who typed these arguments."""
    return _given(
        name=arguments.name,
        settings=settings_of(seats=arguments.play, games=arguments.games),
        role=Role.SPECTATOR,
        password=arguments.password,
    )


def _given(**fields: object) -> Join:
    return Join.model_validate({key: value for key, value in fields.items() if value is not None})


async def _visit(link: Link, face: Face) -> Ending:
    return await Visit(link, face, terminal=_terminal()).run(Keyboard(0))


def _terminal() -> bool:
    return os.isatty(0)
