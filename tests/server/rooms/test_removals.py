import pytest

from tests.server.examples import ADA, BOB, EVE
from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import SessionId
from ttt_server.core.errors import Refused
from ttt_server.rooms.removals import REMOVED_S, Removals


class Clock:
    """Seconds that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


HOME, ELSEWHERE = "192.0.2.1", "192.0.2.2"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def removals(clock: Clock) -> Removals:
    return Removals(clock)


def is_admitted(removals: Removals, member: SessionId, newcomer_from: str | None) -> bool:
    try:
        removals.require_admitted(member, newcomer_from)
    except Refused:
        return False
    return True


def test_a_removed_member_stays_out_for_ten_minutes(removals: Removals, clock: Clock) -> None:
    removals.add(ADA, (HOME,))
    assert REMOVED_S == 600
    assert not is_admitted(removals, ADA, None)
    clock.now = 699.9
    assert not is_admitted(removals, ADA, None)
    clock.now = 700
    assert is_admitted(removals, ADA, None)


def test_newcomers_from_its_address_stay_out_and_known_members_do_not(removals: Removals) -> None:
    removals.add(ADA, (HOME,))
    assert not is_admitted(removals, EVE, HOME)
    assert is_admitted(removals, EVE, ELSEWHERE)
    assert is_admitted(removals, BOB, None)


def test_the_refusal_says_for_how_long(removals: Removals, clock: Clock) -> None:
    removals.add(ADA, ())
    clock.now = 100.5
    with pytest.raises(Refused) as refused:
        removals.require_admitted(ADA, HOME)
    assert refused.value.code is RefusalCode.NOT_ALLOWED
    assert refused.value.reason.endswith("come back in 600 seconds")


def test_a_member_is_kept_out_from_its_address_and_for_a_while(
    removals: Removals, clock: Clock
) -> None:
    removals.add(ADA, (HOME,))
    clock.now = 200
    assert removals.left_s(ADA, None) == 500
    assert removals.left_s(EVE, HOME) == 500
    assert removals.left_s(EVE, None) <= 0
