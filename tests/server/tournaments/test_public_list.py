"""The list of public events: which are in it, and in what order."""

from dataclasses import replace

import pytest

from tests.server.tournaments.rules.tournaments import FRIDAY, Evening, names
from ttt_protocol.tournament.commands import Doors, Finish, Pause, Resume
from ttt_protocol.tournament.settings import Form, TournamentName
from ttt_server.tournaments import public_list
from ttt_server.tournaments.public_list import PublicEvents, newest, update
from ttt_server.tournaments.rules.values import Tournament


def test_an_event_is_listed_while_it_is_open_or_under_way() -> None:
    evening = Evening(Form.SWISS, names(4), public=True)
    events: PublicEvents = {}

    def listed() -> list[tuple[str, int, int]]:
        update(events, evening.it)
        return [(it.status, it.players, it.round) for it in newest(events.values())]

    assert listed() == [("created", 4, 0)]
    evening.tell(Doors(open=False))
    assert listed() == [], "nobody can enter, and there is nothing to watch"
    evening.tell(Doors(open=True))
    assert listed() == [("created", 4, 0)]
    evening.start()
    evening.step()
    assert listed() == [("running", 4, 1)]
    evening.tell(Pause())
    assert listed() == [("paused", 4, 1)]
    evening.tell(Resume())
    evening.tell(Finish())
    assert listed() == []


@pytest.mark.parametrize("it", [Evening(Form.ARENA, names(2)).it, Tournament(FRIDAY)])
def test_an_event_is_not_listed_unless_its_organiser_wants_it(it: Tournament) -> None:
    events: PublicEvents = {}
    update(events, it)
    assert newest(events.values()) == []


def test_the_newest_is_first_and_the_oldest_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_list, "_MOST_KEPT", 2)
    it = Evening(Form.ARENA, public=True).it
    events: PublicEvents = {}

    def add(name: str, at: int) -> list[str]:
        update(events, replace(it, name=TournamentName(name), opened_at=at))
        return [each.event for each in newest(events.values())]

    assert add("friday", 5) == ["friday"]
    assert add("monday", 4) == ["friday", "monday"]
    assert add("sunday", 6) == ["sunday", "friday"]
