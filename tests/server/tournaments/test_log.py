"""The log of a tournament, checked event by event."""

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
