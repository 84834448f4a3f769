"""The wall of an event on a terminal."""

from io import StringIO
from os import terminal_size

import pytest

from tests.client.text.test_standings import event
from tests.client.text.test_wall import board
from ttt_client.net.session import Note
from ttt_client.terminal.stdout import Output
from ttt_client.tournaments.watching import EventOver, WallPrinter
from ttt_protocol.messages import Goodbye
from ttt_protocol.tournament.messages import Boards, TournamentUpdate


async def test_the_wall_is_shown_anew_after_every_change() -> None:
    out, err = StringIO(), StringIO()
    printer = WallPrinter(Output(out, err, ascii_only=True), lambda: terminal_size((80, 24)))
    boards = Boards(boards=(board(1),))
    await printer.report(boards, "")  # of an event that is not known yet
    assert out.getvalue() == ""
    await printer.report(TournamentUpdate(event=event()), "")
    await printer.report(boards, "")
    first, second = out.getvalue().split("\x1b[H")[1:]
    assert first.startswith("Friday: round 2 of 5\x1b[K\n")
    assert first.endswith("\x1b[K\x1b[J\n")
    assert "ada - bob" not in first
    assert "ada - bob\x1b[K\n" in second
    with pytest.raises(EventOver):
        await printer.report(TournamentUpdate(event=event(status="finished")), "")
    assert "Friday: ada won" in out.getvalue()
    await printer.report(Goodbye(code=1001, reason="bye"), "")
    await printer.report(Note("lost"), "")
    assert err.getvalue() == "ttt-client: bye\nttt-client: lost\n"
