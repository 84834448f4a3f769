"""Frames of a WebSocket, as far as a client that knows its server needs them. Pure."""

import json
import struct
from typing import Any, Final

PING: Final = 0x9
PONG: Final = 0xA
CLOSE: Final = 0x8
TEXT: Final = 0x1

_MASK: Final = bytes((0x37, 0xFA, 0x21, 0x3D))
"""Any will do: it protects proxies, and here are none."""

_SHORT: Final = 125
_MEDIUM: Final = 126
_LONG: Final = 127


def frame(opcode: int, payload: bytes) -> bytes:
    """A whole frame from a client, of at most 64 KiB."""
    size = len(payload)
    if size > _SHORT:
        head = struct.pack("!BBH", 0x80 | opcode, 0x80 | _MEDIUM, size)
    else:
        head = bytes((0x80 | opcode, 0x80 | size))
    mask = (_MASK * (size // 4 + 1))[:size]
    masked = int.from_bytes(payload) ^ int.from_bytes(mask)
    return head + _MASK + masked.to_bytes(size)


def text(type_: str, **fields: Any) -> bytes:
    """A command, ready to be sent."""
    return frame(TEXT, json.dumps({"type": type_, **fields}, separators=(",", ":")).encode())


def is_alone(data: bytes) -> bool:
    """Whether this is one frame of a state's usual size, whole and with nothing after it."""
    return len(data) > 4 and data[1] == _MEDIUM and (data[2] << 8 | data[3]) + 4 == len(data)


def first(data: bytes) -> tuple[int, bytes, bytes] | None:
    """The first frame of a server (opcode, payload), and what follows; null if it is not whole."""
    if len(data) < 2:
        return None
    size, begin = data[1], 2
    if size in {_MEDIUM, _LONG}:
        begin = 4 if size == _MEDIUM else 10
        if len(data) < begin:
            return None
        size = int.from_bytes(data[2:begin])
    end = begin + size
    return None if len(data) < end else (data[0] & 0xF, data[begin:end], data[end:])
