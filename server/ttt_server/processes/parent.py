"""The parent: it starts the children, passes connections on, and restarts those that die."""

import asyncio
import logging
import os
import secrets
import signal
import sys
from asyncio.subprocess import Process, create_subprocess_exec
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Final

from ttt_server.concurrency.tasks import TaskOwner, ends_by
from ttt_server.config.options import Config, InvalidConfig, flag
from ttt_server.config.values import MOST
from ttt_server.limits.census import SharedCensus, shared_memory
from ttt_server.processes import channel as line
from ttt_server.processes.front import Front
from ttt_server.processes.place import ALIVE_EVERY_S, SLACK_S, ChildSetup
from ttt_server.processes.routing import Routes, log_of
from ttt_server.storage.base import CannotOpen
from ttt_server.transport.listener import CannotListen, require_host, tls_context

logger = logging.getLogger(__name__)

CHILD: Final = (sys.executable, "-P", "-m", "ttt_server.cli.process")
"""The program of a child, before the descriptor of its channel."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.2, 30.0
"""Before a child is started again; the pause doubles each time."""

_SETTLED_S: Final = 60.0
"""A child that lived this long did not fail to start."""

_WRONG_USAGE: Final = 2


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0))


def share_of(config: Config, count: int) -> Config:
    """Return the options of one of so many children.

    The processes count connections and rooms together. Of the rates of an address, and of the
    processes that think, each has its share.
    """
    limits = config.address_limits
    shares = {
        "connects_per_10s_per_address": limits.connects.burst,
        "commands_per_10s_per_address": min(limits.commands.burst, 10 * limits.commands.per_second),
        "guesses_per_minute_per_address": limits.guesses.burst,
        "workers": config.workers,
    }
    shared = {name: min(max(1, round(whole) // count), MOST) for name, whole in shares.items()}
    return config.model_copy(update={"processes": 1, **shared})


class Child:
    """One child, running or not."""

    def __init__(self, number: int) -> None:
        """`number`: from 0."""
        self.number = number
        self.channel: line.Channel | None = None
        self.process: Process | None = None
        self.is_listening = False
        self.ready = asyncio.Event()
        self.over = asyncio.Event()
        """Whether it has sent its last message."""
        self.heard_at = 0.0
        """When it was last heard from, on the loop's clock."""
        self.peers: frozenset[str] = frozenset()
        """The hosts of the other servers that it knows."""
        self.failure: tuple[int, str] | None = None
        """The exit status and the reason why it could not start."""

    async def ended(self) -> int:
        """Wait for its end; return its exit status."""
        if self.process is None:
            raise RuntimeError("this child has not been started")
        return await self.process.wait()


