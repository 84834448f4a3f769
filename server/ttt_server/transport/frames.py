"""WebSocket frames (RFC 6455, section 5.2) of the kinds that nearly all of ours are.

The library knows every kind. To build and parse these few by hand is what the fast lane of a move
saves, and a connection with no others needs nothing of the library; whatever is not just so is left
to it.
"""

from websockets.frames import Opcode

try:
    from websockets.speedups import apply_mask
except ImportError:  # pragma: no cover - the library was installed without its C extension
    from websockets.utils import apply_mask

_MASKED = 0x80
_LENGTH_16 = 126
_HEADER = 2
_MASK = 4
_TEXT_AT = _HEADER + _MASK
"""Where the text of a short masked frame begins."""
_SHORT_TEXTS = {_TEXT_AT + length: bytes((0x81, _MASKED + length)) for length in range(_LENGTH_16)}
"""How they begin, by the size of the whole frame."""
_USUAL_CLOSES = b"", b"\x03\xe8", b"\x03\xe9"
"""No code; 1000, bye; 1001, as a browser says it of a page that is left."""
_CONTROLS = {0x88: Opcode.CLOSE, 0x89: Opcode.PING, 0x8A: Opcode.PONG}
"""First bytes of whole ones."""
_CONTROL = 0x08
_FIN = 0x80


def short_text(data: bytes) -> bytes | None:
    """The text, if `data` is one whole masked text frame of less than 126 bytes and no more."""
    begins = _SHORT_TEXTS.get(len(data))
    if begins is None or not data.startswith(begins):
        return None
    return apply_mask(data[_TEXT_AT:], data[_HEADER:_TEXT_AT])


def control(data: bytes) -> tuple[Opcode, bytes] | None:
    """The kind and the payload, if `data` is one whole masked control frame and no more.

    Null for a close that does not say one of the usual things, too.
    """
    if len(data) < _TEXT_AT or len(data) != _TEXT_AT + data[1] - _MASKED:
        return None
    kind = _CONTROLS.get(data[0])
    if kind is None or len(data) >= _TEXT_AT + _LENGTH_16:
        return None
    said = apply_mask(data[_TEXT_AT:], data[_HEADER:_TEXT_AT])
    return None if kind is Opcode.CLOSE and said not in _USUAL_CLOSES else (kind, said)


def is_whole(data: bytes) -> bool:
    """Whether `data`, from a client, is whole messages and control frames, and nothing less."""
    at, size = 0, len(data)
    while at + _HEADER <= size:
        kind, length = data[at], data[at + 1] & ~_MASKED
        is_control, ends = bool(kind & _CONTROL), bool(kind & _FIN)
        if not ends or (not is_control and kind & 0x0F == 0):
            return False  # a part of a message
        if length >= _LENGTH_16:
            width = 2 if length == _LENGTH_16 else 8
            length = int.from_bytes(data[at + _HEADER : at + _HEADER + width], "big")
            at += width
        at += _TEXT_AT + length
    return at == size


def control_frame(kind: Opcode, payload: bytes = b"") -> bytes:
    """A whole control frame from a server; `payload` has less than 126 bytes."""
    return b"%c%c%b" % (_FIN | kind, len(payload), payload)


def text_frame(payload: bytes) -> bytes:
    """A whole text frame from a server."""
    length = len(payload)
    if length < _LENGTH_16:
        return b"\x81%c%b" % (length, payload)
    if length < 1 << 16:
        return b"\x81\x7e" + length.to_bytes(2) + payload
    return b"\x81\x7f" + length.to_bytes(8) + payload
