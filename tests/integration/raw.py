"""A peer below the library: it upgrades, sends frames of any kind, and reads when it likes."""

import asyncio
import json
import os
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Self

from tests.integration.programs import PATIENCE_S, Message, ServerProcess, eventually

TEXT, CLOSE, PING, PONG = 0x1, 0x8, 0x9, 0xA


class RawPeer:
    """A socket that has been upgraded. What it does not `recv` waits in the kernel's buffers."""

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock

    @classmethod
    async def connect(cls, server: ServerProcess, room: str, *, buffer: int = 4096) -> Self:
        """Small buffers: the server's fill the sooner."""
        loop = asyncio.get_running_loop()
        sock = socket.socket()
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        await loop.sock_connect(sock, ("127.0.0.1", server.port))
        await loop.sock_sendall(
            sock,
            f"GET /ws/rooms/{room} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode(),
        )
        head = b""
        async with asyncio.timeout(PATIENCE_S):
            while not head.endswith(b"\r\n\r\n"):
                head += await loop.sock_recv(sock, 1)
        assert b" 101 " in head, head
        return cls(sock)

    async def send(self, opcode: int, payload: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self.socket, frame(opcode, payload))

    async def listen(self, hear: Callable[[Message], None] | None = None) -> Message:
        """Reads until the end, and answers pings; the last message that came."""
        loop = asyncio.get_running_loop()
        pending = b""
        last = b"{}"
        with suppress(ConnectionError):
            while data := await loop.sock_recv(self.socket, 1 << 16):
                pending += data
                while (found := _first_frame(pending)) is not None:
                    opcode, payload, pending = found
                    if opcode == TEXT:
                        last = payload
                        if hear is not None:
                            hear(json.loads(last))
                    elif opcode == PING:
                        await self.send(PONG, payload)
        message: Message = json.loads(last)
        return message

    async def is_cut(self, patience_s: float = PATIENCE_S) -> None:
        """Returns when the server has cut it off; nothing is read until then."""

        async def is_so() -> bool:
            return self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] != _ESTABLISHED

        await eventually(is_so, patience_s)

    def close(self) -> None:
        self.socket.close()


_ESTABLISHED = 1
"""A state of TCP, as the kernel numbers them."""


def _first_frame(data: bytes) -> tuple[int, bytes, bytes] | None:
    """The first frame, of at most 64 KiB (opcode, payload), and what follows; null if not whole."""
    if len(data) < 2:
        return None
    size, begin = data[1], 2
    if size == 126:
        if len(data) < 4:
            return None
        (size,), begin = struct.unpack("!H", data[2:4]), 4
    end = begin + size
    return None if len(data) < end else (data[0] & 0xF, data[begin:end], data[end:])


def frame(opcode: int, payload: bytes) -> bytes:
    """A whole frame from a client."""
    mask = os.urandom(4)
    size = bytes([0x80 | len(payload)])
    if len(payload) > 125:
        size = struct.pack("!BH", 0x80 | 126, len(payload))
    masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
    return bytes([0x80 | opcode]) + size + mask + masked
