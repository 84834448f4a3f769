"""JSON in (`decode`) and JSON out (`encode`).

The words of events are in `codec.tournament`, which is imported apart.

InvalidWire
├── BadCommand   the client's fault: carries the refusal's code and reason
└── BadMessage   the server's fault, or a word of a newer server
"""

from ttt_protocol.codec.decode import (
    BadCommand,
    BadMessage,
    InvalidWire,
    decode_command,
    decode_event,
    decode_log,
    decode_message,
    decode_record,
    decode_room,
    decode_summary,
)
from ttt_protocol.codec.encode import (
    EncodedEvents,
    encode_command,
    encode_document,
    encode_event,
    encode_log,
    encode_message,
)

__all__ = [
    "BadCommand",
    "BadMessage",
    "EncodedEvents",
    "InvalidWire",
    "decode_command",
    "decode_event",
    "decode_log",
    "decode_message",
    "decode_record",
    "decode_room",
    "decode_summary",
    "encode_command",
    "encode_document",
    "encode_event",
    "encode_log",
    "encode_message",
]
