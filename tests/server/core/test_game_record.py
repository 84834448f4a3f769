import pytest

from tests.server.examples import ADA, BOB, NAME, X, log_of_two_games, types
from ttt_protocol.events import Left
from ttt_protocol.state import BySeat, Human, Rules
from ttt_server.core.errors import InvalidLog
from ttt_server.core.game_record import record_of
from ttt_server.core.room import Room

LOG = log_of_two_games()
NONE = Room(NAME)
ADA_SITS, BOB_SITS = Human(id=ADA, name="ada"), Human(id=BOB, name="bob")


def test_a_game_from_its_start_to_its_end() -> None:
    record = record_of(NONE, LOG, 1)
    assert record is not None
    assert (record.room, record.game, record.rules) == (NAME, 1, Rules())
    assert record.seats == BySeat(X=ADA_SITS, O=BOB_SITS)
    assert record.events == LOG[3 : 3 + len(record.events)]
    assert types(record.events) == [
        "started",
        *["played"] * 4,
        "offered",
        "taken_back",
        *["played"] * 2,
        "ended",
    ]


def test_a_game_that_goes_on_and_the_sides_that_were_changed() -> None:
    record = record_of(NONE, LOG, 2)
    assert record is not None
    assert record.seats == BySeat(X=BOB_SITS, O=ADA_SITS)
    assert types(record.events) == ["started", "played", "offered"]


def test_who_sat_there_then_is_told() -> None:
    log = (*LOG[:-2], Left(seq=LOG[-3].seq + 1, at=0, seat=X))
    record = record_of(NONE, log, 1)
    assert record is not None
    assert record.seats == BySeat(X=ADA_SITS, O=BOB_SITS)


@pytest.mark.parametrize(("log", "number"), [(LOG, 0), (LOG, 3), (LOG[:3], 1), ((), 1)])
def test_there_is_no_such_game(log: tuple[Left, ...], number: int) -> None:
    assert record_of(NONE, log, number) is None


def test_a_log_that_makes_no_sense() -> None:
    with pytest.raises(InvalidLog):
        record_of(NONE, LOG[1:], 1)
