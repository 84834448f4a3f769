import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from tests.server.fakes import RecordingListener
from ttt_protocol.codes import CloseCode, Opening, RefusalCode
from ttt_protocol.commands import Seek
from ttt_protocol.state import (
    AiSetting,
    ClockSetting,
    GivenSettings,
    Mark,
    RoomName,
    Rules,
    SeatSettings,
    Token,
)
from ttt_server.core.errors import Refused
from ttt_server.lobby.matchmaker import Matchmaker
from ttt_server.rooms.admission import HeldSeat, Reservations
from ttt_server.storage.base import StorageFailed

FOUR = Rules(columns=4, rows=4, in_a_row=4)
BLITZ = ClockSetting(initial_s=180, increment_s=2)


class Holder(Reservations):
    """Holds any seats, and notes them."""

    def __init__(self) -> None:
        self.held: list[tuple[GivenSettings, tuple[Mark, ...], bool]] = []
        self.is_ready = True
        """Whether rooms settle here at once."""

    def hold(
        self, settings: GivenSettings, marks: tuple[Mark, ...], *, makes_host: bool
    ) -> tuple[RoomName, tuple[HeldSeat, ...]]:
        self.held.append((settings, marks, makes_host))
        name = RoomName(f"quick-{len(self.held)}")
        return name, tuple(HeldSeat(mark, Token(f"{name}.{mark}")) for mark in marks)

    def settle_here(self, name: RoomName, then: Callable[[BaseException | None], None]) -> None:
        self.settling = name, then
        if self.is_ready:
            then(None)


@pytest.fixture
def holder() -> Holder:
    return Holder()


@pytest.fixture
async def matchmaker(holder: Holder) -> Matchmaker:
    return Matchmaker(holder, 0.02, Random(0))


def paired(listener: RecordingListener) -> dict[str, Any]:
    (message,) = listener.of("paired")
    return message


async def test_two_who_seek_the_same_are_paired(matchmaker: Matchmaker, holder: Holder) -> None:
    ada, bob = RecordingListener(), RecordingListener()
    matchmaker.seek(ada, Seek(rules=FOUR, clock=BLITZ))
    assert not ada.messages
    matchmaker.seek(bob, Seek(rules=FOUR, clock=BLITZ))
    assert holder.held == [(GivenSettings(rules=FOUR, clock=BLITZ), (Mark.X, Mark.O), False)]
    assert {paired(ada)["seat"], paired(bob)["seat"]} == {"X", "O"}
    for each in (ada, bob):
        seat = paired(each)["seat"]
        assert paired(each) == {
            "type": "paired",
            "room": "quick-1",
            "token": f"quick-1.{seat}",
            "seat": seat,
            "within_s": 10,
        }
        assert each.dismissed is CloseCode.BYE


async def test_what_is_sought_is_told_while_it_is(matchmaker: Matchmaker) -> None:
    ada, bob, eve = RecordingListener(), RecordingListener(), RecordingListener()
    assert matchmaker.seeking == b"[]"
    matchmaker.seek(ada, Seek(rules=FOUR, clock=BLITZ))
    matchmaker.seek(bob, Seek(opening=Opening.PIE))
    four = {"columns": 4, "rows": 4, "in_a_row": 4, "gravity": False}
    three = {"columns": 3, "rows": 3, "in_a_row": 3, "gravity": False}
    assert json.loads(matchmaker.seeking) == [
        {"rules": four, "clock": {"initial_s": 180, "increment_s": 2}},
        {"rules": three, "opening": "pie"},
    ]
    matchmaker.seek(eve, Seek(rules=FOUR, clock=BLITZ))
    matchmaker.forget(bob)
    assert matchmaker.seeking == b"[]"


async def test_only_so_much_of_what_is_sought_is_told(matchmaker: Matchmaker) -> None:
    for columns in range(3, 20):
        matchmaker.seek(RecordingListener(), Seek(rules=Rules(columns=columns)))
    told = json.loads(matchmaker.seeking)
    assert [each["rules"]["columns"] for each in told] == list(range(3, 19))


async def test_players_are_told_when_the_room_has_settled_here(
    matchmaker: Matchmaker, holder: Holder
) -> None:
    holder.is_ready = False
    ada, bob, eve = RecordingListener(), RecordingListener(), RecordingListener()
    for each in (ada, bob, ada):  # the last seeks again before it is told
        matchmaker.seek(each, Seek())
    assert not ada.messages
    name, then = holder.settling
    then(None)
    for each in (ada, bob):
        assert paired(each)["room"] == name
        assert each.dismissed is CloseCode.BYE
    holder.settling = RoomName("none"), then
    matchmaker.seek(eve, Seek())
    assert holder.settling[0] == "none", "the first is not paired again"


