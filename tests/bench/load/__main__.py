"""The process that puts load on a server: `python -m tests.bench.load PORT ROOMS`.

It is told what to do, a JSON object a line: `{"do": "seat", "rooms": 50}`, with what the method of
that name of `Crowd` takes. It answers each with a line: what it has seen, and `busy_s`, the
processor's time that this took of it. It ends with its input.
"""

import asyncio
import gc
import json
import resource
import sys
import time
from collections.abc import Awaitable, Callable

from tests.bench.load.crowd import Crowd


async def main(port: int, rooms: str) -> None:
    crowd = Crowd(port, rooms)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    methods: dict[str, Callable[..., Awaitable[None]]] = {
        "open": crowd.open,
        "seat": crowd.seat,
        "wait": crowd.wait,
        "fill": crowd.fill,
        "play": crowd.play,
        "visit": crowd.visit,
    }
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    gc.disable()  # nothing here goes round in circles, and a pause would be taken for the server's
    while line := await reader.readline():
        order = json.loads(line)
        before = time.process_time()
        await methods[order.pop("do")](**order)
        print(json.dumps(crowd.told() | {"busy_s": time.process_time() - before}), flush=True)


if __name__ == "__main__":
    try:
        import uvloop
    except ImportError:  # not on Windows
        asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
    else:
        uvloop.run(main(int(sys.argv[1]), sys.argv[2]))
