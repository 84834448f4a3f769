"""The library without `async`: the same calls, for programs that wait.

    from ttt_client.sync import join

    with join("ws://127.0.0.1:8765", "room42", name="ada") as room:
        for turn in room.turns():
            turn.play(turn.legal[0])

Arguments, methods and errors are those of `ttt_client`: what is awaited there waits here, and what
is iterated over with `async for` there with `for`. A thread keeps the connection up meanwhile.
`sync.pyi` gives the types.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from functools import partial
from typing import Any

from ttt_client.library import enter
from ttt_client.library.errors import RoomClosed
from ttt_client.library.room import Turn


class _Thread:
    """A thread with an event loop, in which the library does its work."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = self._runner.get_loop()
        self._thread = threading.Thread(target=self._serve, name="ttt", daemon=True)
        self._thread.start()

    def wait(self, found: Any) -> Any:
        """Return the result of a coroutine, an iterator in place of an asynchronous one."""
        if isinstance(found, AsyncIterator):
            return self._each(found)
        if isinstance(found, Coroutine):
            return self._run(found)
        return SyncTurn(found, self) if isinstance(found, Turn) else found

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _serve(self) -> None:
        with self._runner:  # which cancels the tasks that are left
            self._loop.run_forever()

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        if self._loop.is_closed():
            work.close()
            raise RoomClosed("this program left the room")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()  # Ctrl-C, while it waits
            raise

    def _each(self, items: AsyncIterator[Any]) -> Iterator[Any]:
        async def following() -> tuple[Any, ...]:
            async for item in items:
                return (item,)
            return ()

        while found := self._run(following()):
            yield self.wait(found[0])


class _Waiting:
    """The face of something asynchronous, whose calls wait."""

    def __init__(self, inner: object, thread: _Thread) -> None:
        self._inner = inner
        self._thread = thread

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not callable(found):
            return found
        return lambda *given, **named: self._thread.wait(found(*given, **named))

    def __repr__(self) -> str:
        return repr(self._inner)


class SyncRoom(_Waiting):
    """A room whose calls wait."""


class SyncTurn(_Waiting):
    """A turn whose calls wait."""


@contextmanager
def _entered(
    opens: Callable[..., AbstractAsyncContextManager[Any]], *given: str, **named: Any
) -> Iterator[SyncRoom]:
    thread = _Thread()
    try:
        opening = opens(*given, **named)
        room = thread.wait(opening.__aenter__())
        try:
            yield SyncRoom(room, thread)
        finally:
            thread.wait(opening.__aexit__(None, None, None))
    finally:
        thread.close()


def _waited(call: Callable[..., Any], *given: str, **named: Any) -> Iterator[Any]:
    thread = _Thread()
    try:
        yield from thread.wait(call(*given, **named))
    finally:
        thread.close()


join = partial(_entered, enter.join)
watch = partial(_entered, enter.watch)
quick_match = partial(_entered, enter.quick_match)
lobby = partial(_waited, enter.lobby)
history = partial(_waited, enter.history)


def rooms(server: str) -> Any:
    """Return the public rooms of a server."""
    return asyncio.run(enter.rooms(server))
