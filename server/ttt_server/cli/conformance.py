"""`ttt-server conformance`: a server that plays one client through a script, and judges it.

The script is one game on three connections: the first is cut in the middle of a move, the second
ends with a goodbye, and the third with the game. Its room is that of a challenge: off the list,
both players keep their names, and there are days for each move. Odd but legal messages come in
between, which a client has to pass over.
"""

import argparse
import asyncio
import json
from collections.abc import Awaitable
from typing import Any, TypeVar

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from ttt_engine import IllegalMove, Position, Rules
from ttt_protocol.codec import BadCommand, decode_command
from ttt_protocol.commands import Command, Join, Play
from ttt_protocol.state import SUBPROTOCOL, Role, Settings
from ttt_server.cli.command import command
from ttt_server.cli.console import FAILED, CommandParser, one_or_more, port, put
from ttt_server.core.room import wire_rules

PROGRAM = "ttt-server conformance"

_DESCRIPTION = """Start a server that plays one client through a game with lost connections and odd
but legal messages, and say what the client did wrong. The client joins any room, and plays legal
moves until it is told goodbye. With --variant the game is one of the family, in which not every
empty cell may be played: the state's `legal` names those that may."""

TOKEN = "k3v9x2qa.conformance"  # noqa: S105 - it owns a seat of a script
PLAIN = Rules(5, 5, 5)
"""A board on which the client cannot win within the script, whatever it plays."""

VARIANTS = {"ultimate": Rules.parse("ultimate")}
"""Variants of which the same holds."""

STEPS = (
    "joins as its first command",
    "plays its first turn",
    "passes over unknown messages, fields and events, and plays on",
    "comes back with its token after a lost connection",
    "goes on from the welcome's state, and sends no move twice",
    "plays again after a takeback",
    "comes back after a goodbye, not before its time",
    "passes over a refusal with an unknown code, and plays to the end",
    "stays away after the last goodbye",
)
_SUBPROTOCOL = Subprotocol(SUBPROTOCOL)
_RETRY_S = 0.5
_THREE_DAYS_MS = 3 * 86_400_000
_AWAY_S = 1.5
"""How long a client must stay away after its last goodbye."""

T = TypeVar("T")


class Wrong(Exception):
    """The client broke the contract."""


@command(PROGRAM, _DESCRIPTION, failed=(OSError,))
def run(parser: CommandParser, arguments: list[str]) -> int:
    """Serve one client, print a table of its steps, and return the exit status."""
    option = parser.option
    option("--host HOST", "address to listen on (default: 127.0.0.1)", default="127.0.0.1")
    option("--port PORT", "port to listen on (default: 8765)", type=port, default=8765)
    words = "how long the client may take for a step (default: 20)"
    option("--patience-s S", words, type=one_or_more, default=20)
    words = "play this game of the family, and hold the client to its legal cells"
    option("--variant NAME", words, choices=tuple(VARIANTS))
    return asyncio.run(_serve(parser.parse_args(arguments)))


async def _serve(asked: argparse.Namespace) -> int:
    script = Script(asked.patience_s, VARIANTS.get(asked.variant, PLAIN))
    async with serve(
        script.connected,
        asked.host,
        asked.port,
        # Clients that offer none are served too.
        select_subprotocol=lambda _, offered: _SUBPROTOCOL if _SUBPROTOCOL in offered else None,
        close_timeout=1,
    ) as server:
        taken = server.sockets[0].getsockname()[1]
        put(f"ttt-server listening on ws://{asked.host}:{taken}\n")
        wrong = await script.judged()
    for step in STEPS[: script.done]:
        put(f"ok    {step}\n")
    if wrong is None:
        put("the client holds the contract\n")
        return 0
    put(f"WRONG {STEPS[script.done]}: {wrong}\n")
    return FAILED