class Parent:
    """Supervises the children of one server."""

    def __init__(self, config: Config, command: Sequence[str] = CHILD) -> None:
        """Start nothing yet.

        Args:
            config: of the server, with the number of its processes.
            command: the program of a child, before the descriptor of its channel.
        """
        count = config.processes
        self._count = count = processors() if count == "auto" else count
        self._config = config
        self._command = command
        self._routes = Routes(count)
        self._children = [Child(number) for number in range(count)]
        self._group = secrets.token_hex(8)
        self._folder = Path()
        self._memory = shared_memory(count)
        self._census = SharedCensus(self._memory, count, 0)
        self._front = Front(config, self._give, self._is_peer)
        self._keepers = TaskOwner()
        self._is_stopping = asyncio.Event()
        self.address = ""
        """Of the port, once it is open."""

    async def start(self) -> None:
        """Open the port, and start all children, the first one alone: it may have to make tables.

        Raises:
            InvalidConfig: before anything is opened.
            CannotOpen: if a child cannot start, in one line for the operator.
            OSError: if the port cannot be had.
        """
        require(self._config)
        if self._count > processors():
            words = "--processes %d: there are only %d processors to share"
            logger.warning(words, self._count, processors())
        self.address = await self._front.listen()
        self._folder = Path(mkdtemp(prefix="ttt-server-"))
        first, *others = self._children
        await self._start_first([first])
        await self._start_first(others)
        logger.info("listening on %s with %d processes", self.address, self._count)

    async def stop(self) -> None:
        """Stop all children, and wait for them."""
        logger.info("stopping")
        self._is_stopping.set()
        self._front.close()
        for child in self._children:
            self._signal(child, signal.SIGTERM)
        until = asyncio.get_running_loop().time() + self._config.drain_s + SLACK_S
        if not await ends_by(until, self._keepers.ended()):
            logger.error("killing the processes that did not stop in time")
            for child in self._children:
                self._signal(child, signal.SIGKILL)
            await self._keepers.ended()
        rmtree(self._folder, ignore_errors=True)
        logger.info("stopped")

    def renew(self) -> None:
        """Reload the certificate in all children, if it is usable."""
        try:
            require(self._config)
        except InvalidConfig as error:
            logger.error("%s: keeping the previous certificate", error)
            return
        for child in self._children:
            if child.channel is not None:
                child.channel.send(line.RENEW)
        logger.info("reloaded the certificate")

    # Children

    async def _start_first(self, children: Sequence[Child]) -> None:
        """Start children, and wait until they serve.

        Raises:
            InvalidConfig, CannotOpen: if one ends before.
        """
        for child in children:
            await self._spawn(child)
        for child in children:
            ended = asyncio.create_task(child.ended())
            ready = asyncio.create_task(child.ready.wait())
            await asyncio.wait((ended, ready), return_when=asyncio.FIRST_COMPLETED)
            ready.cancel()
            if not child.ready.is_set():
                await child.over.wait()
                status, words = child.failure or (1, f"a process {_end_of(await ended)}")
                await self._abandon()
                raise (InvalidConfig if status == _WRONG_USAGE else CannotOpen)(words)
            ended.cancel()
            self._keepers.start(self._keep(child))

    async def _abandon(self) -> None:
        for child in self._children:
            if child.process is not None and child.process.returncode is None:
                self._signal(child, signal.SIGTERM)
                if not child.ready.is_set():
                    self._keepers.start(child.ended())
        await self.stop()

    async def _spawn(self, child: Child) -> None:
        ours, theirs = line.pair()
        child.is_listening, child.failure = False, None
        child.ready.clear()
        child.over.clear()
        child.channel = channel = line.Channel(ours)
        with theirs:
            setup = ChildSetup(
                config=share_of(self._config, self._count),
                number=child.number + 1,
                count=self._count,
                address=self.address,
                group=self._group,
                folder=self._folder,
            )
            channel.start(setup.model_dump_json().encode(), self._memory)
            child.process = await create_subprocess_exec(
                *self._command, str(theirs.fileno()), pass_fds=(theirs.fileno(),)
            )

        channel.listen(partial(self._hear, child), partial(self._forget, child))

    async def _keep(self, child: Child) -> None:
        """Restart a child whenever it ends, until the server stops."""
        loop = asyncio.get_running_loop()
        pause_s = FIRST_PAUSE_S
        while True:
            began = loop.time()
            status = await child.ended()
            await child.over.wait()
            self._census.clear(child.number)
            if self._is_stopping.is_set():
                return
            if loop.time() - began > _SETTLED_S:
                pause_s = FIRST_PAUSE_S
            why = child.failure[1] if child.failure else _end_of(status)
            logger.error("process %d: %s; restarting in %g s", child.number + 1, why, pause_s)
            while True:
                if await ends_by(loop.time() + pause_s, self._is_stopping.wait()):
                    return
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
                try:
                    await self._spawn(child)
                    break
                except OSError as error:
                    words = "process %d: %s; retrying in %g s"
                    logger.error(words, child.number + 1, error.strerror, pause_s)
            if self._is_stopping.is_set():  # it came too late to be passed on
                self._signal(child, signal.SIGTERM)

    def _signal(self, child: Child, number: signal.Signals) -> None:
        if child.process is not None and child.process.returncode is None:
            child.process.send_signal(number)

    def _forget(self, child: Child) -> None:
        """Pass nothing more to a child: it has ended, or is stopping."""
        child.is_listening = False
        child.ready.clear()
        child.peers = frozenset()
        child.over.set()
        self._routes.lose(child.number)
        if child.channel is not None:
            child.channel.close()
            child.channel = None

    def _hear(self, child: Child, kind: bytes, content: bytes, _descriptor: int | None) -> None:
        child.heard_at = asyncio.get_running_loop().time()
        words = content.decode()
        if kind == line.LISTENING:
            child.is_listening = True
        elif kind == line.READY:
            child.ready.set()
        elif kind == line.ALIVE:
            child.peers = frozenset(words.split("\n"))
        elif kind == line.GAINED:
            self._routes.gain(child.number, words.split("\n"))
        elif kind == line.LOST:
            self._routes.lose(child.number, words.split("\n") if words else None)
        elif kind == line.FAILED:
            child.failure = content[0], content[1:].decode()

    # Connections

    def _give(self, descriptor: int, head: bytes) -> bool:
        for number in self._routes.order(log_of(head), self._able()):
            channel = self._children[number].channel
            if channel is not None and channel.give(descriptor, head):
                return True
        return False

    def _able(self) -> set[int]:
        """Return the children that take connections: those that serve, or else those that start.

        A child asks another one, through the port, before it serves itself. One that hangs is
        given nothing: others take over its rooms.
        """
        long_ago = asyncio.get_running_loop().time() - max(
            self._config.lease_s - ALIVE_EVERY_S, 2 * ALIVE_EVERY_S
        )
        listening = [child for child in self._children if child.is_listening]
        ready = [child for child in listening if child.ready.is_set()]
        heard = [child for child in ready or listening if child.heard_at > long_ago]
        return {child.number for child in heard or ready or listening}

    def _is_peer(self, host: str) -> bool:
        return bool(host) and any(host in child.peers for child in self._children)


def require(config: Config) -> None:
    """Check what the port needs.

    Raises:
        InvalidConfig: if the host, the certificate or its key cannot be used.
    """
    try:
        require_host(config.host, config.port)
        tls_context(config.tls_cert, config.tls_key)
    except CannotListen as error:
        raise InvalidConfig(f"{flag(error.parameter)}: {error}") from None


def _end_of(status: int) -> str:
    """Return how a process ended, in words."""
    return f"ended with status {status}" if status >= 0 else f"was killed by signal {-status}"
