"""Players that never tire: they move at random, come back by token, and remember what they hear."""

import asyncio
import json
from contextlib import suppress
from random import Random
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from tests.integration.programs import Message
from tests.integration.referee import Event

NO_LIMITS = ("--commands-per-10s", "1000000", "--command-burst", "100000")
"""For a server: they play as fast as they can."""

_OUTRUN = {"stale_ply", "not_your_turn", "wrong_game", "game_over", "not_allowed"}
"""Refusals of what was right when it was sent: two offers of a rematch are one, and a game."""


class Account:
    """What anyone was told of one room: its events by number, each of which must be in the log."""

    def __init__(self) -> None:
        self.events: dict[int, Event] = {}

    def hear(self, events: list[Event]) -> None:
        for event in events:
            assert self.events.setdefault(event["seq"], event) == event

    @property
    def moves(self) -> int:
        return sum(event["type"] == "played" for event in self.events.values())


class Bot:
    """One player, on as many connections as it takes."""

    def __init__(self, address: str, room: str, random: Random, **join: Any) -> None:
        self.address = address
        self.room = room
        self.account = Account()
        self.connections = 0
        self._random = random
        self._join = join
        self._you: dict[str, Any] = {}
        self._seq = 0

    async def play(self) -> None:
        """Plays game after game, until it is cancelled."""
        while True:
            with suppress(ConnectionClosed, InvalidHandshake, InvalidMessage, OSError):
                await self._visit()
            await asyncio.sleep(0.05)

    async def _visit(self) -> None:
        url = f"{self.address}/ws/rooms/{self.room}"
        async with connect(url, compression=None, close_timeout=1) as socket:
            join = {"token": self._you["token"]} if self._you else self._join
            await socket.send(json.dumps({"type": "join", **join}))
            async for frame in socket:
                message = json.loads(frame)
                match message["type"]:
                    case "welcome":
                        self._you = message["you"]
                        self.connections += 1
                        self._see(message["room"])
                    case "update":
                        self.account.hear(message["events"])
                        self._see(message["room"])
                    case "refused":
                        assert message["code"] in _OUTRUN, message
                        continue
                    case _:
                        continue
                if (command := self._next(message["room"])) is not None:
                    await socket.send(json.dumps(command))

    def _see(self, room: Message) -> None:
        assert room["seq"] >= self._seq, "seq went back"
        self._seq = room["seq"]

    def _next(self, room: Message) -> Message | None:
        """What to do now, if anything."""
        seat = next(
            (mark for mark, who in room["seats"].items() if who and who["id"] == self._you["id"])
        )
        game = room["game"]
        if room["status"] == "finished":
            if room["offers"]["rematch"] == seat:
                return None
            return {"type": "offer", "kind": "rematch"}
        if room["status"] != "playing" or game["turn"] != seat:
            return None
        cell = self._random.choice([at for at, mark in enumerate(game["board"]) if mark == "."])
        if room["settings"]["rules"]["gravity"]:
            columns = room["settings"]["rules"]["columns"]
            below = range(cell % columns, len(game["board"]), columns)
            cell = max(at for at in below if game["board"][at] == ".")
        return {"type": "play", "game": game["number"], "ply": game["ply"], "cell": cell}