class Script:
    """The game of one client, over three connections."""

    def __init__(self, patience_s: float, rules: Rules = PLAIN) -> None:
        self.done = 0
        """The steps that the client has done."""
        self._patience_s = patience_s
        self._rules = rules
        self._moves: list[int] = []
        self._seq = 3
        self._connections: asyncio.Queue[ServerConnection] = asyncio.Queue()
        self._free_from = 0.0

    async def connected(self, connection: ServerConnection) -> None:
        """Hand a connection to the script, and keep it open."""
        await self._connections.put(connection)
        await connection.wait_closed()

    async def judged(self) -> str | None:
        """Play the script; return what the client did wrong, `None` if nothing."""
        try:
            await self._first()
            await self._second()
            await self._third()
        except Wrong as wrong:
            return str(wrong)
        except ConnectionClosed:
            return "it closed the connection"
        return None

    async def _first(self) -> None:
        """Two turns, and a cut before the answer to the second."""
        connection = await self._in_time(self._connections.get(), "it did not connect in")
        peer = await self._welcomed(connection, token=None)
        await self._turn(peer)
        self.done += 1
        await self._send(peer, {"type": "confetti", "colours": ["red"]})
        ply, cell = len(self._moves), self._reply()
        self._moves.append(cell)
        odd = _played(ply, "O", cell) | {"mood": "calm"}
        await self._update(peer, {"type": "fireworks", "game": 1}, odd)
        self._moves.append(await self._move(peer))
        self.done += 1
        self._moves.append(self._reply())  # both moves count, but the client hears of neither
        peer.transport.abort()

    async def _second(self) -> None:
        """A turn, a takeback, the turn again, and a goodbye."""
        connection = await self._in_time(self._connections.get(), "it did not come back in")
        peer = await self._welcomed(connection, TOKEN)
        await self._turn(peer)
        self.done += 1
        del self._moves[4:]
        await self._update(peer, {"type": "taken_back", "game": 1, "ply": 4})
        await self._turn(peer)
        self.done += 1
        goodbye = {"type": "goodbye", "code": 1012, "reason": "restarting"}
        await self._send(peer, goodbye | {"retry_after_s": _RETRY_S})
        self._free_from = asyncio.get_running_loop().time() + _RETRY_S * 0.9
        await peer.close(1012, "restarting")

    async def _third(self) -> None:
        """A refusal of a newer server, the last turn, and the end."""
        connection = await self._in_time(self._connections.get(), "it did not come back in")
        if asyncio.get_running_loop().time() < self._free_from:
            raise Wrong(f"it came back before retry_after_s, {_RETRY_S:g} s")
        self._moves.append(self._reply())
        peer = await self._welcomed(connection, TOKEN)
        odd = {"type": "refused", "command": "say", "code": "brand_new", "reason": "a new rule"}
        await self._send(peer, odd)
        await self._turn(peer)
        outcome = {"winner": "X", "reason": "resignation", "line": None}
        ended = {"type": "ended", "game": 1, "outcome": outcome, "unrated": "same_opponent"}
        await self._update(peer, ended, outcome=outcome)
        self.done += 1
        await self._send(peer, {"type": "goodbye", "code": 4002, "reason": "closed"})
        await peer.close(4002, "closed")
        try:
            async with asyncio.timeout(_AWAY_S):
                await self._connections.get()
        except TimeoutError:
            self.done += 1
        else:
            raise Wrong("it came back to a room that was closed (4002)")

    async def _in_time(self, done: Awaitable[T], else_: str) -> T:
        """Wait for what the client does; `else_` begins what is wrong if it takes too long."""
        try:
            async with asyncio.timeout(self._patience_s):
                return await done
        except TimeoutError:
            raise Wrong(f"{else_} {self._patience_s:g} s") from None

    async def _welcomed(self, peer: ServerConnection, token: str | None) -> ServerConnection:
        """Answer the `join`, which must carry this token: a step is done."""
        command = await self._command(peer)
        if not isinstance(command, Join):
            raise Wrong(f"its first command was {command.type}")
        if command.role is not Role.PLAYER:
            raise Wrong("it joined as a spectator; this script is for a player")
        if token is not None and command.token != token:
            raise Wrong("it joined without the token of its seat")
        you = {"id": "client", "role": "player", "seat": "X", "name": command.name, "token": TOKEN}
        welcome = {"type": "welcome", "protocol": SUBPROTOCOL, "server": "script/1", "you": you}
        await self._send(peer, welcome | {"room": self._room(), "weather": "fine"})
        self.done += 1
        return peer

    async def _turn(self, peer: ServerConnection) -> None:
        """Receive a move, and announce it."""
        ply = len(self._moves)
        cell = await self._move(peer)
        self._moves.append(cell)
        await self._update(peer, _played(ply, "X", cell))

    async def _move(self, peer: ServerConnection) -> int:
        """Return the cell of the next `play`, ignoring other commands."""
        while not isinstance(command := await self._command(peer), Play):
            pass
        ply = len(self._moves)
        if (command.game, command.ply) != (1, ply):
            raise Wrong(f"it played game {command.game}, ply {command.ply}, at ply {ply} of game 1")
        try:
            self._position.play(command.cell)
        except IllegalMove as error:
            raise Wrong(f"it played cell {command.cell}: {error}") from None
        return command.cell

    async def _command(self, peer: ServerConnection) -> Command:
        frame = await self._in_time(peer.recv(), "it sent nothing for")
        if isinstance(frame, bytes):
            raise Wrong("it sent a binary frame")
        try:
            return decode_command(frame)
        except BadCommand as error:
            raise Wrong(f"it sent what is no command: {error.reason}") from None

    def _reply(self) -> int:
        """Return the move of the other side: the last cell that it may play."""
        return self._position.legal_moves[-1]

    @property
    def _position(self) -> Position:
        return Position.after(self._moves, self._rules)

    async def _update(
        self, peer: ServerConnection, *events: dict[str, Any], outcome: Any = None
    ) -> None:
        first = self._seq + 1
        self._seq += len(events)
        numbered = [{"seq": seq, "at": 0, **event} for seq, event in enumerate(events, first)]
        await self._send(peer, {"type": "update", "events": numbered, "room": self._room(outcome)})

    async def _send(self, peer: ServerConnection, message: dict[str, Any]) -> None:
        await peer.send(json.dumps(message))

    def _room(self, outcome: Any = None) -> dict[str, Any]:
        position = self._position
        shown = {"legal": position.legal_moves, "boards": position.boards}
        settings = Settings(rules=wire_rules(self._rules), public=False, days=3)
        return _ROOM | {
            "settings": settings.model_dump(mode="json", by_alias=True),
            "seq": self._seq,
            "status": "playing" if outcome is None else "finished",
            "game": {
                "number": 1,
                "board": position.board,
                "turn": position.turn.value,
                "ply": len(self._moves),
                "moves": self._moves,
                "outcome": outcome,
                "clock": {"X": _THREE_DAYS_MS, "O": _THREE_DAYS_MS, "running": position.turn.value},
                **({} if position.is_plain else shown),
            },
        }


def _played(ply: int, seat: str, cell: int) -> dict[str, Any]:
    return {"type": "played", "game": 1, "ply": ply, "seat": seat, "cell": cell}


def _human(id_: str, person: str) -> dict[str, Any]:
    return {"kind": "human", "id": id_, "name": id_, "person": person, "connected": True}


_ROOM: dict[str, Any] = {
    "name": "script",
    "locked": False,
    "seats": {"X": _human("client", "client"), "O": _human("script", "kept")},
    "offers": {"draw": None, "takeback": None, "rematch": None},
    "score": {"X": 0, "O": 0, "draws": 0},
    "spectators": 0,
}
