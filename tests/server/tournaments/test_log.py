"""The log of a tournament, checked event by event."""

import json
from typing import Any

from tests.server.tournaments.rules.tournaments import FRIDAY, Evening, names
from ttt_protocol.tournament.settings import Form
from ttt_server.tournaments.log import audit
from ttt_server.tournaments.rules.events import Begun, Decision, encode

P1, P2 = names(2)


def log() -> Decision:
    """An event with two players that has begun."""
    evening = Evening(Form.ARENA, (P1, P2))
    evening.start()
    return evening.log


def test_a_log_that_is_whole() -> None:
    it, fault = audit(FRIDAY, map(encode, log()))
    assert (it.seq, it.status, fault) == (4, "running", None)


def test_the_first_event_that_contradicts_those_before_it_is_named() -> None:
    events = log()
    begun = Begun(seq=5, at=events[-1].at, ends_at=events[-1].at)
    it, fault = audit(FRIDAY, map(encode, (*events, begun)))
    assert (it.seq, fault) == (4, "event 5 is against the rules: the event is running")


def test_a_line_that_makes_no_sense_ends_the_check() -> None:
    lines = [encode(each) for each in log()]
    assert audit(FRIDAY, [*lines[:2], b"{}"])[0].seq == 2
    it, fault = audit(FRIDAY, lines[1:])
    assert (it.seq, fault) == (0, "friday: event 2 after 0")


def test_the_pairings_of_an_older_version_are_read_as_they_were_made() -> None:
    """This version would pair p1 with p3, and says why an event ended."""
    settings = {"form": "swiss", "rounds": 3}
    opened = {"type": "opened", "title": "Friday", "settings": settings, "organiser": "host"}
    players = [{"type": "entered", "player": f"p{at}", "name": f"p{at}"} for at in range(1, 5)]
    pairs = [("p1", "p2"), ("p3", "p4")]
    paired = [
        {"type": "paired", "game": at, "round": 1, "X": x, "O": o, "room": f"friday-{at}"}
        for at, (x, o) in enumerate(pairs, start=1)
    ]
    begun: list[dict[str, Any]] = [{"type": "begun"}, {"type": "round_begun", "round": 1}]
    events: list[dict[str, Any]] = [opened, *players, *begun, *paired, {"type": "finished"}]
    lines = [
        json.dumps({"seq": seq, "at": 1, **event}).encode()
        for seq, event in enumerate(events, start=1)
    ]
    it, fault = audit(FRIDAY, lines)
    assert fault is None
    assert [(game.X, game.O) for game in it.games] == pairs
    assert (it.status, it.ended_early) == ("finished", None)
