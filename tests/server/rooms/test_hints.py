import asyncio
from random import Random

import pytest

from tests.server.fakes import Failing
from tests.server.hubs import AI_IN_O, Hubs, TestMember, join_room, refused, spectate, two_players
from ttt_engine import Position
from ttt_engine.evaluation import Evaluation
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import AskHint, Resign
from ttt_protocol.state import GivenSettings, Rules
from ttt_server.ai.runner import StrategyRunner
from ttt_server.core.errors import Refused
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.social import MOST_OF_AN_ADDRESS

HINTS = GivenSettings(hints=True)
BIG = GivenSettings(hints=True, rules=Rules(columns=15, rows=15, in_a_row=5))
BIG_AI = BIG.model_copy(update={"seats": AI_IN_O.seats})


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


async def test_the_next_question_may_come_with_the_answer(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await join_room(hub, settings=AI_IN_O.model_copy(update={"hints": True}))
    send = ada.ear.send

    def send_and_ask(*payloads: bytes, is_state: bool = False) -> None:
        send(*payloads, is_state=is_state)
        if len(ada.ear.of("hint")) == 1:
            ask(ada)

    monkeypatch.setattr(ada.ear, "send", send_and_ask)
    ask(ada)
    await ada.ear.hears("hint", 2)


class Waiting(StrategyRunner):
    """Evaluates nothing."""

    def __init__(self) -> None:
        super().__init__(1, Random(0))
        self.asked: list[str] = []
        """The keys of the thoughts that have begun."""

    async def evaluate(
        self,
        position: Position,  # noqa: ARG002 - its signature
        seconds: float = 0,  # noqa: ARG002 - the same
        *,
        key: str = "",
    ) -> Evaluation:
        self.asked.append(key)
        forever: asyncio.Future[Evaluation] = asyncio.get_running_loop().create_future()
        return await forever


@pytest.fixture
def waiting() -> Waiting:
    return Waiting()


@pytest.fixture
async def patient(hubs: Hubs, waiting: Waiting) -> Hub:
    """A hub whose hints take for ever."""
    return hubs.open(runner=waiting, max_rooms=99, max_rooms_per_address=99)


def ask(member: TestMember) -> list[BaseException | None]:
    """Asks for a hint, and goes on; what comes of it is in the list."""
    outcome: list[BaseException | None] = []
    member.hub.submit(member.member, AskHint(), outcome.append)
    return outcome


async def turns() -> None:
    """Lets tasks begin, and end that were cancelled."""
    for _ in range(9):
        await asyncio.sleep(0)


def codes(outcomes: list[BaseException | None]) -> list[RefusalCode]:
    return [each.code for each in outcomes if isinstance(each, Refused)]


async def test_a_room_has_one_hint(patient: Hub) -> None:
    ada, bob = await two_players(patient, settings=BIG)
    asked = ask(ada)
    await ada.plays(0)
    assert not asked
    ask(bob)
    await turns()
    assert codes(asked) == [RefusalCode.NOT_ALLOWED], "the position has changed"


async def test_the_hints_of_an_address_are_bounded(patient: Hub, waiting: Waiting) -> None:
    rooms = MOST_OF_AN_ADDRESS + 1
    members = [await join_room(patient, room=f"room{at}", settings=BIG_AI) for at in range(rooms)]
    outcomes = [ask(member) for member in members]
    assert codes(outcomes[-1]) == [RefusalCode.RATE_LIMITED]
    assert not any(outcomes[:-1])
    await turns()
    assert waiting.asked == [members[0].member.address] * MOST_OF_AN_ADDRESS
    members[3].exits()
    await turns()
    assert outcomes[3] == [None], "it is gone, and its place is free"
    again = ask(members[-1])
    await turns()
    assert not again
    assert len(waiting.asked) == rooms


async def test_hints_that_are_looked_up_are_not_counted(patient: Hub) -> None:
    for at in range(MOST_OF_AN_ADDRESS + 1):
        settings = AI_IN_O.model_copy(update={"hints": True})
        member = await join_room(patient, room=f"room{at}", settings=settings)
        assert not ask(member)


async def test_a_member_drops_no_hint_of_another(patient: Hub) -> None:
    ada, bob = await two_players(patient, settings=BIG)
    asked = ask(ada)
    bob.exits()
    await turns()
    assert not asked
