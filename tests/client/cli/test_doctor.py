from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from http import HTTPStatus
from io import StringIO
from socket import socket

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from ttt_client.cli.doctor import Doctor
from ttt_client.net.address import parse_server
from ttt_client.terminal.stdout import Output
from ttt_protocol.codec import encode_message
from ttt_protocol.messages import Rooms

Start = Callable[..., Awaitable[str]]
Listening = Callable[[Callable[[socket], None]], AbstractContextManager[int]]


async def lobby(connection: ServerConnection) -> None:
    await connection.send(encode_message(Rooms(rooms=())), text=True)
    await connection.wait_closed()


def health(status: int) -> Callable[[ServerConnection, Request], Response | None]:
    def answer(connection: ServerConnection, request: Request) -> Response | None:
        return connection.respond(HTTPStatus(status), "") if request.path == "/healthz" else None

    return answer


async def examined(url: str, *, json: bool = False) -> tuple[int, list[str]]:
    out = StringIO()
    code = await Doctor(
        parse_server(url), Output(out, StringIO(), ascii_only=True), json=json
    ).run()
    return code, out.getvalue().splitlines()


async def test_a_healthy_server_passes_every_step(scripted: Start) -> None:
    code, lines = await examined(await scripted(lobby, process_request=health(200)))
    assert code == 0
    assert [line[:12].strip() for line in lines] == [
        "address",
        "tcp",
        "http",
        "upgrade",
        "protocol",
        "round trip",
    ]
    assert all(line[12:].startswith("ok: ") for line in lines)


async def test_steps_are_lines_of_json_too(scripted: Start) -> None:
    code, lines = await examined(await scripted(lobby, process_request=health(200)), json=True)
    assert code == 0
    assert lines[0] == '{"step":"address","ok":true,"detail":"127.0.0.1 is 127.0.0.1"}'
    assert len(lines) == 6


async def test_a_sick_store_fails_one_step_alone(scripted: Start) -> None:
    code, lines = await examined(await scripted(lobby, process_request=health(503)))
    assert code == 1
    assert [line for line in lines if "failed" in line] == [
        "http        failed: GET /healthz gave 503"
    ]


async def test_no_server_is_code_3() -> None:
    code, lines = await examined("ws://127.0.0.1:1")
    assert code == 3
    assert lines[-1] == "tcp         failed: Connection refused"


async def test_a_name_that_is_none_is_code_3() -> None:
    code, lines = await examined("ws://no-such-name.invalid")
    assert code == 3
    assert len(lines) == 1
    assert lines[0].startswith("address     failed: ")


async def test_a_refused_upgrade_is_told(scripted: Start) -> None:
    def answer(connection: ServerConnection, _: Request) -> Response:
        return connection.respond(HTTPStatus.NOT_FOUND, "")

    code, lines = await examined(await scripted(lobby, process_request=answer))
    assert code == 1
    assert lines[-1].startswith("upgrade     failed: there is no such place")


async def test_a_server_of_something_else_is_told(scripted: Start) -> None:
    async def echo(connection: ServerConnection) -> None:
        await connection.send("hello")
        await connection.wait_closed()

    url = await scripted(echo, process_request=health(200), select_subprotocol=lambda *_: None)
    code, lines = await examined(url)
    assert code == 1
    assert lines[3] == "upgrade     failed: the server speaks no subprotocol"
    assert lines[4] == "protocol    failed: the first message is no list of rooms"


async def test_a_server_that_closes_at_once_is_told(scripted: Start) -> None:
    async def closing(connection: ServerConnection) -> None:
        await connection.close(1008)

    code, lines = await examined(await scripted(closing, process_request=health(200)))
    assert code == 1
    assert "protocol    failed: the server closed the connection" in lines


async def test_what_is_no_web_server_is_told(listening: Listening) -> None:
    def gibberish(peer: socket) -> None:
        peer.recv(10)
        peer.sendall(b"\x00" * 100_000)

    with listening(gibberish) as port:
        code, lines = await examined(f"ws://127.0.0.1:{port}")
    assert code == 1
    assert lines[2:] == [
        "http        failed: what answers there is not a web server",
        "upgrade     failed: what answers there does not speak WebSocket",
    ]
