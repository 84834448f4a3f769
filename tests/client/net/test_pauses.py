"""The pauses between tries to connect."""

import asyncio
import itertools

from ttt_client.net.dial import Backoff, growing_pauses


def test_pauses_grow_to_a_limit_and_are_never_the_same() -> None:
    least = list(itertools.islice(growing_pauses(lambda: 0.0), 8))
    most = list(itertools.islice(growing_pauses(lambda: 1.0), 8))
    assert least == [0.375, 0.75, 1.5, 3.0, 6.0, 11.25, 11.25, 11.25]
    assert most == [0.625, 1.25, 2.5, 5.0, 10.0, 18.75, 18.75, 18.75]


async def test_a_pause_is_ended_early() -> None:
    pause = Backoff()
    taking = asyncio.create_task(pause.take(1000))
    await asyncio.sleep(0)
    pause.end()
    await taking
