"""Which ways of spreading the tables are ours; `cluster/test_distribute.py` spreads them."""

import pytest

from ttt_server.storage.postgres.schema import Spread, fault

EVENTS, LEARNED = Spread("events", b"h", "room", 4), Spread("learned", b"h", "room", 4)


@pytest.mark.parametrize("found", [(), (EVENTS,), (LEARNED,), (EVENTS, LEARNED)])
def test_what_is_right(found: tuple[Spread, ...]) -> None:
    assert fault(found) is None


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ((EVENTS._replace(column="seq"), LEARNED), "events is distributed in another way"),
        ((EVENTS, LEARNED._replace(method=b"n", column=None)), "learned is distributed in another"),
        ((EVENTS, LEARNED._replace(group=5)), "not distributed together"),
        ((EVENTS, LEARNED, Spread("rooms", b"h", "name", 6)), "rooms must stay"),
        ((Spread("persons", b"n", None, 7),), "persons must stay"),
    ],
)
def test_what_was_made_by_hand(found: tuple[Spread, ...], words: str) -> None:
    told = fault(found)
    assert told is not None
    assert words in told
    assert "SELECT undistribute_table('" in told
