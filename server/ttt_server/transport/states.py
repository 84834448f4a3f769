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


TRANSITIONS: Final = {
    State.READING_REQUEST: {State.ANSWERING, State.ANSWERED, State.FLOODED, State.CLOSED},
    State.ANSWERING: {
        State.HALF_CLOSED,
        State.ANSWERED,
        State.IDLE,
        State.OPEN,
        State.FLOODED,
        State.CLOSED,
    },
    State.HALF_CLOSED: {State.ANSWERED, State.CLOSED},
    State.ANSWERED: {State.FLOODED, State.CLOSED},
    State.IDLE: {State.READING_REQUEST, State.ANSWERED, State.FLOODED, State.CLOSED},
    State.OPEN: {State.CLOSE_SENT, State.CLOSING, State.FLOODED, State.CLOSED},
    State.CLOSE_SENT: {State.CLOSING, State.FLOODED, State.CLOSED},
    State.CLOSING: {State.FLOODED, State.CLOSED},
    State.FLOODED: {State.CLOSED},
    State.CLOSED: set(),
}
