"""Whole WebSocket frames (RFC 6455, section 5.2), read and built by hand, and sent to many.

The `websockets` library reads fragments, unusual closes, partial and malformed frames. Without its
protocol an idle connection takes half the memory, and a short text takes 0.2 µs instead of 2.3 µs.
"""

import logging
from asyncio import get_running_loop
from collections.abc import Sequence
from typing import Any

from websockets.frames import Opcode

try:
    from websockets.speedups import apply_mask
except ImportError:  # pragma: no cover - the library was installed without its C extension
    from websockets.utils import apply_mask

logger = logging.getLogger(__name__)

unmask = apply_mask
"""Return the payload of a frame, given its masked bytes and the 4 bytes of the mask."""

_FIN = 0x80
_MASKED = 0x80
_LENGTH_16, _LENGTH_64 = 126, 127
"""Instead of a length: it follows in 2 bytes, or in 8."""
_HEADER = 2
_MASK = 4
_KINDS = {_FIN | kind: kind for kind in Opcode if kind is not Opcode.CONT}
"""The first bytes of whole messages and control frames without reserved bits."""
_CLOSE = Opcode.CLOSE
_USUAL_CLOSES = (b"", (1000).to_bytes(2), (1001).to_bytes(2))
"""What clients send when they are done, without a reason: no code, normal closure, going away."""

SHORT_TEXTS = {
    _HEADER + _MASK + length: bytes((_FIN | Opcode.TEXT, _MASKED + length))
    for length in range(_LENGTH_16)
}
"""The header of a text frame of less than 126 bytes, by the size of the whole frame. The mask
follows in 4 bytes, and then the text."""


def parse_frames(data: bytes, max_size: int) -> list[tuple[Opcode, bytes]] | None:
    """Parse whole messages, pings, pongs and usual closes from a client.

    Args:
        data: all that was read at once.
        max_size: the most bytes of a message.

    Returns:
        The kind and the unmasked payload of each frame, up to a close; `None` if `data` holds
        anything else before that.
    """
    frames: list[tuple[Opcode, bytes]] = []
    at, size = 0, len(data)
    while at < size:
        kind = _KINDS.get(data[at])
        if kind is None or size < at + _HEADER or data[at + 1] < _MASKED:
            return None
        length = data[at + 1] - _MASKED
        at += _HEADER
        if length >= _LENGTH_16:
            if length == _LENGTH_64 or kind >= _CLOSE:
                return None
            length = int.from_bytes(data[at : at + 2])
            at += 2
        begin = at + _MASK
        end = begin + length
        if end > size or length > max_size:
            return None
        payload = unmask(data[begin:end], data[at:begin])
        frames.append((kind, payload))
        if kind is _CLOSE:
            return frames if payload in _USUAL_CLOSES else None
        at = end
    return frames


def control_frame(kind: Opcode, payload: bytes = b"") -> bytes:
    """Build a control frame of the server. `payload` has less than 126 bytes."""
    return b"%c%c%b" % (_FIN | kind, len(payload), payload)


def text_frame(payload: bytes) -> bytes:
    """Build a text frame of the server, with a whole message."""
    length = len(payload)
    if length < _LENGTH_16:
        return b"\x81%c%b" % (length, payload)
    if length < 1 << 16:
        return b"\x81\x7e" + length.to_bytes(2) + payload
    return b"\x81\x7f" + length.to_bytes(8) + payload


class Broadcaster:
    """Collects the messages of one tick of the loop. Each connection gets its own in order.

    Each is framed once. A write to a socket wakes the process that reads it, which costs more than
    the write. So the frames of a tick are written back to back and wake each reader once: with 500
    rooms, a tenth less CPU for a move.
    """

    __slots__ = ("_loop", "_waiting")

    def __init__(self) -> None:
        self._loop = get_running_loop()
        self._waiting: list[tuple[Sequence[Any], bytes, bool]] = []

    def add(self, listeners: Sequence[Any], payload: bytes, *, is_state: bool = False) -> None:
        """Send a message to each listener at the end of the tick, or at the next `flush`.

        Args:
            listeners: the connections, in the order of the writes. The application has a type of
                its own for them. The sequence must not change later.
            payload: the message.
            is_state: whether a later message with `is_state` makes this one obsolete.
        """
        if not self._waiting:
            self._loop.call_soon(self.flush)
        self._waiting.append((listeners, text_frame(payload), is_state))

    def flush(self) -> None:
        """Write all pending messages now, before anything else is written."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        for listeners, frame, is_state in waiting:
            for listener in listeners:
                try:
                    listener.write_frame(frame, is_state)
                except Exception as error:  # a bug at one harms no other
                    logger.error("a frame could not be written", exc_info=error)
