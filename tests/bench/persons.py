"""What a move of persons costs the server beside one of guests, who play at the same pace.

    python -m tests.bench.persons [--rooms 40] [--moves 100] [--pace 0] [--rounds 5]

Guests play on one server and persons on another at the same time, so that the machine is as busy
for both. A figure is a server's processor time for a move, with what it does in the seconds after.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from itertools import count
from statistics import median
from typing import Final

from websockets.asyncio.client import ClientConnection, connect

from tests.bench.server import Server, ours, running
from tests.integration.trace_move import keep

BOUND: Final = 1.03
"""Of a person's move to a guest's."""

_REST_S: Final = 6.0
"""After the last move: what follows from it is written by then."""

_SETTINGS: Final = {"rules": {"columns": 19, "rows": 19, "in_a_row": 19}}

Pair = tuple[ClientConnection, ClientConnection]


async def _sit(server: str, room: str, own: Sequence[dict[str, str]]) -> Pair:
    pair = [await connect(f"{server}/ws/rooms/{room}", compression=None) for _ in range(2)]
    for socket, of_person in zip(pair, own, strict=True):
        await socket.send(json.dumps({"type": "join", "settings": _SETTINGS, **of_person}))
        while json.loads(await socket.recv())["type"] != "welcome":
            pass
    return pair[0], pair[1]


async def _play(pair: Pair, moves: int, pace_s: float) -> None:
    for ply in range(moves):
        play = {"type": "play", "game": 1, "ply": ply, "cell": ply}
        await pair[ply % 2].send(json.dumps(play))
        for socket in pair:
            while f'"ply":{ply + 1},' not in str(await socket.recv(decode=True)):
                pass
        await asyncio.sleep(pace_s)


async def _measure(
    server: Server, names: "count[int]", rooms: int, moves: int, pace_s: float, *, are_persons: bool
) -> float:
    """Return the seconds of a processor for a move."""
    address = f"ws://127.0.0.1:{server.port}"
    pairs = []
    for _ in range(rooms):
        own: list[dict[str, str]] = [{}, {}]
        if are_persons:
            own = [await keep(address, f"Person {next(names)}") for _ in range(2)]
        pairs.append(await _sit(address, f"room{next(names)}", own))
    await asyncio.sleep(_REST_S / 2)
    before = server.cpu_s()
    await asyncio.gather(*(_play(pair, moves, pace_s) for pair in pairs))
    await asyncio.sleep(_REST_S)
    took = server.cpu_s() - before
    for socket in (each for pair in pairs for each in pair):
        await socket.close()
    return took / (rooms * moves)


async def measure(options: argparse.Namespace) -> None:
    """Measure and tell."""
    size = options.rooms, options.moves, options.pace
    ratios, names = list[float](), count(1)
    with running(options.server, None) as one, running(options.server, None) as other:
        for at in range(options.rounds + 1):
            guests, persons = await asyncio.gather(
                _measure(one, names, *size, are_persons=False),
                _measure(other, names, *size, are_persons=True),
            )
            if not at:
                continue  # all is cold
            ratios.append(persons / guests)
            print(
                f"a move of guests {guests * 1e6:6.1f} µs   of persons {persons * 1e6:6.1f} µs"
                f"   ratio {ratios[-1]:.3f}",
                flush=True,
            )
    met = "met" if median(ratios) <= BOUND else "NOT MET"
    print(f"median ratio {median(ratios):.3f}, at most {BOUND}: {met}")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="What a move of persons costs.")
    parser.add_argument("--rooms", type=int, default=40)
    parser.add_argument("--moves", type=int, default=100)
    parser.add_argument("--pace", type=float, default=0.0, help="seconds between two moves")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--server", default=ours(), help="the command")
    asyncio.run(measure(parser.parse_args(argv)))


if __name__ == "__main__":
    main()
