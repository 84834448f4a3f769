"""Commands in whatever pieces they come: the same answers in the same order."""

import asyncio
import json
from random import Random
from typing import Any

import pytest
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from tests.integration.programs import PATIENCE_S, Dial, Message, ServerProcess

pytestmark = pytest.mark.heavy

PLAY = {"type": "play", "game": 1, "ply": 0, "cell": 4}
SCRIPT: list[tuple[dict[str, Any], str]] = [
    ({"type": "join", "name": "ada", "settings": {"seats": {"O": "human"}}}, "welcome"),
    ({"type": "say", "text": "one"}, "said"),
    (PLAY, "update"),
    ({"type": "say", "text": "two"}, "said"),
    (PLAY, "update"),
    ({**PLAY, "ply": 1, "cell": 0}, "refused"),
    ({"type": "offer", "kind": "takeback"}, "update"),
    ({"type": "hint"}, "refused"),
    ({"type": "say", "text": "x" * 150}, "said"),
    ({**PLAY, "game": 2}, "refused"),
    ({"type": "resign", "game": 1}, "update"),
    ({**PLAY, "ply": 1}, "refused"),
    ({"type": "leave"}, "update"),
]


def pieces(random: Random, data: bytes) -> list[bytes]:
    """Cut anywhere: in the middle of headers, several frames at once, byte by byte."""
    longest = random.choice([1, 3, 40, 200])
    cut, at = [], 0
    while at < len(data):
        length = random.randint(1, longest)
        cut.append(data[at : at + length])
        at += length
    return cut


def frames(random: Random, text: bytes) -> bytes:
    """One message, now and then in several frames, and with a ping before it."""
    parts = pieces(random, text) if random.random() < 0.2 else [text]
    sent = Frame(Opcode.PING, b"?").serialize(mask=True) if random.random() < 0.2 else b""
    for number, part in enumerate(parts):
        opcode = Opcode.CONT if number else Opcode.TEXT
        sent += Frame(opcode, part, number == len(parts) - 1).serialize(mask=True)
    return sent


class Wire:
    """A client below the level of messages."""

    def __init__(self, server: ServerProcess, room: str) -> None:
        self._protocol = ClientProtocol(parse_uri(f"{server.address}/ws/rooms/{room}"))
        self._port = server.port
        self._messages: list[Message] = []

    async def open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._protocol.send_request(self._protocol.connect())
        self._writer.write(b"".join(self._protocol.data_to_send()))
        head = await self._reader.readuntil(b"\r\n\r\n")
        self._protocol.receive_data(head)
        self._protocol.events_received()

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def receive(self) -> Message:
        async with asyncio.timeout(PATIENCE_S):
            while not self._messages:
                self._protocol.receive_data(await self._reader.read(1 << 16))
                for event in self._protocol.events_received():
                    if isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                        self._messages.append(json.loads(bytes(event.data)))
        return self._messages.pop(0)

    async def until(self, type_: str) -> None:
        while (await self.receive())["type"] != type_:
            pass

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


@pytest.mark.parametrize("seed", range(4))
async def test_the_pieces_make_no_difference(server: ServerProcess, dial: Dial, seed: int) -> None:
    random, room = Random(seed), f"pieces{seed}"
    wire = Wire(server, room)
    await wire.open()
    join, *rest = (json.dumps(command).encode() for command, _ in SCRIPT)
    await wire.send(frames(random, join))
    assert (await wire.receive())["type"] == "welcome"
    bob = await dial(server, room)
    await bob.join(name="bob")

    stream = [frames(random, text) for text in rest]
    data = pieces(random, b"".join(stream)) if seed % 2 else stream
    for piece in data:
        await wire.send(piece)
        await asyncio.sleep(0)

    answers: list[Message] = []
    while len(answers) < len(rest):
        message = await wire.receive()
        if message["type"] != "presence" and "seated" not in kinds(message):
            answers.append(message)
    assert [answer["type"] for answer in answers] == [type_ for _, type_ in SCRIPT[1:]]
    assert [kinds(answer) for answer in answers if answer["type"] == "update"] == [
        ["played"],
        [],
        ["offered"],
        ["ended"],
        ["left"],
    ]
    await wire.close()


async def test_a_frame_inside_a_frame_is_no_frame(server: ServerProcess, dial: Dial) -> None:
    wire = Wire(server, "inside")
    await wire.open()
    await wire.send(text_frame({"type": "join"}))
    assert (await wire.receive())["type"] == "welcome"
    bob = await dial(server, "inside")
    await bob.join(name="bob")
    await wire.until("update")

    play = text_frame(PLAY)
    ping = b"\x89" + bytes([0x80 | len(play)]) + bytes(4)  # its mask changes nothing
    await wire.send(text_frame({"type": "say", "text": "one"}) + ping)
    await wire.until("said")
    await wire.send(play)  # the ping's payload
    await wire.send(text_frame({"type": "say", "text": "two"}))
    while (message := await wire.receive())["type"] != "said":
        assert "played" not in kinds(message)
    await wire.close()


@pytest.mark.parametrize(("command", "kind"), [(PLAY, "played"), ({"type": "leave"}, "left")])
async def test_what_comes_together_with_a_close_is_done(
    server: ServerProcess, dial: Dial, command: dict[str, Any], kind: str
) -> None:
    wire = Wire(server, "bye")
    await wire.open()
    await wire.send(text_frame({"type": "join"}))
    await wire.until("welcome")
    bob = await dial(server, "bye")
    await bob.join(name="bob")
    await wire.send(text_frame(command) + Frame(Opcode.CLOSE, b"").serialize(mask=True))
    while kind not in kinds(await bob.receive()):
        pass
    await wire.close()


def text_frame(command: dict[str, Any]) -> bytes:
    return Frame(Opcode.TEXT, json.dumps(command).encode()).serialize(mask=True)


def kinds(message: Message) -> list[str]:
    return [event["type"] for event in message.get("events", ())]
