import json
import logging
import sys
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_protocol.state import RoomName
from ttt_protocol.text import clean
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.telemetry.logging import (
    JsonFormatter,
    TextFormatter,
    about_connection,
    about_room,
    set_up,
)


def record(message: str, *arguments: object, failed: bool = False) -> logging.LogRecord:
    info = None
    if failed:
        try:
            raise OSError("disk\x1b[31m full")
        except OSError:
            info = sys.exc_info()
    made = logging.LogRecord(
        "ttt_server.rooms.hub", logging.WARNING, "hub.py", 1, message, arguments, info
    )
    made.created, made.msecs = 0.25, 250.0
    return made


def test_text_cannot_move_a_cursor() -> None:
    line = TextFormatter("%(levelname)s %(message)s").format(
        record("room %s: \x1b[2Jgone\u202e", "den")
    )
    assert line == "WARNING room den: gone"


def test_a_traceback_is_clean_too() -> None:
    lines = TextFormatter("%(message)s").format(record("failed", failed=True)).split("\n")
    assert lines[0] == "failed"
    assert lines[-1] == "OSError: disk full"
    assert all(line.isprintable() for line in lines)


def test_json_is_one_object_a_line() -> None:
    line = JsonFormatter().format(record("room %s: \x1b[2J\n", "den"))
    assert "\n" not in line
    assert line.isprintable()
    assert json.loads(line) == {
        "at": "1970-01-01T00:00:00.250Z",
        "level": "warning",
        "logger": "ttt_server.rooms.hub",
        "message": "room den: \n",
    }


def test_json_has_the_traceback() -> None:
    fields = json.loads(JsonFormatter().format(record("failed", failed=True)))
    assert "OSError" in fields["traceback"]


@pytest.mark.parametrize("form", ["text", "json"])
def test_set_up(
    form: Literal["text", "json"],
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root, library = logging.getLogger(), logging.getLogger("websockets")
    with monkeypatch.context() as patch:
        patch.setattr(root, "handlers", [])
        patch.setattr(root, "level", root.level)
        patch.setattr(library, "level", library.level)
        set_up(form, "warning")
        logging.getLogger("ttt_server.rooms.hub").info("unheard")
        logging.getLogger("ttt_server.rooms.hub").warning("heard")
        logging.getLogger("websockets.server").error("a peer's fault")
    root.manager._clear_cache()  # type: ignore[attr-defined]  # of what is enabled
    told = capfd.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    if form == "json":
        assert json.loads(told.err)["message"] == "heard"
    else:
        assert told.err.endswith("WARNING ttt_server.rooms.hub: heard\n")


TEXT = TextFormatter("%(name)s: %(message)s")


def lines() -> tuple[str, dict[str, object]]:
    """What a task logs in both forms, without what is in every line."""
    fields = json.loads(JsonFormatter().format(record("moved")))
    return TEXT.format(record("moved")), {
        name: value for name, value in fields.items() if name not in {"at", "level", "logger"}
    }


async def test_a_line_tells_what_it_is_about() -> None:
    assert lines() == ("ttt_server.rooms.hub: moved", {"message": "moved"})
    about_connection(7)
    assert lines()[0] == "ttt_server.rooms.hub: connection 7: moved"
    about_room(RoomName("den"))
    assert lines() == (
        "ttt_server.rooms.hub: room den, connection 7: moved",
        {"message": "moved", "room": "den", "connection": 7},
    )


async def test_what_a_connection_causes_is_not_about_it() -> None:
    told = []

    async def background() -> None:
        told.append(lines()[0])
        about_room(RoomName("lair"))
        told.append(lines()[0])

    about_connection(7)
    about_room(RoomName("den"))
    tasks = TaskOwner()
    await tasks.start(background())
    await tasks.close()
    assert told == ["ttt_server.rooms.hub: moved", "ttt_server.rooms.hub: room lair: moved"]
    assert lines()[1]["room"] == "den"


@given(st.text(), st.text())
def test_whatever_is_said_is_one_clean_object(words: str, name: str) -> None:
    line = JsonFormatter().format(record(f"%s{name.replace('%', '')}", words))
    assert line.isascii()
    assert line.isprintable()
    message = json.loads(line)["message"]
    assert all(each == clean(each) for each in message.split("\n"))
