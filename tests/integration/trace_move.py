"""Trace moves of a server in this process: print the cheapest one as JSON.

`calls` are the calls of our packages in order, each as `[file, function]`, those of the store's
thread among them; `opcodes` is how many bytecode instructions each file took. The first argument is
the data folder; with a second one, `persons`, both players keep their names. Of several moves the
cheapest is printed, as chores that come every second or so would be counted in the others.
"""

import asyncio
import json
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect

from ttt_server import Config, serve

PACKAGES: Final = ("ttt_server/", "ttt_protocol/", "ttt_engine/", "ttt_client/")
CELLS: Final = (0, 3, 1, 4, 2)
"""A game that X wins."""
TRACED: Final = range(1, 4)
"""The plies that are traced: the first begins with what was idle, the last ends the game."""
REST_S: Final = 0.05
"""After each move, for what the store's thread does next."""

Trace = Callable[[FrameType, str, Any], Any]


class Tracer:
    """Counts what our packages do while it is switched on."""

    def __init__(self) -> None:
        self.is_on = False
        self.reset()

    def reset(self) -> None:
        self.calls: list[tuple[str, str]] = []
        self.opcodes: Counter[str] = Counter()

    def __call__(self, frame: FrameType, event: str, _: Any) -> Trace | None:
        file = file_of(frame)
        if file is None:
            return None
        if self.is_on and event == "call":
            self.calls.append((file, frame.f_code.co_qualname))
        frame.f_trace_opcodes = True
        return self.count

    def count(self, frame: FrameType, event: str, _: Any) -> Trace:
        if self.is_on and event == "opcode":
            self.opcodes[file_of(frame) or ""] += 1
        return self.count


def file_of(frame: FrameType) -> str | None:
    """Return the file of a frame of ours, without `ttt_server/`."""
    path = frame.f_code.co_filename
    for package in PACKAGES:
        start = path.rfind("/" + package)
        if start >= 0:
            return path[start + 1 :].removeprefix("ttt_server/")
    return None


async def play(tracer: Tracer, data: Path, *, are_persons: bool) -> list[Tracer]:
    """Play games between two clients; return what was counted for each traced move."""
    counted = []
    async with serve(Config(port=0, data=data)) as server:
        room = f"{server.address}/ws/rooms/traced"
        own = [await keep(server.address, each) if are_persons else {} for each in ("ada", "bob")]
        async with connect(room) as ada, connect(room) as bob:
            await say(ada, type="join", name="ada", **own[0])
            await ada.recv()
            await say(bob, type="join", name="bob", **own[1])
            players = [ada, bob]
            for game in (1, 2, 3):
                await asyncio.gather(see(ada, game, 0), see(bob, game, 0))
                for ply, cell in enumerate(CELLS):
                    tracer.reset()
                    tracer.is_on = game > 1 and ply in TRACED  # after all parts are warm
                    await say(players[ply % 2], type="play", game=game, ply=ply, cell=cell)
                    await asyncio.gather(see(ada, game, ply + 1), see(bob, game, ply + 1))
                    await asyncio.sleep(REST_S)
                    if tracer.is_on:
                        tracer.is_on = False
                        counted.append(copy_of(tracer))
                await say(ada, type="offer", kind="rematch")
                await say(bob, type="offer", kind="rematch")  # the other one agrees
                players.reverse()
    return counted


async def keep(server: str, name: str) -> dict[str, str]:
    """Keep a name on the server; return what a `join` has of it."""
    host, port = server.removeprefix("ws://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    body = json.dumps({"name": name})
    writer.write(
        f"POST /api/persons HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    answer = json.loads((await reader.read()).partition(b"\r\n\r\n")[2])
    writer.close()
    return {"person": answer["token"]}


def copy_of(tracer: Tracer) -> Tracer:
    copy = Tracer()
    copy.calls, copy.opcodes = list(tracer.calls), tracer.opcodes.copy()
    return copy


async def say(client: ClientConnection, **command: Any) -> None:
    await client.send(json.dumps(command))


async def see(client: ClientConnection, number: int, ply: int) -> None:
    """Wait for the state of a game after this many moves."""
    while True:
        message = json.loads(await client.recv())
        game = (message.get("room") or {}).get("game")
        if game and (game["number"], game["ply"]) == (number, ply):
            return


def main() -> None:
    tracer = Tracer()
    threading.settrace(tracer)
    sys.settrace(tracer)
    counted = asyncio.run(play(tracer, Path(sys.argv[1]), are_persons="persons" in sys.argv[2:]))
    sys.settrace(None)
    cheapest = min(counted, key=lambda each: each.opcodes.total())
    print(json.dumps({"calls": cheapest.calls, "opcodes": cheapest.opcodes}))  # noqa: T201 - a program


if __name__ == "__main__":
    main()
