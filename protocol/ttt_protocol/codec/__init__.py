"""JSON in (`decode`), JSON out (`encode`), and JSON out at speed (`encode_fast`).

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
    decode_message,
    decode_record,
    decode_room,
)
from ttt_protocol.codec.encode import (
    EncodedEvents,
    encode_command,
    encode_document,
    encode_event,
    encode_message,
)
from ttt_protocol.codec.encode_fast import (
    StateTemplate,
    encode_created,
    encode_end,
    encode_human_seat,
    encode_move,
    encode_offer,
    encode_presence,
    encode_seated,
    encode_start,
    encode_update,
    encode_welcome,
    encode_you,
)

__all__ = [
    "BadCommand",
    "BadMessage",
    "EncodedEvents",
    "InvalidWire",
    "StateTemplate",
    "decode_command",
    "decode_event",
    "decode_message",
    "decode_record",
    "decode_room",
    "encode_command",
    "encode_created",
    "encode_document",
    "encode_end",
    "encode_event",
    "encode_human_seat",
    "encode_message",
    "encode_move",
    "encode_offer",
    "encode_presence",
    "encode_seated",
    "encode_start",
    "encode_update",
    "encode_welcome",
    "encode_you",
]
