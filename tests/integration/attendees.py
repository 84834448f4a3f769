"""People who take part in an event, as programs: they enter, go to their games and play."""

import asyncio
import json
from contextlib import suppress
from random import Random
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidMessage

from tests.integration.programs import PATIENCE_S, Server

Message = dict[str, Any]


class Visitor:
    """A connection to an event that keeps the newest state."""

    def __init__(self, server: Server, event: str) -> None:
        self.server = server
        self.event = event
        self.you: Message = {}
        self.state: Message = {}
        self.refusals: list[Message] = []
        self.invitation = ""
        self.removed: list[Message] = []
        """The players who were removed, as an organiser is told."""
        self.boards: list[Message] = []
        """The liveliest boards, where they were asked for."""
        self._socket: ClientConnection | None = None
        self._reading: asyncio.Task[None] | None = None
        self._staying: asyncio.Task[None] | None = None
        self._news = asyncio.Event()

    async def come(self, type_: str, **fields: Any) -> None:
        """Connect with this first command, and wait for the welcome or a refusal."""
        self.you = {}
        refused = len(self.refusals)
        async with asyncio.timeout(PATIENCE_S):
            while not self.you and len(self.refusals) == refused:
                try:
                    url = f"{self.server.address}/ws/events/{self.event}"
                    self._socket = await connect(url, compression=None)
                    await self.tell(type_, **fields)
                    self._reading = asyncio.create_task(self._read(self._socket))
                    await self._answer(refused)
                except (OSError, ConnectionClosed, InvalidMessage):
                    await asyncio.sleep(0.1)  # until the server is there again

    async def stay(self, type_: str, **fields: Any) -> None:
        """Come, and come back after each lost connection, until the event is over."""
        await self.come(type_, **fields)
        assert self.you, self.refusals[-1]
        token = {"token": self.you["token"]} if self.you.get("token") else {}
        again = "organise" if type_ == "create" else type_
        self._staying = asyncio.create_task(self._stay_on(again, token))

    async def _stay_on(self, type_: str, token: Message) -> None:
        while self.state.get("status") != "finished":
            assert self._reading is not None
            await self._reading
            with suppress(TimeoutError):
                await self.come(type_, **token)

    async def _answer(self, refused: int) -> None:
        """Wait for the welcome, a refusal, or the end of the connection."""
        reading = self._reading
        assert reading is not None
        while not self.you and len(self.refusals) == refused and not reading.done():
            self._news.clear()
            await self._news.wait()

    async def tell(self, type_: str, **fields: Any) -> None:
        assert self._socket is not None
        await self._socket.send(json.dumps({"type": type_, **fields}))

    async def refusal(self, type_: str, **fields: Any) -> str:
        """Give a command that is refused; the code."""
        before = len(self.refusals)
        await self.tell(type_, **fields)
        await self.until(lambda: len(self.refusals) > before)
        code: str = self.refusals[-1]["code"]
        return code

    async def until(self, is_so: Any, patience_s: float = PATIENCE_S) -> None:
        """Wait until something holds of what was told."""
        async with asyncio.timeout(patience_s):
            while not is_so():
                self._news.clear()
                await self._news.wait()

    async def status(self, status: str, patience_s: float = PATIENCE_S) -> None:
        await self.until(lambda: self.state.get("status") == status, patience_s)

    async def go(self) -> None:
        """Close the connection."""
        if self._staying is not None:
            self._staying.cancel()
        if self._reading is not None:
            self._reading.cancel()
        if self._socket is not None:
            await self._socket.close()

    def hear(self, message: Message) -> None:
        match message["type"]:
            case "welcome":
                self.you, self.state = message["you"], message["event"]
            case "event":
                self.state = message["event"]
            case "refused":
                self.refusals.append(message)
            case "boards":
                self.boards = message["boards"]
            case "removed":
                self.removed = message["players"]
            case "invitation":
                self.invitation = message["token"]
            case _:
                pass

    async def _read(self, socket: ClientConnection) -> None:
        with suppress(ConnectionClosed):
            async for text in socket:
                self.hear(json.loads(text))
                self._news.set()
        self._news.set()


