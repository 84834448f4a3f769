"""`ttt.v1` as an AsyncAPI 3.0 document: its channels, their messages, and the close codes."""

from collections.abc import Iterable

from ttt_protocol.codes import CLOSE_REASONS, REASONS
from ttt_protocol.schema import ABOUT, Document, definitions, kinds
from ttt_protocol.state import MAX_FRAME, SUBPROTOCOL

_SCHEMA = "#/components/schemas/{}"
_LOBBY = ("message.rooms", "message.rooms_changed", "message.goodbye")
_SEEKING = ("message.paired", "message.ai_offered", "message.refused", "message.goodbye")
_SEEK = "command.seek"
_EVERYWHERE = {"message.refused", "message.goodbye"}
_NOT_IN_A_ROOM = {_SEEK, *_LOBBY, *_SEEKING} - _EVERYWHERE


def asyncapi_document() -> Document:
    """Describe the server: it receives commands and sends messages."""
    schemas = definitions(_SCHEMA)
    commands = [f"command.{type_}" for type_ in kinds("command")]
    messages = [f"message.{type_}" for type_ in kinds("message")]
    given = [name for name in commands if name not in _NOT_IN_A_ROOM]
    told = [name for name in messages if name not in _NOT_IN_A_ROOM]
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "ttt-rooms",
            "version": SUBPROTOCOL,
            "description": "Rooms of tic-tac-toe and its family over WebSocket, one JSON object "
            f"per text frame, of at most {MAX_FRAME} bytes from a client unless the server is set "
            f"otherwise. {ABOUT}",
        },
        "defaultContentType": "application/json",
        "servers": {
            "example": {
                "host": "127.0.0.1:8765",
                "protocol": "ws",
                "description": f"A server as it starts; its subprotocol is `{SUBPROTOCOL}`. "
                "A server may have a path in front of the channels' own, and speak wss.",
            }
        },
        "channels": {
            "room": {
                "address": "/ws/rooms/{room}",
                "title": "A room",
                "description": "The first command is `join`; its answer is `welcome`.",
                "parameters": {
                    "room": {
                        "description": "1 to 32 of a-z, 0-9 and -, the first a letter or digit.",
                        "examples": ["room42"],
                    }
                },
                **_channel([*given, *told]),
            },
            "lobby": {
                "address": "/ws/lobby",
                "title": "The public rooms",
                "description": "No `join`: the server sends the rooms at once and after changes, "
                "of which it sends `rooms_changed` only to a client that asks for `?changes=1`. "
                "`limit`, at most 200, and `after` ask for another page than the first.",
                **_channel(_LOBBY),
            },
            "play": {
                "address": "/ws/play",
                "title": "Quick match",
                "description": "The answer to `seek` is `paired`, as soon as another client seeks "
                "the same; `ai_offered` comes when none does for a while.",
                **_channel([_SEEK, *_SEEKING]),
            },
        },
        "operations": {
            "receiveCommand": _operation("receive", "room", given),
            "sendMessage": _operation("send", "room", told),
            "sendRooms": _operation("send", "lobby", _LOBBY),
            "receiveSeek": _operation("receive", "play", [_SEEK]),
            "sendPaired": _operation("send", "play", _SEEKING),
        },
        "components": {
            "messages": {name: _message(name, schemas[name]) for name in [*commands, *messages]},
            "schemas": schemas,
        },
        "x-close-codes": {str(code.value): words for code, words in CLOSE_REASONS.items()},
        "x-refusal-codes": {code.value: words for code, words in REASONS.items()},
    }


def _channel(names: Iterable[str]) -> Document:
    return {
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
        "bindings": {"ws": {"method": "GET", "bindingVersion": "0.1.0"}},
    }


def _operation(action: str, channel: str, names: Iterable[str]) -> Document:
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{channel}"},
        "messages": [{"$ref": f"#/channels/{channel}/messages/{name}"} for name in names],
    }


def _message(name: str, schema: Document) -> Document:
    _, type_ = name.split(".")
    return {
        "name": type_,
        "title": schema["title"],
        "summary": schema["description"],
        "payload": {"$ref": _SCHEMA.format(name)},
    }
