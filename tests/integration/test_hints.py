"""Hints that take long, over real sockets: nothing waits for them, and they die with who asked."""

import os
from pathlib import Path

import pytest

from tests.integration.programs import (
    Dial,
    Message,
    ServerProcess,
    SimpleClient,
    StartServer,
    eventually,
)

CALLERS = 40
"""Some more than the hints of one address that may be under way."""

SETTINGS = {
    "rules": {"columns": 15, "rows": 15, "in_a_row": 5},
    "hints": True,
    "seats": {"O": {"strategy": "random"}},
}
HINT = '{"type":"hint"}'


@pytest.fixture
async def slow(start_server: StartServer) -> ServerProcess:
    """A server with one process for hints."""
    return await start_server("--workers", "1")


def workers(server: ServerProcess) -> set[str]:
    """The processes that the server has started and that run."""
    pid = server.process.pid
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return {child for children in tasks for child in children.read_text().split()}


def cpu_s(process: str) -> float:
    """The CPU time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def answer(client: SimpleClient) -> Message:
    """The answer to a hint."""
    while (message := await client.receive())["type"] not in ("hint", "refused"):
        pass
    return message


async def test_nothing_waits_for_hints(slow: ServerProcess, dial: Dial) -> None:
    ada = await dial(slow, "room")
    await ada.join(settings=SETTINGS)
    for _ in range(8):
        await ada.socket.send(HINT)
    await ada.send("play", game=1, ply=0, cell=112)
    said: list[Message] = []
    while not said or not said[-1].get("room") or said[-1]["room"]["game"]["ply"] < 2:
        said.append(await ada.receive())
    assert {message["type"] for message in said} <= {"update", "presence"}
    await ada.socket.send(HINT)
    assert (await answer(ada))["type"] == "hint", "one answer to all nine"
    await ada.send("play", game=1, ply=2, cell=112)
    assert (await ada.until("refused"))["command"] == "play", "there was no other"


async def test_hints_die_with_their_connections(slow: ServerProcess, dial: Dial) -> None:
    callers = [await dial(slow, f"room{number}") for number in range(CALLERS)]
    for caller in callers:
        await caller.join(settings=SETTINGS)
    person = await dial(slow, "person")
    await person.join(settings=SETTINGS)
    for caller in callers:
        await caller.socket.send(HINT)
    refused = await answer(callers[-1])
    assert refused["code"] == "rate_limited", "they have one address"

    async def is_thinking() -> bool:
        return any(cpu_s(worker) > 0.5 for worker in workers(slow))  # a start takes 0.2 s

    await eventually(is_thinking)
    thinking = workers(slow)
    for caller in callers:
        caller.socket.transport.abort()

    async def given_up() -> bool:
        return not thinking & workers(slow)

    await eventually(given_up)
    await person.socket.send(HINT)
    assert (await answer(person))["type"] == "hint"
