"""What hints cost that nobody waits for: connections join, ask for one and go, again and again.

    python -m tests.bench.hints [--seconds 20] [--callers 32] [--stay-s 0] [--server COMMAND]

All come from one address. A person at the same address asks for hints on a large board in another
room: first in quiet, then meanwhile. Afterwards the server is watched until it rests.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import suppress
from statistics import median
from typing import Final

from websockets.asyncio.client import ClientConnection, connect

from tests.bench.server import Server, ours, running
from tests.integration.programs import Message

PATIENCE_S: Final = 40.0
"""After this time a hint counts as one that did not come."""

_AGAIN_S: Final = 0.2
"""The time from a refusal to the next question."""

_LONGEST_REST_S: Final = 120.0
_BUSY: Final = 0.05
"""The share of a processor below which a server rests."""

_SETTINGS: Final = {
    "rules": {"columns": 15, "rows": 15, "in_a_row": 5},
    "hints": True,
    "seats": {"O": {"strategy": "random"}},
}
_HINT: Final = json.dumps({"type": "hint"})


async def _until(socket: ClientConnection, *types: str) -> Message:
    while True:
        message: Message = json.loads(await socket.recv())
        if message["type"] in types:
            return message


def _join(token: str | None) -> str:
    known = {"settings": _SETTINGS} if token is None else {"token": token}
    return json.dumps({"type": "join", **known})


class Callers:
    """Connections that ask for a hint and go before it is there, each again and again."""

    def __init__(self, server: Server, stay_s: float) -> None:
        self._server = server
        self._stay_s = stay_s
        self.calls = 0

    async def call(self, number: int, until: float) -> None:
        """Join a room, ask, and go, until the time by `monotonic` is over."""
        token: str | None = None
        address = f"ws://127.0.0.1:{self._server.port}/ws/rooms/caller{number}"
        while time.monotonic() < until:
            with suppress(OSError, TimeoutError):
                async with connect(address, compression=None) as socket:
                    await socket.send(_join(token))
                    token = (await _until(socket, "welcome"))["you"]["token"]
                    await socket.send(_HINT)
                    self.calls += 1
                    await asyncio.sleep(self._stay_s)
                    socket.transport.close()


class Person:
    """Somebody who asks for a hint, waits for it, and asks again; soon after a refusal, too."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.refusals = 0

    async def ask(self, until: float) -> list[float]:
        """Return how long each hint took, in seconds; `PATIENCE_S` for one that did not come."""
        took: list[float] = []
        while time.monotonic() < until:
            began = time.monotonic()
            try:
                async with asyncio.timeout(PATIENCE_S):
                    while not await self._is_told():
                        self.refusals += 1
                        await asyncio.sleep(_AGAIN_S)
            except TimeoutError:
                return [*took, PATIENCE_S]
            took.append(time.monotonic() - began)
        return took

    async def _is_told(self) -> bool:
        await self._socket.send(_HINT)
        answer = await _until(self._socket, "hint", "refused")
        return bool(answer["type"] == "hint")


async def _rest_s(server: Server) -> float:
    """Return after what time the server and its workers do nothing any more."""
    began = time.monotonic()
    while time.monotonic() < began + _LONGEST_REST_S:
        before = server.cpu_s()
        await asyncio.sleep(1)
        if server.cpu_s() - before < _BUSY:
            return time.monotonic() - began - 1
    return _LONGEST_REST_S


async def measure(server: Server, callers: int, seconds: float, stay_s: float) -> None:
    """Measure and tell."""
    address = f"ws://127.0.0.1:{server.port}/ws/rooms/person"
    async with connect(address, compression=None, ping_timeout=None) as socket:
        await socket.send(_join(None))
        await _until(socket, "welcome")
        person = Person(socket)
        await person.ask(time.monotonic() + 1)  # the first one starts a worker
        quiet = await person.ask(time.monotonic() + seconds / 4)
        calling, until = Callers(server, stay_s), time.monotonic() + seconds
        before = server.cpu_s()
        async with asyncio.TaskGroup() as group:
            asking = group.create_task(person.ask(until))
            for number in range(callers):
                group.create_task(calling.call(number, until))
        meanwhile = asking.result()
        cpu_s = server.cpu_s() - before
        rest_s = await _rest_s(server)
    for name, took in (("in quiet", quiet), ("meanwhile", meanwhile)):
        print(
            f"a person's hint {name:<12} median {median(took):6.2f} s   worst {max(took):6.2f} s"
            f"   ({len(took)} hints)"
        )
    print(f"refused to the person {person.refusals:>5}")
    print(f"hints that were left {calling.calls:>6}   {calling.calls / seconds:.0f} a second")
    print(f"processors busy meanwhile {cpu_s / seconds:.2f}; at rest {rest_s:.0f} s after the last")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="What hints cost that nobody waits for.")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--callers", type=int, default=32, help="connections at once")
    parser.add_argument("--stay-s", type=float, default=0.0, help="from the question to the end")
    parser.add_argument("--server", default=ours(), help="the command")
    asked = parser.parse_args(argv)
    with running(asked.server, None) as server:
        asyncio.run(measure(server, asked.callers, asked.seconds, asked.stay_s))


if __name__ == "__main__":
    main()
