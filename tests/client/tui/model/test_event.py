"""The messages of an event, and its keys, on the screen between games."""

from dataclasses import replace
from typing import Any

import pytest

from tests.client.text.test_standings import event, standing
from ttt_client.tui.model.connection import Connecting, Live
from ttt_client.tui.model.event import EventScreen
from ttt_client.tui.model.screen import Occasion
from ttt_protocol.codes import RefusalCode
from ttt_protocol.messages import Goodbye, Refused
from ttt_protocol.tournament.messages import (
    TournamentUpdate,
    TournamentWelcome,
    TournamentYou,
    YourGames,
)
from ttt_protocol.tournament.settings import Form

EMPTY = EventScreen("friday", "here", "http://here/events/friday")
NOW = 100.0


def screen(role: str = "player", players: int = 2, **fields: Any) -> EventScreen:
    standings = tuple(standing(f"p{rank}", rank=rank) for rank in range(1, players + 1))
    usual: dict[str, Any] = {"standings": standings, "players": players}
    told = event(**usual | fields)
    own = {"id": "p2", "name": "p2"} if role == "player" else {}
    you = TournamentYou.model_validate({"role": role, **own})
    welcome = TournamentWelcome(protocol="ttt.v1", server="ttt", you=you, event=told)
    return EMPTY.hear(welcome, NOW)


def test_a_player_has_a_row_and_a_watcher_has_none() -> None:
    player, watcher = screen(), screen("watcher")
    assert player.own_row is not None
    assert (player.own_row.rank, player.is_player) == (2, True)
    assert (watcher.own_row, watcher.is_player) == (None, False)
    assert EMPTY.own_row is None


def test_an_arena_has_a_clock_that_stands_still_in_a_pause() -> None:
    arena = screen(form=Form.ARENA, ends_at=61_000)
    assert arena.left_s(NOW) == 60
    assert arena.left_s(NOW + 15) == 45
    paused = TournamentUpdate(event=event(Form.ARENA, ends_at=61_000, status="paused"))
    later = arena.hear(paused, NOW + 5)
    assert later.left_s(NOW + 6) is None
    assert later.hear(paused, NOW + 7).paused_at == NOW + 5
    assert arena.paused_at is None
    assert EMPTY.left_s(NOW) is None
    assert screen().left_s(NOW) is None


def test_refusals_and_farewells_are_shown_until_the_next_key() -> None:
    refused = Refused(command="withdraw", code=RefusalCode.NOT_ALLOWED, reason="not\x00 now")
    told = screen().hear(refused, NOW)
    assert told.notice == "not now"
    assert told.press("down")[0].notice == ""
    assert screen().hear(Goodbye(code=1001, reason="bye"), NOW).notice == "bye"
    assert screen().hear(YourGames(games=()), NOW) == screen()


def test_the_connection() -> None:
    lost = screen().lose("gone", NOW + 3, NOW)
    again = lost.lose("gone", NOW + 9, NOW + 4)
    assert again.connection.since == NOW  # type: ignore[union-attr]
    assert lost.measure(0.1, NOW) == lost
    assert screen().measure(0.1, NOW).connection == Live(0.1, NOW)
    assert EMPTY.connection == Connecting()
    assert lost.press("c-r")[1] == "retry"
    assert screen().press("c-r") == (screen(), None)


@pytest.mark.parametrize(
    ("shown", "parting"),
    [
        (screen(), "your place is kept: ttt-client event join friday takes part again"),
        (screen("watcher"), None),
        (EMPTY, None),
        (screen("watcher", status="finished"), "Friday: p1 won"),
    ],
    ids=["player", "watcher", "nothing yet", "finished"],
)
def test_the_last_words(shown: EventScreen, parting: str | None) -> None:
    assert shown.parting == parting


def test_quitting_is_asked_while_there_is_a_game() -> None:
    assert screen().press("q")[1] == "quit"
    asked, act = replace(screen(), boards=1).press("q")
    assert (asked.asking, act) == ("quit", None)
    assert asked.press("y")[1] == "quit"
    assert asked.press("n") == (replace(asked, asking=None), None)
    assert asked.press("c-d")[0].asking is None
    assert replace(screen(), boards=1).press("c-d")[1] == "quit"


def test_to_the_game_where_there_is_one() -> None:
    assert screen().press("enter")[1] is None
    assert replace(screen(), boards=2).press("enter")[1] == "play"


def test_withdrawing_is_asked_and_returning_is_not() -> None:
    asked, act = screen().press("w")
    assert (asked.asking, act) == ("withdraw", None)
    assert asked.press("y")[1] == "withdraw"
    gone = screen(standings=(standing("p2", status="withdrawn"),))
    assert gone.press("w")[1] == "return"
    for shown in (screen("watcher"), screen(status="finished")):
        assert shown.press("w") == (shown, None)


def test_help_is_shown_until_the_next_key() -> None:
    shown, _ = screen().press("?")
    assert shown.help
    assert not shown.press("q")[0].help


def test_the_standings_begin_around_the_own_row_and_scroll() -> None:
    assert EMPTY.first_shown == 0
    assert EMPTY.press("down")[0].first_shown == 0
    shown = replace(screen(players=30), seen=10)
    assert shown.first_shown == 0
    own_last = replace(screen(players=30, standings=_rows(30)), seen=10)
    assert own_last.first_shown == 20
    assert replace(screen("watcher", players=30), seen=10).first_shown == 0
    down, _ = shown.press("down")
    assert down.first_shown == 1
    assert down.press("pagedown")[0].first_shown == 11
    assert down.press("end")[0].first_shown == 20
    assert down.press("end")[0].press("j")[0].first_shown == 20
    assert down.press("home")[0].press("k")[0].first_shown == 0
    assert down.press("escape")[0].first is None
    assert down.press("x")[0] == down


def _rows(count: int) -> tuple[Any, ...]:
    names = [*(f"x{rank}" for rank in range(1, count)), "p2"]
    return tuple(standing(name, rank=rank) for rank, name in enumerate(names, start=1))


def test_an_occasion_has_time_left_but_in_a_pause() -> None:
    assert Occasion("Friday", ends_at=NOW).left_s(NOW - 3) == 3
    assert Occasion("Friday", ends_at=NOW, paused_at=NOW - 4).left_s(NOW - 3) is None
    assert Occasion("Friday").left_s(NOW) is None
