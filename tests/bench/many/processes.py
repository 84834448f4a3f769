"""What a server of two processes costs, beside one."""

import re
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final
from urllib.request import urlopen

from tests.bench import processors
from tests.bench.generator import sleep_until
from tests.bench.many.costs import Finding
from tests.bench.many.installation import Installation
from tests.bench.many.supervised import MODULE, UNUSED
from tests.bench.server import Server, cpu_s, descendants, running
from tests.bench.stage import Stage

CPU: Final = "CPU of a move, two processes to one"
BUSIER: Final = "CPU of the busier of two for a move, to one (moves/s of two: 1.7)"
HELD: Final = "moves/s of one process to two, with a fifth of a processor each"
RELAYED: Final = "relayed moves of two processes, %"

_TWO: Final = "--processes", "2"
_RELAYED_ROOMS: Final = 500
_SHARE: Final = 0.2
"""Of a processor, for each process: so the load has enough for both."""

_PACE_S: Final = 0.1
"""Before each move."""


def processes(inst: Installation) -> Iterator[Finding]:
    """One process and two, with rooms in memory, in the same rounds; and who relays.

    Each process has as many rooms, which move at the same pace: so neither waits for the load,
    which has no processor of its own beside two. With one for each process, moves/s would be what
    the busier of them allows: that is shown as its time for a move. `moves/s` is what two
    processors did without a pace, one of them together with the load. Where the system can hold
    processes to a share of a processor, it is also measured with a fifth each.
    """
    plan = inst.plan
    command = f"{sys.executable} -m {MODULE}"
    with ExitStack() as stack:
        alone = stack.enter_context(running(plan.server, None, "--store", "memory:"))
        two = stack.enter_context(running(command, None, *UNUSED, *_TWO))
        both = _spread(two)
        one_load = stack.enter_context(inst.load(alone, "one"))
        two_load = stack.enter_context(inst.load(two, "two"))
        rooms = plan.rooms[0]
        for _ in range(plan.rounds):
            one_load.load.do("seat", rooms=rooms, think_s=_PACE_S)
            (of_one,), moves = _measure(one_load, [alone.pid], inst)
            two_load.load.do("seat", rooms=2 * rooms, think_s=_PACE_S)
            each, of_both = _measure(two_load, [two.pid, *both], inst)
            yield CPU, sum(each) / of_both / (of_one / moves)
            yield BUSIER, max(each) / of_both / (of_one / moves)
            for its in (one_load, two_load):
                its.load.do("seat", rooms=2 * rooms)
            moves = _measure(one_load, [], inst)[1]
            yield "moves/s, two processes to one", _measure(two_load, [], inst)[1] / moves
            with processors.held_to(_SHARE, [alone.pid, *both]) as are_held:
                if are_held:
                    moves = _measure(one_load, [], inst)[1]
                    yield HELD, moves / _measure(two_load, [], inst)[1]
    with ExitStack() as stack:
        server = stack.enter_context(inst.server(*_TWO))
        its = stack.enter_context(inst.load(server, "spread"))
        its.load.do("seat", rooms=_RELAYED_ROOMS if plan.rounds > 1 else plan.rooms[0])
        _measure(its, [server.pid], inst)
        yield (
            RELAYED,
            100
            * _read(server, "ttt_relayed_moves_total")
            / _read(server, "ttt_move_seconds_count"),
        )


def _spread(server: Server) -> list[int]:
    """Give each of two processes a processor of its own; return the processes."""
    found = [
        pid
        for pid in descendants(server.pid)
        if MODULE.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    for pid, give in zip(found, (processors.give_to_server, processors.give_to_load), strict=True):
        give(pid)
    return found


def _measure(its: Stage, pids: list[int], inst: Installation) -> tuple[list[float], int]:
    """Let all play for a while; return each process's seconds of a processor, and the moves."""
    begin = time.monotonic() + inst.plan.warm_s
    end = begin + inst.plan.seconds
    its.load.begin("play", begin=begin, end=end)
    sleep_until(begin)
    before = list(map(cpu_s, pids))
    sleep_until(end)
    used = [now - then for now, then in zip(map(cpu_s, pids), before, strict=True)]
    return used, its.load.told()["moves"]


def _read(server: Server, name: str) -> float:
    with urlopen(f"http://127.0.0.1:{server.port}/metrics") as answer:
        text = answer.read().decode()
    found = re.search(rf"^{name} (\S+)$", text, re.MULTILINE)
    assert found
    return float(found[1])
