"""The states of a connection, and what may follow each.

Sections without another name are of RFC 6455. A connection may serve plain requests by RFC 9112
before it becomes a WebSocket.
"""

from enum import IntEnum, auto
from typing import Final


class State(IntEnum):
    """Where a connection stands. `TRANSITIONS` has what may follow."""

    READING_REQUEST = auto()
    """4.2.1: the client's request has not come, or not all of it."""
    ANSWERING = auto()
    """4.2.2: the request has come, and the application finds the answer."""
    HALF_CLOSED = auto()
    """4.2.2: the same, but the client has ended its side: the connection ends with the answer."""
    ANSWERED = auto()
    """4.2.2, 5; RFC 9112, 9.6: an HTTP response was sent, and the connection ends with it. Input
    is discarded."""
    IDLE = auto()
    """RFC 9112, 9.3: an HTTP response was sent, and the client may send another request. Nothing
    of it has come but empty lines (2.2)."""
    OPEN = auto()
    """4.2.2, 6: messages go both ways."""
    CLOSE_SENT = auto()
    """7.1.3: a close was sent; frames are read for the client's close, and messages discarded."""
    CLOSING = auto()
    """7.1.1: both closes were sent, or the connection failed (7.1.7). The server's side has ended,
    and input is discarded until the client ends its own."""
    FLOODED = auto()
    """7.1.7, 10.4: the client sent too much. The connection failed, and nothing is to be read."""
    CLOSED = auto()
    """7.1.4: the client's side of the TCP connection has ended, or all of it."""


(
    READING_REQUEST,
    ANSWERING,
    HALF_CLOSED,
    ANSWERED,
    IDLE,
    OPEN,
    CLOSE_SENT,
    CLOSING,
    FLOODED,
    CLOSED,
) = State
"""Bound once: an attribute of an enumeration takes 0.1 µs in Python 3.11, of a module 0.01 µs."""


TRANSITIONS: Final = {
    READING_REQUEST: {ANSWERING, ANSWERED, FLOODED, CLOSED},
    ANSWERING: {HALF_CLOSED, ANSWERED, IDLE, OPEN, FLOODED, CLOSED},
    HALF_CLOSED: {ANSWERED, CLOSED},
    ANSWERED: {FLOODED, CLOSED},
    IDLE: {READING_REQUEST, ANSWERED, FLOODED, CLOSED},
    OPEN: {CLOSE_SENT, CLOSING, FLOODED, CLOSED},
    CLOSE_SENT: {CLOSING, FLOODED, CLOSED},
    CLOSING: {FLOODED, CLOSED},
    FLOODED: {CLOSED},
    CLOSED: set(),
}
