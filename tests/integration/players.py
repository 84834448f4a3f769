"""`ttt-client` as a process."""

import asyncio
import re
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable

import pytest

from tests.integration.programs import PATIENCE_S


class ClientProcess:
    """`ttt-client` with pipes: lines in, lines out."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.out = ""

    async def until(self, pattern: str, patience_s: float = PATIENCE_S) -> str:
        """Reads on until what it has printed since the last call matches; the match."""
        assert self.process.stdout is not None
        try:
            async with asyncio.timeout(patience_s):
                while not (found := re.search(pattern, self.out, re.MULTILINE)):
                    line = await self.process.stdout.readline()
                    assert line, f"it ended without {pattern!r}: {self.out}"
                    self.out += line.decode()
        except TimeoutError:
            pytest.fail(f"no {pattern!r} in {self.out}")
        self.out = self.out[found.end() :]
        return found.group()

    async def type(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        await self.process.stdin.drain()

    async def end(self) -> tuple[int, str, str]:
        """Closes its input and waits; its status, the rest of its output, its errors."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        async with asyncio.timeout(PATIENCE_S):
            out, err = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, self.out + out.decode(), err.decode()


Run = Callable[..., Awaitable[ClientProcess]]
