"""The program as a process: what it prints and remembers, and how it ends."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from pathlib import Path
from socket import socket
from threading import Event
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection

from tests.integration import prepared
from tests.integration.programs import environment, program
from ttt_client.cli.main import parse
from ttt_client.play.rooms import join_command, watch_command
from ttt_protocol.codec import decode_command, encode_command, encode_message
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Join
from ttt_protocol.messages import Refused, Update, Welcome
from ttt_protocol.state import RoomState

pytestmark = pytest.mark.slow

MakeRoom = Callable[..., RoomState]
MakeWelcome = Callable[..., Welcome]
Start = Callable[..., Awaitable[str]]
LINE = {"winner": "X", "reason": "line", "line": [0, 1, 2]}


@pytest.fixture
def client(tmp_path: Path) -> Callable[..., Awaitable[Process]]:
    async def start(*arguments: str, stdin: int = PIPE, **variables: str) -> Process:
        env = environment(XDG_STATE_HOME=str(tmp_path), **variables)
        return await prepared.start(program("ttt-client"), *arguments, stdin=stdin, env=env)

    return start


Client = Callable[..., Awaitable[Process]]
Listening = Callable[[Callable[[socket], None]], AbstractContextManager[int]]


async def joined(connection: ServerConnection) -> Join:
    command = decode_command(await connection.recv())
    assert isinstance(command, Join)
    return command


async def send(connection: ServerConnection, message: Welcome | Update | Refused) -> None:
    await connection.send(encode_message(message), text=True)


async def test_a_seat_is_remembered_for_the_same_command(
    client: Client, scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    joins: list[Join] = []

    async def script(connection: ServerConnection) -> None:
        joins.append(await joined(connection))
        await send(connection, welcome(room(outcome=LINE)))
        await connection.wait_closed()

    url = await scripted(script)
    for _ in range(2):
        process = await client("--server", url, "--name", "ada", "join", "Den", "--ascii")
        out, err = await process.communicate(b"")
        assert process.returncode == 0
        assert err == b""
        assert b"you won: a line, 1 2 3" in out
        assert out.isascii()
        assert b"token" not in out
    assert [join.token for join in joins] == [None, "token-X"]


async def test_the_token_of_the_environment_comes_first_and_is_not_given_up(
    client: Client, scripted: Start
) -> None:
    joins: list[Join] = []

    async def script(connection: ServerConnection) -> None:
        joins.append(await joined(connection))
        bad = Refused(command="join", code=RefusalCode.BAD_TOKEN, reason="no such seat")
        await send(connection, bad)
        await connection.wait_closed()

    url = await scripted(script)
    process = await client("join", "den", TTT_SERVER=url, TTT_TOKEN="mine", TTT_NAME="eve")
    out, err = await process.communicate()
    assert process.returncode == 4
    assert (out, err) == (
        b"",
        b"ttt-client: refused: no such seat (bad_token); TTT_TOKEN belongs to another room\n",
    )
    assert (joins[0].token, joins[0].name) == ("mine", "eve")


async def test_json_mode_prints_messages_alone(
    client: Client, scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    async def script(connection: ServerConnection) -> None:
        await joined(connection)
        await send(connection, welcome(room(outcome=LINE)))
        await connection.wait_closed()

    process = await client("--server", await scripted(script), "--json", "join", "den")
    out, err = await process.communicate(b"bad\n")
    assert process.returncode == 1
    assert [json.loads(line)["type"] for line in out.splitlines()] == ["welcome"]
    assert err.splitlines() == [
        b"ttt-client: standard input, line 1 is not sent: this is not JSON",
        b"ttt-client: no command of the input was taken",
    ]


async def test_a_lost_seat_is_exit_code_1(
    client: Client, scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    async def script(connection: ServerConnection) -> None:
        await joined(connection)
        await send(connection, welcome(room()))
        await connection.close(4001)

    process = await client("--server", await scripted(script), "join", "den")
    _, err = await process.communicate()
    assert process.returncode == 1
    assert err == b"ttt-client: your seat is played from another connection now\n"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_signals_end_it_tidily(
    number: signal.Signals,
    code: int,
    client: Client,
    scripted: Start,
    room: MakeRoom,
    welcome: MakeWelcome,
) -> None:
    closed: asyncio.Queue[int | None] = asyncio.Queue()

    async def script(connection: ServerConnection) -> None:
        await joined(connection)
        await send(connection, welcome(room()))
        await connection.wait_closed()
        closed.put_nowait(connection.close_code)

    process = await client("--server", await scripted(script), "join", "den")
    assert process.stdout is not None
    while b"your turn" not in await process.stdout.readline():
        pass
    process.send_signal(number)
    _, err = await process.communicate()
    assert (process.returncode, err) == (code, b"")
    assert await closed.get() == 1000


async def test_ctrl_c_ends_it_while_it_dials(client: Client, listening: Listening) -> None:
    dialed = Event()

    def silent(peer: socket) -> None:
        dialed.set()
        while peer.recv(1 << 16):
            pass

    with listening(silent) as port:
        process = await client("--server", f"127.0.0.1:{port}", "join", "den")
        await asyncio.to_thread(dialed.wait, 60)
        process.send_signal(signal.SIGINT)
        out, err = await process.communicate()
    assert (process.returncode, out, err) == (130, b"", b"")


async def test_output_without_a_reader_is_a_quiet_end(
    scripted: Start, room: MakeRoom, welcome: MakeWelcome
) -> None:
    reading = asyncio.Event()

    async def script(connection: ServerConnection) -> None:
        await joined(connection)
        await reading.wait()
        await send(connection, welcome(room()))
        await connection.wait_closed()

    url = await scripted(script)
    reader, writer = os.pipe()
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "ttt_client", "--server", url, "join", "den"],
        stdin=DEVNULL,
        stdout=writer,
        stderr=PIPE,
        env={"PATH": os.environ["PATH"], "XDG_STATE_HOME": os.devnull},
    )
    os.close(writer)
    os.close(reader)
    reading.set()
    _, err = await process.communicate()
    assert (process.returncode, err) == (0, b"")


@pytest.mark.parametrize("closed", [0, 1, 2])
async def test_a_standard_stream_may_be_closed(closed: int) -> None:
    process = await prepared.start(
        program("ttt-client"),
        *["rooms", "--server", "127.0.0.1:1"],
        env=environment(),
        before=f"import os; os.close({closed})",
    )
    _, err = await process.communicate()
    assert process.returncode == 3
    assert b"Traceback" not in err


def told(line: str) -> dict[str, Any]:
    """Return the client's first command."""
    arguments = parse(["--name", "ada", *line.split()])
    make = watch_command if arguments.command == "watch" else join_command
    found: dict[str, Any] = json.loads(encode_command(make(arguments)))
    return found


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("join den", {}),
        ("join den --seat O", {"seat": "O"}),
        (
            "join den --vs minimax:9",
            {"settings": {"seats": {"O": {"strategy": "minimax", "level": 9}}}},
        ),
        (
            "join den --vs rules --seat O",
            {"seat": "O", "settings": {"seats": {"X": {"strategy": "rules"}}}},
        ),
        (
            "join den --clock 5+3 --private --hints",
            {
                "settings": {
                    "clock": {"initial_s": 300, "increment_s": 3},
                    "public": False,
                    "hints": True,
                }
            },
        ),
        ("join den --delay 60", {"settings": {"delay_s": 60}}),
        ("join den --password p", {"password": "p", "settings": {"password": "p"}}),
        (
            "join den --rules 7x6x4g",
            {"settings": {"rules": {"columns": 7, "rows": 6, "in_a_row": 4, "gravity": True}}},
        ),
        ("watch den", {"role": "spectator"}),
        ("watch den --password p", {"role": "spectator", "password": "p"}),
        ("join den --opening pie", {"settings": {"opening": "pie"}}),
        (
            "watch den --play rules,search --rules 15x15x5 --opening swap2",
            {
                "role": "spectator",
                "settings": {
                    "rules": {"columns": 15, "rows": 15, "in_a_row": 5, "gravity": False},
                    "seats": {"X": {"strategy": "rules"}, "O": {"strategy": "search"}},
                    "opening": "swap2",
                },
            },
        ),
        (
            "watch den --play rules,minimax:9 --games 5",
            {
                "role": "spectator",
                "settings": {
                    "seats": {"X": {"strategy": "rules"}, "O": {"strategy": "minimax", "level": 9}},
                    "games": 5,
                },
            },
        ),
    ],
)
def test_the_join_says_what_was_given_and_no_more(line: str, rest: dict[str, Any]) -> None:
    assert told(line) == {"type": "join", "name": "ada", **rest}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("seats", "ada"), "give two NAMEs, or --pairs FILE.csv with a pair in each line"),
        (("event", "announce", "friday"), "announce needs a TEXT"),
    ],
)
async def test_wrong_usage_that_a_command_finds_is_told_as_that_of_the_parser(
    client: Client, arguments: tuple[str, ...], words: str
) -> None:
    process = await client(*arguments)
    _, err = await process.communicate()
    assert process.returncode == 2
    assert err.decode() == f"ttt-client: error: {words}; see --help\n"