class Hold:
    """Games of an event, from this number on, that are not played before they are released."""

    def __init__(self, first: int) -> None:
        self.first = first
        self._is_released = asyncio.Event()

    def release(self) -> None:
        self._is_released.set()

    async def wait(self, number: int, socket: ClientConnection) -> None:
        """Wait until the game may be played, or the connection is lost."""
        if number < self.first or self._is_released.is_set():
            return
        waits = [asyncio.create_task(it) for it in (self._is_released.wait(), socket.wait_closed())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waits:
                task.cancel()


class Attendee(Visitor):
    """A player: plays any legal cell in each of its rooms, and comes back after a lost line."""

    def __init__(
        self,
        server: Server,
        event: str,
        name: str,
        pace_s: float = 0,
        hold: Hold | None = None,
    ) -> None:
        super().__init__(server, event)
        self._hold = hold
        self.name = name
        self.token: str | None = None
        self.rooms: set[str] = set()
        self.moves = 0
        self.pace_s = pace_s
        self._random = Random(name)
        self._games: dict[str, asyncio.Task[None]] = {}

    async def enter(self) -> None:
        """Enter, and play from now on."""
        token = {} if self.token is None else {"token": self.token}
        await self.stay("enter", name=self.name, **token)
        self.token = self.you["token"]

    async def go(self) -> None:
        """Leave without a word."""
        for game in self._games.values():
            game.cancel()
        self._games.clear()
        await super().go()

    def hear(self, message: Message) -> None:
        super().hear(message)
        if message["type"] != "games":
            return
        for game in message["games"]:
            room = game["room"]
            if room not in self._games or self._games[room].done():
                self.rooms.add(room)
                self._games[room] = asyncio.create_task(self._play(game))

    async def _play(self, game: Message) -> None:
        await self.play(game, token=game["token"])

    async def play(self, game: Message, **join: Any) -> None:
        """Play the game in a room to its end. Where a choice is to be made, take the last one."""
        you: Message = {}
        url = f"{self.server.address}/ws/rooms/{game['room']}"
        while True:
            with suppress(OSError, ConnectionClosed, InvalidMessage):
                async with connect(url, compression=None) as socket:
                    await socket.send(json.dumps({"type": "join", **join}))
                    async for text in socket:
                        message = json.loads(text)
                        you = message.get("you", you)
                        room = message.get("room")
                        if not isinstance(room, dict):
                            continue
                        current = room["game"]
                        if current is None:
                            continue
                        if current["outcome"] is not None:
                            return
                        seat = room["seats"][current["turn"]]
                        if seat is not None and seat["id"] == you["id"]:
                            await asyncio.sleep(self.pace_s)
                            if self._hold is not None:
                                await self._hold.wait(game["number"], socket)
                            await socket.send(json.dumps(self._move(room)))
                            self.moves += 1
            await asyncio.sleep(0.1)

    def _move(self, room: Message) -> Message:
        game, rules = room["game"], room["settings"]["rules"]
        at = {"game": game["number"], "ply": game["ply"]}
        if "choices" in game:
            return {"type": "choose", "choice": game["choices"][-1], **at}
        board = game["board"]
        below = rules["columns"] if rules["gravity"] else len(board)
        free = [
            cell
            for cell, mark in enumerate(board)
            if mark == "." and board[cell + below : cell + below + 1] != "."
        ]
        cell = self.choose(game.get("legal", free), game["turn"])
        return {"type": "play", "cell": cell, **at}

    def choose(self, legal: list[int], mark: str) -> int:  # noqa: ARG002 - others ask for it
        return self._random.choice(legal)


class HastyAttendee(Attendee):
    """Fills its own end of the board, so that a large one is soon over."""

    def choose(self, legal: list[int], mark: str) -> int:
        return legal[0] if mark == "X" else legal[-1]


async def make_event(server: Server, name: str, form: str, **settings: Any) -> Visitor:
    """Make an event; the organiser."""
    organiser = Visitor(server, name)
    await organiser.come("create", settings={"form": form, **settings})
    assert organiser.you, organiser.refusals
    return organiser
