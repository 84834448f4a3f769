"""A running server: `serve` starts it, and the end of the block stops all parts in order."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ttt_server.app import STORE_SHARE, App
from ttt_server.concurrency.tasks import TimeLimit, ends_by
from ttt_server.config.options import Config, InvalidConfig, flag
from ttt_server.endpoints.control import Control
from ttt_server.endpoints.origins import is_loopback
from ttt_server.installation import open_installation
from ttt_server.people.notices.webhook import InvalidTemplate, Template, Webhook
from ttt_server.storage.base import CannotOpen, EventStore
from ttt_server.telemetry.build import BUILD
from ttt_server.transport import listener

if TYPE_CHECKING:
    from ttt_server.processes.place import ProcessPlace

logger = logging.getLogger(__name__)


class Server:
    """A listening server, started by `serve`.

    `address` is its WebSocket address: `ws://127.0.0.1:51234`.
    """

    def __init__(self, address: str, stop: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self.address = address
        self._stop = stop
        self._stopping: asyncio.Task[None] | None = None
        self._is_closing = asyncio.Event()

    def close(self) -> None:
        """Start stopping: say goodbye to all clients and finish pending writes.

        Returns at once; a second call does nothing.
        """
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._stop())
            self._is_closing.set()

    async def wait_closed(self) -> None:
        """Wait until the server has stopped. Only `close`, or the end of `serve`, stops it."""
        await self._is_closing.wait()
        if self._stopping is not None:
            await asyncio.shield(self._stopping)


@asynccontextmanager
async def serve(
    config: Config, *, store: EventStore | None = None, place: "ProcessPlace | None" = None
) -> AsyncIterator[Server]:
    """Serve rooms until the end of the block, or until `close` is called.

    The port accepts connections once the block begins. The block's end stops the server within
    `drain_s`, whatever the clients and the disk do.

        async with serve(Config(port=0, store="memory:")) as server:
            print(server.address)
            await server.wait_closed()

    Args:
        config: the options.
        store: in place of the store that the options name. It is closed at the end.
        place: of this process among those of one server; `None` if it is alone.

    Raises:
        InvalidConfig: before anything is opened.
        CannotOpen: if the data folder cannot be used, in one line for the operator.
        OSError: if the port cannot be had.
    """
    if config.processes != 1:
        raise InvalidConfig("--processes: only the program ttt-server starts several")
    try:
        listener.require_host(config.host, config.port)
        tls = listener.tls_context(config.tls_cert, config.tls_key)
    except listener.CannotListen as error:
        raise InvalidConfig(f"{flag(error.parameter)}: {error}") from None
    webhook = _webhook(config)
    if config.oidc_issuer is not None and find_spec("jwt") is None:
        raise InvalidConfig("--oidc-issuer: needs one more package: pip install 'ttt-rooms[oidc]'")
    if place is not None and tls is not None and config.tls_cert is not None:
        place.call_to_renew(partial(tls.load_cert_chain, config.tls_cert, config.tls_key))
    limit = TimeLimit(config.drain_s)
    async with AsyncExitStack() as stack:
        try:
            opened = await open_installation(config, store)
            stack.push_async_callback(_close_store, opened.store, limit)
            app = App(config, tls, opened.secret, opened.store, limit, place=place, webhook=webhook)
        except OSError as error:
            raise CannotOpen(f"{error.filename}: {error.strerror}") from None
        if opened.is_in_folder:
            # The operator keeps a secret that was given as an option.
            kept = None if config.secret is not None else opened.secret
            await _start_control(Control(config.data, opened.store, kept), stack)
        address = await app.start(stack)
        stop = partial(_stop, stack.pop_all())
    logger.info("listening on %s, %s", address, BUILD)
    is_clear = tls is None and not config.trusted_proxies and not is_loopback(config.host)
    if is_clear and (place is None or place.is_first):
        listener.warn_of_clear_text(config.host)
    server = Server(address, stop)
    try:
        yield server
    finally:
        server.close()
        await server.wait_closed()


def _webhook(config: Config) -> Webhook | None:
    """Return the operator's webhook, if there is one.

    Raises:
        InvalidConfig: if its template cannot be used.
    """
    if config.notify_webhook is None:
        return None
    template, file = None, config.notify_template
    if file is not None:
        try:
            template = Template.parse(file.read_bytes())
        except (InvalidTemplate, OSError) as error:
            words = error.strerror if isinstance(error, OSError) else str(error)
            raise InvalidConfig(f"{flag('notify_template')}: {file}: {words}") from None
    return Webhook(config.notify_webhook, config.notify_secret, template)


async def _stop(started: AsyncExitStack) -> None:
    logger.info("stopping")
    await started.aclose()
    logger.info("stopped")


async def _start_control(control: Control, stack: AsyncExitStack) -> None:
    try:
        await control.start()
    except OSError as error:
        logger.warning("no backups can be made while the server runs: %s", error)
    else:
        stack.push_async_callback(control.close)


async def _close_store(store: EventStore, limit: TimeLimit) -> None:
    if not await ends_by(limit.by(STORE_SHARE), store.close()):
        logger.error("the store did not close in time: unannounced events may be lost")
