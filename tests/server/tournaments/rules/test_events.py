import pytest

from ttt_server.core.errors import InvalidLog
from ttt_server.tournaments.rules.events import Paused, Resumed, decode, encode, numbered


def test_the_events_of_a_decision_follow_each_other_at_one_time() -> None:
    made = numbered(4, 1000, Paused(), Resumed())
    assert [(event.seq, event.at, event.type) for event in made] == [
        (5, 1000, "paused"),
        (6, 1000, "resumed"),
    ]
    assert tuple(map(decode, map(encode, made))) == made


@pytest.mark.parametrize("line", [b'{"type":"paused","at":1}', b'{"type":"paused","seq":1}', b"{}"])
def test_a_stored_event_has_a_number_and_a_time(line: bytes) -> None:
    with pytest.raises(InvalidLog, match="not an event of a tournament"):
        decode(line)
