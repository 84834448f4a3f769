"""Trace one move of a server in this process: print `file function` for each call of ttt_server.

The argument is the data folder. The calls come in order, those of the store's thread among them.
"""

import asyncio
import json
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

import ttt_server
from ttt_server import Config, serve

ROOT = str(Path(ttt_server.__file__).parent) + "/"
TRACED_PLY = 2


class Tracer:
    """Writes down the calls while it is switched on."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.is_on = False

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if self.is_on and event == "call" and code.co_filename.startswith(ROOT):
            self.calls.append(f"{code.co_filename.removeprefix(ROOT)} {code.co_qualname}")

    def switch(self, *, is_on: bool) -> None:
        self.is_on = is_on


async def play(tracer: Tracer, data: Path) -> None:
    """Play three moves between two clients; trace the last."""
    async with serve(Config(port=0, data=data)) as server:
        room = f"{server.address}/ws/rooms/traced"
        async with connect(room) as ada, connect(room) as bob:
            await ada.send(json.dumps({"type": "join", "name": "ada"}))
            await ada.recv()
            await bob.send(json.dumps({"type": "join", "name": "bob"}))
            await asyncio.gather(see(ada, 0), see(bob, 0))
            for ply, mover in enumerate((ada, bob, ada)):
                tracer.switch(is_on=ply == TRACED_PLY)
                await mover.send(json.dumps({"type": "play", "game": 1, "ply": ply, "cell": ply}))
                await asyncio.gather(see(ada, ply + 1), see(bob, ply + 1))
            tracer.switch(is_on=False)


async def see(client: ClientConnection, ply: int) -> None:
    """Wait for the state after this many moves."""
    while True:
        game = (json.loads(await client.recv()).get("room") or {}).get("game")
        if game and game["ply"] == ply:
            return


def main() -> None:
    tracer = Tracer()
    threading.setprofile(tracer)
    sys.setprofile(tracer)
    asyncio.run(play(tracer, Path(sys.argv[1])))
    sys.setprofile(None)
    print("\n".join(tracer.calls))  # noqa: T201 - a program


if __name__ == "__main__":
    main()
