"""What a backup costs the players: the moves of a room while one is made, beside those without.

    python -m tests.bench.backup [--mb 200] [--rounds 8] [--server COMMAND]

Each round plays in fresh rooms until one whole backup is made, and as many games without one.
"""

import argparse
import asyncio
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tests.bench.figures import percentile
from tests.bench.history import Running, moves, write
from tests.integration.programs import environment, program
from ttt_server.storage import DATABASE

_GAMES = 10
"""Of the long rooms, which are of no interest here."""


async def measure(command: str, folder: Path, rounds: int) -> None:
    server = await Running.start(command, folder)
    ratios: dict[str, list[float]] = {"p50": [], "p99": []}
    try:
        await moves(server, "first")  # what the first connections pay is not the backup's
        for at in range(rounds):
            during = await _while_backed_up(command, server, folder, at)
            without = [
                time
                for number in range(len(during))
                for time in await moves(server, f"without{at}-{number}")
            ]
            with_one = [time for times in during for time in times]
            for name, part in (("p50", 0.5), ("p99", 0.99)):
                before, after = percentile(without, part), percentile(with_one, part)
                ratios[name].append(after / before)
                print(f"{at}: {name} {before * 1e3:6.2f} ms, with {after * 1e3:6.2f} ms")
    finally:
        await server.stop()
    for name, found in ratios.items():
        print(f"{name} with to without: {median(found):.2f} ({min(found):.2f} to {max(found):.2f})")


async def _while_backed_up(
    command: str, server: Running, folder: Path, at: int
) -> list[list[float]]:
    """Play game after game until a backup is made; return the times of their moves."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        backing_up = await asyncio.create_subprocess_exec(
            *shlex.split(command),
            *("backup", str(Path(place) / "backup"), "--data", str(folder)),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment(),
        )
        games: list[list[float]] = []
        while backing_up.returncode is None:
            games.append(await moves(server, f"with{at}-{len(games)}"))
        assert backing_up.returncode == 0
        return games


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="What a backup costs the players.")
    parser.add_argument("--mb", type=int, default=200, help="the size of the database")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--server", default=shlex.join([program("ttt-server")]), help="the command")
    asked = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="ttt-bench-") as made:
        folder = Path(made) / "data"
        write(folder, _GAMES, asked.mb)
        print(f"{(folder / DATABASE).stat().st_size / 1e6:.0f} MB")
        asyncio.run(measure(asked.server, folder, asked.rounds))


if __name__ == "__main__":
    main()
