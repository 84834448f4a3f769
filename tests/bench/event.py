"""What an event costs: pairing a Swiss, an arena beside the same rooms without one, and its walls.

    python -m tests.bench.event [--players 500] [--seconds 20] [--walls 100]

The players of the arena move once a second, at random, on 3x3. Beside it as many players sit in
rooms of their own making, and go on to the next room after each game.
"""

import argparse
import asyncio
import time
from collections.abc import Sequence
from random import Random
from typing import Final

from tests.bench.server import Server, ours, running
from tests.integration import programs
from tests.integration.attendees import Attendee, Visitor, make_event
from tests.server.tournaments.rules.tournaments import Evening, at_random, names
from ttt_protocol.tournament.settings import Form

ROUNDS: Final = 9
PACE_S: Final = 1.0
_WARM_S: Final = 4.0
_ENTER_AT_ONCE: Final = 50


def pairing(players: int) -> list[float]:
    """Return the seconds that it takes to pair each round of a Swiss."""
    evening = Evening(Form.SWISS, names(players), rounds=ROUNDS)
    evening.start()
    choose, took = at_random(Random(1)), []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        evening.step()
        took.append(time.perf_counter() - began)
        for number in evening.it.open_games:
            evening.end(number, choose(evening.it.game(number)))
    return took


def _known(server: Server) -> programs.Server:
    known = programs.Server()
    known.port = server.port
    return known


async def _measured(server: Server, players: Sequence[Attendee], seconds: float) -> float:
    """Return the server's microseconds a move, after a while to warm up."""
    await asyncio.sleep(_WARM_S)
    moves, cpu_s = sum(it.moves for it in players), server.cpu_s()
    await asyncio.sleep(seconds)
    return (server.cpu_s() - cpu_s) / (sum(it.moves for it in players) - moves) * 1e6


async def arena(server: Server, count: int, seconds: float, walls: int) -> tuple[float, float]:
    """Return the server's microseconds a move in an arena: without a wall, and with so many."""
    at = _known(server)
    host = await make_event(at, "arena", "arena", minutes=60, max_players=count)
    players = [Attendee(at, "arena", f"player {number}", PACE_S) for number in range(count)]
    for first in range(0, count, _ENTER_AT_ONCE):
        await asyncio.gather(*(it.enter() for it in players[first : first + _ENTER_AT_ONCE]))
    await host.tell("start")
    alone = await _measured(server, players, seconds)
    watchers = [Visitor(at, "arena") for _ in range(walls)]
    for watcher in watchers:
        await watcher.come("watch", boards=True)
    watched = await _measured(server, players, seconds)
    await asyncio.gather(*(it.go() for it in (host, *watchers, *players)))
    return alone, watched


async def rooms(server: Server, count: int, seconds: float) -> float:
    """Return the server's microseconds a move in rooms that the players make themselves."""
    at = _known(server)
    players = [Attendee(at, "none", f"player {number}", PACE_S) for number in range(count)]

    async def play_on(number: int) -> None:
        seat, table = "XO"[number % 2], number // 2
        # Where all move at once, one write of the store is for all: an arena has no such beat.
        await asyncio.sleep(PACE_S * table / count * 2)
        for game in range(1_000):
            room = {"room": f"table{table}-{game}", "seat": seat}
            await players[number].play(room, name=players[number].name, seat=seat)

    playing = [asyncio.create_task(play_on(number)) for number in range(count)]
    took = await _measured(server, players, seconds)
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    return took


def main(given: Sequence[str] | None = None) -> None:
    """Measure, and print what came out."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.event")
    parser.add_argument("--players", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--walls", type=int, default=100)
    parser.add_argument("--server", metavar="COMMAND", default=ours())
    arguments = parser.parse_args(given)
    took = pairing(arguments.players)
    print(f"a round of a Swiss is paired in {max(took) * 1e3:.0f} ms at most, {ROUNDS} rounds")
    with running(arguments.server, None) as server:
        plain = asyncio.run(rooms(server, arguments.players, arguments.seconds))
    print(f"rooms without an event: {plain:.0f} us of the server a move")
    with running(arguments.server, None) as server:
        of_arena = arena(server, arguments.players, arguments.seconds, arguments.walls)
        alone, watched = asyncio.run(of_arena)
    print(f"an arena: {alone:.0f} us, {alone / plain:.2f} of it")
    print(f"with {arguments.walls} walls: {watched:.0f} us, {watched / plain:.2f} of it")


if __name__ == "__main__":
    main()
