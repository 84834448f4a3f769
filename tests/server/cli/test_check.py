"""`ttt-server check`: what it says of the log of an event."""

from pathlib import Path

import pytest

from tests.server.tournaments.rules.tournaments import FRIDAY, Evening, names
from ttt_protocol.tournament.settings import Form
from ttt_server.cli.check import run
from ttt_server.concurrency.tasks import CallbackFuture
from ttt_server.storage.base import Entry
from ttt_server.storage.sqlite.store import SqliteStore
from ttt_server.tournaments.log import log_name
from ttt_server.tournaments.rules.events import Decision, Returned, encode

P1, P2 = names(2)


async def checked(folder: Path, log: Decision, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what is said of a database with this log."""
    store = SqliteStore(folder / "ttt.sqlite3")
    outcome = CallbackFuture()
    lines = tuple(map(encode, log))
    store.append((Entry(log_name(FRIDAY), 1, lines, None, outcome.settle),))
    await outcome.future
    await store.close()
    run([str(folder / "ttt.sqlite3")])
    out, err = capsys.readouterr()
    return out + err


async def test_the_events_of_an_event_are_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evening = Evening(Form.ARENA, (P1, P2))
    evening.start()
    assert "1 room, 0 games, 4 events, nothing wrong" in await checked(
        tmp_path, evening.log, capsys
    )


async def test_one_that_the_rules_contradict_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evening = Evening(Form.ARENA, (P1, P2))
    returned = Returned(seq=4, at=evening.now, player=P1)
    said = await checked(tmp_path, (*evening.log, returned), capsys)
    assert f"room {log_name(FRIDAY)}: event 4 does not follow from the rules" in said
    assert "1 room, 0 games, 3 events, 1 fault" in said
