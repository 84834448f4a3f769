"""After a restart all come back at once, to rooms with long logs."""

import asyncio
from pathlib import Path

from tests.bench.plan import Plan
from tests.bench.rejoin import write
from tests.integration.programs import Dial, StartServer

ROOMS, EVENTS = 8, 900


async def test_long_rooms_are_joined_at_once_while_another_plays(
    start_server: StartServer, dial: Dial, tmp_path: Path
) -> None:
    data = tmp_path / "long"
    plan = Plan("", long_rooms=ROOMS, long_events=EVENTS)
    await asyncio.to_thread(write, data, plan, has_snapshots=False)
    server = await start_server("--secret", "a secret of the test", data=data)
    ada, bob = await dial(server, "other"), await dial(server, "other")
    await ada.join(name="ada")
    await bob.join(name="bob")
    joining = [
        asyncio.create_task((await dial(server, f"long{number}")).join(role="spectator"))
        for number in range(ROOMS)
    ]
    for ply, cell in enumerate((0, 3, 1, 4, 2)):
        mover, other = (ada, bob) if ply % 2 == 0 else (bob, ada)
        await mover.play(ply, cell)
        await other.until_ply(ply + 1)
    games = EVENTS // 6
    for welcome in await asyncio.gather(*joining):
        assert welcome["room"]["game"]["number"] == games
        assert welcome["room"]["score"]["X"] + welcome["room"]["score"]["O"] == games
