"""The input of a client, and the assembly of messages from fragments (RFC 6455, 5.4)."""

from dataclasses import dataclass
from typing import NamedTuple

from websockets.frames import Frame, Opcode
from websockets.http11 import Request


@dataclass(slots=True)  # made for each message: a frozen one, or a named tuple, takes 0.1 µs more
class Text:
    """A text message: bytes that are valid UTF-8."""

    payload: bytes


@dataclass(slots=True)
class Binary:
    """A binary message."""

    payload: bytes


def text_message(payload: bytes) -> Text:
    """Return the message of a whole text.

    Raises:
        UnicodeDecodeError: unless it is UTF-8.
    """
    if not payload.isascii():
        payload.decode()
    return Text(payload)


class Ping(NamedTuple):
    """A ping came. It is answered already."""

    payload: bytes


class Pong(NamedTuple):
    """A pong came."""

    payload: bytes


class Close(NamedTuple):
    """The client's close came. It is answered already."""

    payload: bytes


Event = Request | Text | Binary | Ping | Pong | Close
"""A request to accept or to answer, or a whole message or control frame."""


class MessageAssembler:
    """The fragments of one message that is not whole yet. The library bounds their size."""

    __slots__ = ("_fragments", "_is_text")

    def __init__(self) -> None:
        self._fragments: list[bytes] = []
        self._is_text = False

    def add(self, frame: Frame) -> Text | Binary | None:
        """Add a data frame; return the message that it completes.

        Args:
            frame: the next one, in an order that the library has checked.

        Raises:
            UnicodeDecodeError: for a text that is not UTF-8.
        """
        if frame.opcode is not Opcode.CONT:
            self._is_text = frame.opcode is Opcode.TEXT
        self._fragments.append(bytes(frame.data))
        if not frame.fin:
            return None
        payload, self._fragments = b"".join(self._fragments), []
        return text_message(payload) if self._is_text else Binary(payload)
