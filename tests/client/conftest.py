"""Rooms and messages as a server sends them, and a small server that follows a script."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from socket import socket
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Event, Thread
from typing import Any, Literal

import pytest
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.typing import Subprotocol

from ttt_client.model.view import View, fold
from ttt_protocol.codec import decode_room
from ttt_protocol.messages import Update, Welcome
from ttt_protocol.state import BySeat, RoomName, RoomState, Rules, Status, Summary

SEATS = {
    "ada": {"kind": "human", "id": "ida", "name": "ada", "connected": True},
    "bob": {"kind": "human", "id": "idb", "name": "bob", "connected": True},
    "rules": {"kind": "ai", "id": None, "name": "rules", "strategy": "rules", "level": None},
    "minimax": {"kind": "ai", "id": None, "name": "minimax", "strategy": "minimax", "level": 9},
    None: None,
}

VARIED = ("board", "legal", "boards", "leaving", "marks")
"""The fields of a game that its moves do not give, or only some variants have."""

Script = Callable[[ServerConnection], Awaitable[None]]


def build_room(
    x: str | None = "ada", o: str | None = "bob", *, moves: tuple[int, ...] = (), **changes: Any
) -> RoomState:
    """Build a room with a running game, unless a seat is free or an outcome is given.

    Parts of the settings (`rules`, `games`, `opening`) and of the game (`number`, `outcome`,
    `clock`, `turn`, `choosing`, `choices`, `to_place`, and those of `VARIED`) are given by their
    names; anything else replaces a field of the room.
    """
    rules = changes.pop("rules", {})
    more = {name: changes.pop(name) for name in VARIED if name in changes}
    cells = ["."] * (rules.get("columns", 3) * rules.get("rows", 3))
    for ply, cell in enumerate(moves):
        cells[cell] = "XO"[ply % 2]
    game = {
        "number": changes.pop("number", 1),
        "board": "".join(cells),
        "turn": changes.pop("turn", changes.get("choosing") or "XO"[len(moves) % 2]),
        "choosing": changes.pop("choosing", None),
        "choices": changes.pop("choices", ()),
        "to_place": changes.pop("to_place", 0),
        "ply": len(moves),
        "moves": moves,
        "outcome": changes.pop("outcome", None),
        "clock": changes.pop("clock", None),
        **more,
    }
    empty = x is None or o is None
    room = {
        "name": "den",
        "seq": 3 + len(moves),
        "status": "waiting" if empty else "finished" if game["outcome"] else "playing",
        "locked": False,
        "settings": {
            "rules": rules,
            "games": changes.pop("games", 1),
            "opening": changes.pop("opening", "none"),
        },
        "seats": {"X": SEATS[x], "O": SEATS[o]},
        "game": None if empty else game,
        "offers": {},
        "score": {},
        "spectators": 0,
    }
    # Strict models take marks and statuses from JSON alone.
    return decode_room(json.dumps(room | changes))


def build_welcome(room: RoomState, seat: str | None = "X") -> Welcome:
    """Build the welcome of ada in X, bob in O, or a spectator."""
    ids = {"X": "ida", "O": "idb", None: None}
    you = {
        "id": ids[seat],
        "role": "spectator" if seat is None else "player",
        "seat": seat,
        "name": "me",
        "token": None if seat is None else f"token-{seat}",
    }
    told = {"type": "welcome", "server": "ttt-rooms/9", "you": you}
    return Welcome.model_validate_json(
        json.dumps({**told, "room": json.loads(room.to_json().decode())})
    )


def build_update(room: RoomState, *events: dict[str, Any]) -> Update:
    numbered = [{"seq": room.seq, "at": 0, **event} for event in events]
    told = {"type": "update", "events": numbered, "room": json.loads(room.to_json().decode())}
    return Update.model_validate_json(json.dumps(told))


def build_view(room: RoomState, seat: str | None = "X") -> View:
    return fold(View(), build_welcome(room, seat))


def build_summary(
    name: str,
    *,
    status: Status = Status.PLAYING,
    spectators: int = 0,
    ply: int = 0,
    locked: bool = False,
    changed_at: int | None = None,
    deserted: Literal[True] | None = None,
    x: str | None = "ada",
) -> Summary:
    return Summary(
        name=RoomName(name),
        status=status,
        rules=Rules(),
        seats=BySeat[str | None](X=x, O="bob" if x else None),
        ply=ply,
        spectators=spectators,
        locked=locked,
        changed_at=changed_at,
        deserted=deserted,
    )


@pytest.fixture
def room() -> Callable[..., RoomState]:
    return build_room


@pytest.fixture
def welcome() -> Callable[..., Welcome]:
    return build_welcome


@pytest.fixture
def update() -> Callable[..., Update]:
    return build_update


@pytest.fixture
def view() -> Callable[..., View]:
    return build_view


@pytest.fixture
async def scripted() -> AsyncIterator[Callable[..., Awaitable[str]]]:
    """Start a server that gives each connection the next script, and the last one ever after.

    The result is its address. A script that raises fails the test.
    """
    servers: list[Server] = []
    errors: list[BaseException] = []

    async def start(*scripts: Script, **options: Any) -> str:
        waiting = list(scripts)

        async def handler(connection: ServerConnection) -> None:
            script = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            try:
                await script(connection)
            except AssertionError as error:
                errors.append(error)
                raise

        server = await serve(
            handler,
            "127.0.0.1",
            0,
            subprotocols=[Subprotocol("ttt.v1")],
            close_timeout=1,
            **options,
        )
        servers.append(server)
        return f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    yield start
    for server in servers:
        server.close()
        await server.wait_closed()
    if errors:
        raise errors[0]


Answer = bytes | None
"""A whole HTTP response; None for none at all."""


def http_answer(body: str, status: int = 200, kind: str = "application/json", **more: str) -> bytes:
    """A response as a server sends it, with `more` headers."""
    head = {"Content-Type": kind, "Content-Length": str(len(body.encode())), **more}
    lines = [f"HTTP/1.1 {status} Whatever", *(f"{name}: {value}" for name, value in head.items())]
    return "\r\n".join([*lines, "", body]).encode()


@pytest.fixture
def answer() -> Callable[..., bytes]:
    return http_answer


@contextmanager
def listen(serve_one: Callable[[socket], None]) -> Iterator[int]:
    """A server that gives each connection to `serve_one`, in a thread; the result is its port.

    At the end all of them have ended, which asyncio's server does not promise before Python 3.12:
    what it leaves open fails another test.
    """

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            self.request.settimeout(10)
            with suppress(OSError):
                serve_one(self.request)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def listening() -> Callable[..., AbstractContextManager[int]]:
    return listen


@pytest.fixture
def pages() -> Iterator[Callable[[dict[str, Answer]], str]]:
    """Start a server that gives what is written for a path, 404 elsewhere, and tell its address.

    A path with None is never answered.
    """
    ended = Event()
    with ExitStack() as servers:

        def start(written: dict[str, Answer]) -> str:
            def serve_one(peer: socket) -> None:
                request = b""
                while b"\r\n\r\n" not in request:
                    if not (part := peer.recv(1 << 16)):
                        return
                    request += part
                path = request.split()[1].decode()
                found = written.get(path, http_answer("there is nothing here\n", 404, "text/plain"))
                if found is None:
                    ended.wait()
                else:
                    peer.sendall(found)

            return f"127.0.0.1:{servers.enter_context(listen(serve_one))}"

        yield start
        ended.set()
