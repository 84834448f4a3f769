"""Where frames begin and end in a stream (RFC 6455, section 5.2). Pure."""

from typing import Final

_MASKED: Final = 0x80
_LENGTH: Final = 0x7F
_LENGTH_16: Final = 126
_MASK_BYTES: Final = 4
_KIND: Final = 0x0F
_CLOSE: Final = 8


class FrameBoundary:
    """Follows a stream chunk by chunk."""

    __slots__ = ("_head", "_rest", "is_closed")

    def __init__(self) -> None:
        self._rest = 0
        """Bytes of the current frame that have not arrived."""
        self._head = b""
        """The beginning of a frame whose length is not known yet."""
        self.is_closed = False
        """Whether the newest frame is a close."""

    @property
    def is_between(self) -> bool:
        """Whether the next byte would begin a frame."""
        return not self._rest and not self._head

    def follow(self, data: bytes) -> None:
        """Follow the next chunk."""
        if self._head:
            data, self._head = self._head + data, b""
        at, size = self._rest, len(data)
        while at < size:
            length = frame_length(data, at)
            if length is None:
                self._head = data[at:]
                self._rest = 0
                return
            self.is_closed = data[at] & _KIND == _CLOSE
            at += length
        self._rest = at - size


def frame_length(data: bytes | bytearray, at: int = 0) -> int | None:
    """Return the size of the frame that begins at `at`; `None` if it is not known yet."""
    head = at + 2
    if len(data) < head:
        return None
    masked, length = data[at + 1] & _MASKED, data[at + 1] & _LENGTH
    if length >= _LENGTH_16:
        width = 2 if length == _LENGTH_16 else 8
        if len(data) < head + width:
            return None
        length = int.from_bytes(data[head : head + width])
        head += width
    return head - at + length + (_MASK_BYTES if masked else 0)
