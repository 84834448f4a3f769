import json
import logging
import sys
from typing import Literal

import pytest

from ttt_server.logs import JsonFormatter, TextFormatter, set_up


def record(message: str, *arguments: object, failed: bool = False) -> logging.LogRecord:
    info = None
    if failed:
        try:
            raise OSError("disk\x1b[31m full")
        except OSError:
            info = sys.exc_info()
    made = logging.LogRecord(
        "ttt_server.hub", logging.WARNING, "hub.py", 1, message, arguments, info
    )
    made.created = 0.0
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
        "at": "1970-01-01T00:00:00Z",
        "level": "warning",
        "logger": "ttt_server.hub",
        "message": "room den: \x1b[2J\n",
    }


def test_json_has_the_traceback() -> None:
    fields = json.loads(JsonFormatter().format(record("failed", failed=True)))
    assert "OSError" in fields["traceback"]


@pytest.mark.parametrize("form", ["text", "json"])
def test_set_up(
    form: Literal["text", "json"],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root, library = logging.getLogger(), logging.getLogger("websockets")
    with monkeypatch.context() as patch:
        patch.setattr(root, "handlers", [])
        patch.setattr(root, "level", root.level)
        patch.setattr(library, "level", library.level)
        set_up(form, "warning")
        logging.getLogger("ttt_server.hub").info("unheard")
        logging.getLogger("ttt_server.hub").warning("heard")
        logging.getLogger("websockets.server").error("a peer's fault")
    root.manager._clear_cache()  # type: ignore[attr-defined]  # of what is enabled
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    if form == "json":
        assert json.loads(told.err)["message"] == "heard"
    else:
        assert told.err.endswith("WARNING ttt_server.hub: heard\n")
