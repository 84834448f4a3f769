import asyncio

import pytest

from ttt_server.concurrency.tasks import CallbackFuture


async def test_no_error_is_a_result() -> None:
    outcome = CallbackFuture()
    asyncio.get_running_loop().call_soon(outcome.settle, None)
    await outcome.future
    assert outcome.future.done()


async def test_an_error_is_raised() -> None:
    outcome = CallbackFuture()
    outcome.settle(KeyError("why"))
    with pytest.raises(KeyError, match="why"):
        await outcome.future


async def test_the_end_of_the_server_cancels() -> None:
    outcome = CallbackFuture()
    outcome.settle(asyncio.CancelledError())
    with pytest.raises(asyncio.CancelledError):
        await outcome.future


async def test_a_task_that_no_longer_waits_is_not_told() -> None:
    outcome = CallbackFuture()
    outcome.future.cancel()
    outcome.settle(KeyError("why"))
    assert outcome.future.cancelled()