async def test_players_whose_room_cannot_be_had_come_back(
    matchmaker: Matchmaker, holder: Holder
) -> None:
    holder.is_ready = False
    ada = RecordingListener()
    matchmaker.seek(ada, Seek(ai=True))
    holder.settling[1](StorageFailed("the database is away"))
    assert not ada.messages
    assert ada.dismissed is CloseCode.RESTARTING


async def test_the_sides_are_drawn_by_lot(holder: Holder) -> None:
    matchmaker = Matchmaker(holder, 10, Random(0))
    firsts = set()
    for _ in range(20):
        ada, bob = RecordingListener(), RecordingListener()
        matchmaker.seek(ada, Seek())
        matchmaker.seek(bob, Seek())
        firsts.add(paired(ada)["seat"])
    assert firsts == {"X", "O"}


@pytest.mark.parametrize("other", [Seek(), Seek(rules=FOUR), Seek(rules=FOUR, clock=BLITZ)])
async def test_a_wish_is_the_board_and_the_clock(matchmaker: Matchmaker, other: Seek) -> None:
    ada, bob = RecordingListener(), RecordingListener()
    matchmaker.seek(ada, Seek(clock=BLITZ))
    matchmaker.seek(bob, other)
    assert not ada.messages
    assert not bob.messages


async def test_players_who_seek_a_fair_opening_are_paired(
    matchmaker: Matchmaker, holder: Holder
) -> None:
    plain, ada, bob, eve = (RecordingListener() for _ in range(4))
    matchmaker.seek(plain, Seek(rules=FOUR))
    matchmaker.seek(ada, Seek(rules=FOUR, opening=Opening.SWAP2))
    assert not plain.messages
    matchmaker.seek(bob, Seek(rules=FOUR, opening=Opening.SWAP2))
    matchmaker.seek(eve, Seek(opening=Opening.PIE, ai=True))
    assert paired(ada)["room"] == paired(bob)["room"]
    assert [settings.opening for settings, _, _ in holder.held] == [Opening.SWAP2, Opening.PIE]


async def test_an_opening_that_the_board_does_not_have(matchmaker: Matchmaker) -> None:
    ada, bob = RecordingListener(), RecordingListener()
    matchmaker.seek(ada, Seek())
    with pytest.raises(Refused) as refused:
        matchmaker.seek(ada, Seek(opening=Opening.SWAP2))
    assert refused.value.code is RefusalCode.BAD_COMMAND
    assert refused.value.reason == "opening: swap2 needs 4 in a row or more"
    matchmaker.seek(bob, Seek())
    assert paired(ada)["room"] == paired(bob)["room"]  # what was sought before still is


async def test_a_seeker_that_goes_away_is_forgotten(matchmaker: Matchmaker) -> None:
    ada, bob, eve = RecordingListener(), RecordingListener(), RecordingListener()
    matchmaker.seek(ada, Seek())
    matchmaker.forget(ada)
    matchmaker.forget(ada)
    matchmaker.seek(bob, Seek())
    assert not bob.messages
    matchmaker.seek(eve, Seek())
    assert paired(bob)["room"] == paired(eve)["room"]
    assert not ada.messages


async def test_another_wish_takes_the_place_of_the_first(matchmaker: Matchmaker) -> None:
    ada, bob = RecordingListener(), RecordingListener()
    matchmaker.seek(ada, Seek())
    matchmaker.seek(ada, Seek(rules=FOUR))
    matchmaker.seek(ada, Seek(rules=FOUR))
    matchmaker.seek(bob, Seek())
    assert not ada.messages
    assert not bob.messages


async def test_after_a_while_an_ai_offers_itself_once_and_the_search_goes_on(
    matchmaker: Matchmaker,
) -> None:
    ada, bob = RecordingListener(), RecordingListener()
    matchmaker.seek(ada, Seek())
    (offer,) = await ada.hears("ai_offered")
    assert offer == {"type": "ai_offered", "strategy": "guard", "level": None}
    assert not ada.is_dismissed
    matchmaker.seek(bob, Seek())
    assert paired(ada)["room"] == paired(bob)["room"]


async def test_the_ai_is_paired_at_once_with_a_seeker_that_takes_it(
    matchmaker: Matchmaker, holder: Holder
) -> None:
    ada, bob = RecordingListener(), RecordingListener()
    matchmaker.seek(ada, Seek(rules=FOUR))
    matchmaker.seek(ada, Seek(rules=FOUR, ai=True))
    assert paired(ada)["seat"] == "X"
    seats = SeatSettings(O=AiSetting(strategy="lines"))
    assert holder.held == [(GivenSettings(rules=FOUR, clock=None, seats=seats), (Mark.X,), True)]
    matchmaker.seek(bob, Seek(rules=FOUR))
    assert not bob.messages
