"""A future for a task that waits for a callback."""

import asyncio


class CallbackFuture:
    """A future for an outcome: `None`, or an error. `settle` is the callback."""

    def __init__(self) -> None:
        self.future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def settle(self, error: BaseException | None) -> None:
        """Settle the future, unless the task that waited was cancelled."""
        if self.future.done():
            return
        if error is None:
            self.future.set_result(None)
        elif isinstance(error, asyncio.CancelledError):
            self.future.cancel()
        else:
            self.future.set_exception(error)
