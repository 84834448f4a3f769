import pytest

from tests.server.examples import ADA, BOB, EVE
from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import SessionId
from ttt_server.core.errors import Refused
from ttt_server.rooms.chat.removals import REMOVED_S, Removals, notice

HOME, ELSEWHERE = "192.0.2.1", "192.0.2.2"


def is_admitted(
    removals: Removals, member: SessionId, newcomer_from: str | None, now: float
) -> bool:
    try:
        removals.require_admitted(member, newcomer_from, now)
    except Refused:
        return False
    return True


def test_a_removed_member_stays_out_for_ten_minutes() -> None:
    removals = Removals()
    removals.add(ADA, (HOME,), now=100)
    assert REMOVED_S == 600
    assert not is_admitted(removals, ADA, None, now=100)
    assert not is_admitted(removals, ADA, None, now=699.9)
    assert is_admitted(removals, ADA, None, now=700)


def test_newcomers_from_its_address_stay_out_and_known_members_do_not() -> None:
    removals = Removals()
    removals.add(ADA, (HOME,), now=100)
    assert not is_admitted(removals, EVE, HOME, now=101)
    assert is_admitted(removals, EVE, ELSEWHERE, now=101)
    assert is_admitted(removals, BOB, None, now=101)


def test_the_refusal_says_for_how_long() -> None:
    removals = Removals()
    removals.add(ADA, (), now=100)
    with pytest.raises(Refused) as refused:
        removals.require_admitted(ADA, HOME, now=100.5)
    assert refused.value.code is RefusalCode.NOT_ALLOWED
    assert refused.value.reason.endswith("come back in 600 seconds")


def test_what_other_servers_are_told() -> None:
    assert notice([ADA]) == b'{"type":"removed","members":["%s"]}' % ADA.encode()
    removals = Removals()
    removals.add(ADA, (HOME,), now=100)
    assert removals.left_s(ADA, None, now=200) == 500
    assert removals.left_s(EVE, HOME, now=200) == 500
    assert removals.left_s(EVE, None, now=200) <= 0
