"""A controller on an input and an output in memory, with a scripted server on the other side."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from io import StringIO

from websockets.asyncio.server import ServerConnection

from ttt_client.net.session import Ending, RoomSession
from ttt_client.play.controller import (
    RoomController,
)
from ttt_client.play.frontends import Frontend
from ttt_client.terminal.stdin import StandardInput
from ttt_client.terminal.stdout import Output
from ttt_protocol.codec import decode_command, encode_message
from ttt_protocol.commands import Command, Join
from ttt_protocol.messages import Message, Welcome
from ttt_protocol.state import Role, RoomState

MakeRoom = Callable[..., RoomState]
Start = Callable[..., Awaitable[str]]
LINE = {"winner": "X", "reason": "line", "line": [0, 1, 2]}
OFFERED = {"type": "offered", "kind": "draw", "seat": "O"}
PLAYED = {"type": "played", "game": 1, "ply": 0, "seat": "X"}


class RecordedOutput:
    """An output whose lines can be read."""

    def __init__(self) -> None:
        self.out, self.err = StringIO(), StringIO()
        self.output = Output(self.out, self.err, ascii_only=True)

    @property
    def lines(self) -> list[str]:
        return self.out.getvalue().splitlines()


def typed(pipe: tuple[int, int], *lines: str, end: bool = True) -> int:
    os.write(pipe[1], "".join(f"{line}\n" for line in lines).encode())
    if end:
        os.close(pipe[1])
    return pipe[0]


async def play(
    url: str,
    frontend: Frontend,
    descriptor: int,
    *,
    terminal: bool = False,
    role: Role = Role.PLAYER,
) -> Ending:
    async def at_once(_: float) -> None:
        await asyncio.sleep(0)

    session = RoomSession(url, Join(name="ada", role=role), sleep=at_once)
    return await RoomController(session, frontend, terminal=terminal).run(StandardInput(descriptor))


class ScriptedPeer:
    """The server's side of a connection, in the order of a script."""

    def __init__(self, connection: ServerConnection) -> None:
        self.connection = connection

    async def send(self, message: Message) -> None:
        await self.connection.send(encode_message(message), text=True)

    async def receive(self) -> Command:
        return decode_command(await self.connection.recv())

    async def expect_nothing(self) -> None:
        """Check that nothing more comes before the client closes."""
        rest = [frame async for frame in self.connection]
        assert rest == []


@asynccontextmanager
async def seated(connection: ServerConnection, welcome: Welcome) -> AsyncIterator[ScriptedPeer]:
    peer = ScriptedPeer(connection)
    assert isinstance(await peer.receive(), Join)
    await peer.send(welcome)
    yield peer
