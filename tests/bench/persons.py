"""What a move of persons costs the server beside one of guests, who play at the same pace.

    python -m tests.bench.persons [--rooms 40] [--moves 50] [--pace 0] [--rounds 5]

Guests play on one server and persons on another at the same time, so that the machine is as busy
for both. Games go on from round to round. A figure is a server's processor time for a move, with
what it does in the seconds after. The last line is what a pause costs: a turn that lasts is written
to the index of games, once.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from statistics import median
from typing import Final

from websockets.asyncio.client import ClientConnection, connect

from tests.bench.server import Server, ours, running
from tests.integration.trace_move import keep
from ttt_server.people.log_reader import QUIET_S

BOUND: Final = 1.03
"""Of a person's move to a guest's."""

_REST_S: Final = 6.0
"""After the last move of a round."""

_LASTS_S: Final = QUIET_S + 15.0
"""After the last round: each game is written by then."""

_SETTINGS: Final = {"rules": {"columns": 19, "rows": 19, "in_a_row": 19}}

Pair = tuple[ClientConnection, ClientConnection]


async def _sit(server: str, room: str, own: Sequence[dict[str, str]]) -> Pair:
    pair = [await connect(f"{server}/ws/rooms/{room}", compression=None) for _ in range(2)]
    for socket, of_person in zip(pair, own, strict=True):
        await socket.send(json.dumps({"type": "join", "settings": _SETTINGS, **of_person}))
        while json.loads(await socket.recv())["type"] != "welcome":
            pass
    return pair[0], pair[1]


async def _play(pair: Pair, moves: range, pace_s: float, share: float) -> None:
    """Move at a pace; begin after this share of a pause, so that each move is its own write."""
    await asyncio.sleep(pace_s * share)
    for ply in moves:
        play = {"type": "play", "game": 1, "ply": ply, "cell": ply}
        await pair[ply % 2].send(json.dumps(play))
        for socket in pair:
            while f'"ply":{ply + 1},' not in str(await socket.recv(decode=True)):
                pass
        await asyncio.sleep(pace_s)


async def _begin(server: Server, rooms: int, *, are_persons: bool) -> list[Pair]:
    address, pairs = f"ws://127.0.0.1:{server.port}", []
    for room in range(rooms):
        own: list[dict[str, str]] = [{}, {}]
        if are_persons:
            own = [await keep(address, f"Person {room} {each}") for each in range(2)]
        pairs.append(await _sit(address, f"room{room}", own))
    return pairs


async def _measure(server: Server, pairs: Sequence[Pair], moves: range, pace_s: float) -> float:
    """Return the microseconds of a processor for a move."""
    before = server.cpu_s()
    shares = (at / len(pairs) for at in range(len(pairs)))
    await asyncio.gather(
        *(_play(pair, moves, pace_s, share) for pair, share in zip(pairs, shares, strict=True))
    )
    await asyncio.sleep(_REST_S)
    return (server.cpu_s() - before) / (len(pairs) * len(moves)) * 1e6


async def measure(options: argparse.Namespace) -> None:
    """Measure and tell."""
    ratios = list[float]()
    with running(options.server, None) as one, running(options.server, None) as other:
        guests = await _begin(one, options.rooms, are_persons=False)
        persons = await _begin(other, options.rooms, are_persons=True)
        await asyncio.sleep(_REST_S)
        for at in range(options.rounds + 1):
            moves = range(at * options.moves, (at + 1) * options.moves)
            of_guest, of_person = await asyncio.gather(
                _measure(one, guests, moves, options.pace),
                _measure(other, persons, moves, options.pace),
            )
            if not at:
                continue  # all is cold
            ratios.append(of_person / of_guest)
            print(
                f"a move of guests {of_guest:6.1f} µs   of persons {of_person:6.1f} µs"
                f"   ratio {ratios[-1]:.3f}",
                flush=True,
            )
        before = one.cpu_s(), other.cpu_s()
        await asyncio.sleep(_LASTS_S)
        idle, paused = one.cpu_s() - before[0], other.cpu_s() - before[1]
        for socket in (each for pair in (*guests, *persons) for each in pair):
            await socket.close()
    met = "met" if median(ratios) <= BOUND else "NOT MET"
    print(f"median ratio {median(ratios):.3f}, at most {BOUND}: {met}")
    print(f"a game whose turn lasts: {(paused - idle) / options.rooms * 1e6:.0f} µs, once")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="What a move of persons costs.")
    parser.add_argument("--rooms", type=int, default=40)
    parser.add_argument("--moves", type=int, default=50)
    parser.add_argument("--pace", type=float, default=0.0, help="seconds between two moves")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--server", default=ours(), help="the command")
    asyncio.run(measure(parser.parse_args(argv)))


if __name__ == "__main__":
    main()
