"""The log on standard error: lines of text, or JSON objects for programs.

A line names the room and connection it is about, which tasks have in their context.
"""

import json
import logging
import time
from contextvars import Context, ContextVar
from typing import Literal

from ttt_protocol.state import RoomName
from ttt_protocol.text import clean
from ttt_server.telemetry.standard_error import StandardError

_room: ContextVar[RoomName | None] = ContextVar("room", default=None)
_connection: ContextVar[int | None] = ContextVar("connection", default=None)


def about_room(name: RoomName | None) -> None:
    """Name this room, or none, in the log lines of the current task."""
    _room.set(name)


def about_connection(number: int) -> None:
    """Name this connection in the log lines of the current task, by its number since the start."""
    _connection.set(number)


def about(room: RoomName, connection: int | None = None) -> Context:
    """Return a context for log lines about this room and connection."""
    context = Context()
    context.run(_room.set, room)
    context.run(_connection.set, connection)
    return context


class TextFormatter(logging.Formatter):
    """Writes one line of text without control characters, which could move a terminal's cursor."""

    def __init__(self, form: str, process: int | None = None) -> None:
        """`form`: as the library's. `process`: the number of one of several processes."""
        super().__init__(form)
        self._process = process

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's
        if subjects := _subjects(self._process):
            named = ", ".join(f"{kind} {subject}" for kind, subject in subjects.items())
            message = f"{named}: {record.message}"
            record = logging.makeLogRecord(vars(record) | {"message": message})
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        return _clean(super().format(record))


class JsonFormatter(logging.Formatter):
    """Writes one JSON object a line."""

    def __init__(self, process: int | None = None) -> None:
        """`process`: the number of this process, if it is one of several."""
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        fields: dict[str, str | int] = {
            "at": f"{seconds}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _clean(record.getMessage()),
            **_subjects(self._process),
        }
        if record.exc_info:
            fields["traceback"] = _clean(self.formatException(record.exc_info))
        return json.dumps(fields)


def set_up(form: Literal["text", "json"], level: str, process: int | None = None) -> None:
    """Send the program's log to standard error.

    `process`: the number of this process, if it is one of several.
    """
    handler = StandardError()
    text = TextFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s", process)
    handler.setFormatter(JsonFormatter(process) if form == "json" else text)
    logging.basicConfig(level=level.upper(), handlers=[handler])
    # The library logs every connection, and faults of clients as errors.
    logging.getLogger("websockets").setLevel(logging.CRITICAL)


def _subjects(process: int | None) -> dict[str, str | int]:
    """Return what a line is about, each by its kind."""
    known = {"process": process, "room": _room.get(), "connection": _connection.get()}
    return {kind: subject for kind, subject in known.items() if subject is not None}


def _clean(lines: str) -> str:
    return "\n".join(clean(line) for line in lines.split("\n"))
