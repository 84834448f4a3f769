import pytest

from tests.server.fakes import Failing
from tests.server.hubs import AI_IN_O, Hubs, join_room, refused, spectate, two_players
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import AskHint, Resign
from ttt_protocol.state import GivenSettings
from ttt_server.rooms.hub import Hub

HINTS = GivenSettings(hints=True)


async def test_a_hint_is_told_to_whoever_asked(hub: Hub) -> None:
    ada, bob = await two_players(hub, 0, 3, 1, 4, settings=HINTS)
    heard, room = len(bob.ear.payloads), ada.member.live.room
    await ada.says(AskHint())
    assert ada.ear.messages[-1] == {
        "type": "hint",
        "best": [2],
        "values": {"2": 1, "5": 0, "6": -1, "7": -1, "8": -1},
        "reason": "win",
    }
    assert len(bob.ear.payloads) == heard
    assert ada.member.live.room is room, "a hint is no event"
    assert ada.ear.payloads[-1] not in ada.ear.states, "it is not to be skipped for a newer one"


async def test_the_keys_are_the_legal_cells(hub: Hub) -> None:
    ada, bob = await two_players(hub, 4, settings=HINTS)
    await bob.says(AskHint())
    (hint,) = bob.ear.of("hint")
    assert hint["best"] == [0, 2, 6, 8]
    assert hint["values"] == {
        "0": 0, "1": -1, "2": 0, "3": -1, "5": -1, "6": 0, "7": -1, "8": 0,
    }  # fmt: skip
    assert not ada.ear.of("hint")


async def test_against_an_ai(hub: Hub) -> None:
    ada = await join_room(hub, settings=AI_IN_O.model_copy(update={"hints": True}))
    await ada.says(AskHint())
    assert ada.ear.of("hint")[0]["values"] == {str(cell): 0 for cell in range(9)}


async def test_who_gets_none(hub: Hub) -> None:
    ada = await join_room(hub, settings=HINTS)
    assert await refused(ada.says(AskHint())) is RefusalCode.GAME_NOT_STARTED
    bob, eve = await join_room(hub, "bob"), await spectate(hub)
    assert await refused(bob.says(AskHint())) is RefusalCode.NOT_YOUR_TURN
    assert await refused(eve.says(AskHint())) is RefusalCode.NOT_A_PLAYER
    await ada.says(Resign(game=1))
    assert await refused(ada.says(AskHint())) is RefusalCode.GAME_OVER


async def test_a_room_without_hints(hub: Hub) -> None:
    ada, _ = await two_players(hub)
    assert await refused(ada.says(AskHint())) is RefusalCode.NOT_ALLOWED


async def test_when_none_can_be_found(hubs: Hubs, caplog: pytest.LogCaptureFixture) -> None:
    runner = Failing()
    runner.judges = False
    ada, _ = await two_players(hubs.open(runner=runner), settings=HINTS)
    assert await refused(ada.says(AskHint())) is RefusalCode.NOT_ALLOWED
    assert len(caplog.records) == 1
    assert not ada.ear.of("hint")
