"""The log on standard error: lines for people, or JSON objects for programs.

Each line tells the room and the connection that it is about, where it is about one. Which that is
goes along with the task that logs.
"""

import json
import logging
import sys
import time
from contextvars import ContextVar
from typing import Literal

from ttt_protocol.state import RoomName
from ttt_protocol.text import clean

_room: ContextVar[RoomName | None] = ContextVar("room", default=None)
_connection: ContextVar[int | None] = ContextVar("connection", default=None)


def about_room(name: RoomName) -> None:
    """What this task logs from now on is about this room."""
    _room.set(name)


def about_connection(number: int) -> None:
    """What this task logs from now on is about this connection, by its number since the start."""
    _connection.set(number)


class TextFormatter(logging.Formatter):
    """One line of text; nothing in it can move a terminal's cursor."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's
        room, connection = _room.get(), _connection.get()
        scene = [] if room is None else [f"room {room}"]
        if connection is not None:
            scene.append(f"connection {connection}")
        if scene:
            record.message = f"{', '.join(scene)}: {record.message}"
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        return _clean(super().format(record))


class JsonFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        fields: dict[str, str | int] = {
            "at": f"{seconds}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _clean(record.getMessage()),
        }
        if (room := _room.get()) is not None:
            fields["room"] = room
        if (connection := _connection.get()) is not None:
            fields["connection"] = connection
        if record.exc_info:
            fields["traceback"] = _clean(self.formatException(record.exc_info))
        return json.dumps(fields)


def set_up(form: Literal["text", "json"], level: str) -> None:
    """Sends what the program logs to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    text = TextFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler.setFormatter(JsonFormatter() if form == "json" else text)
    logging.basicConfig(level=level.upper(), handlers=[handler])
    # The library tells of every connection, and of peers' faults as its own errors.
    logging.getLogger("websockets").setLevel(logging.CRITICAL)


def _clean(lines: str) -> str:
    return "\n".join(clean(line) for line in lines.split("\n"))
