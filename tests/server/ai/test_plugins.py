"""Strategies that are not ours: what is asked of them before they sit down."""

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from tests.server.hubs import Hubs, join_room, refused, two_players
from ttt_engine import Rules
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Fill, Leave
from ttt_protocol.state import AiSetting, GivenSettings, Mark, SeatSettings
from ttt_server.ai import plugins as module
from ttt_server.ai.plugins import PluginStrategies
from ttt_server.ai.process_pool import NoAnswer, Worker
from ttt_server.core.errors import Refused
from ttt_server.rooms.hub import Hub

pytestmark = pytest.mark.usefixtures("misbehaving")

BOARD = Rules()
UNKNOWN, CANNOT_PLAY = RefusalCode.UNKNOWN_STRATEGY, RefusalCode.STRATEGY_CANNOT_PLAY


def ai(strategy: str, level: int | None = None) -> AiSetting:
    return AiSetting(strategy=strategy, level=level)


def wish(strategy: str) -> GivenSettings:
    return GivenSettings(seats=SeatSettings(O=ai(strategy)))


@pytest.fixture
async def plugins() -> AsyncIterator[PluginStrategies]:
    plugins = PluginStrategies(1, 256)
    yield plugins
    await plugins.close()


@pytest.mark.parametrize(
    ("asked", "settled"),
    [
        (ai("behaved"), ai("behaved")),
        (ai("behaved", 3), ai("behaved", 3)),
        (ai("levelled"), ai("levelled", 4)),
        (ai("levelled", 7), ai("levelled", 7)),
        (ai("badlevel"), ai("badlevel")),
        (ai("raises"), ai("raises")),  # it has not been asked for a move
    ],
)
async def test_it_sits_down_with_the_level_that_it_takes(
    asked: AiSetting, settled: AiSetting, plugins: PluginStrategies
) -> None:
    assert await plugins.probe(asked, BOARD) == settled


@pytest.mark.parametrize(
    ("strategy", "code"),
    [
        ("missing", UNKNOWN),
        ("unmade", UNKNOWN),
        ("unimported", UNKNOWN),
        ("unsure", CANNOT_PLAY),
        ("undecided", CANNOT_PLAY),
        ("slowlymade", CANNOT_PLAY),
        ("hangs", CANNOT_PLAY),
    ],
)
async def test_one_that_does_not_work_is_refused_and_logged(
    strategy: str,
    code: RefusalCode,
    plugins: PluginStrategies,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    never_ends = strategy in {"undecided", "slowlymade", "hangs"}
    monkeypatch.setattr(module, "PROBE_LIMIT_S", 2 if never_ends else 60)
    with pytest.raises(Refused) as caught:
        await plugins.probe(ai(strategy), BOARD)
    assert caught.value.code is code
    assert caught.value.reason == "this strategy does not work on this server"
    (record,) = [record for record in caplog.records if record.name == module.__name__]
    assert record.levelno == logging.WARNING
    assert record.exc_info is None


async def test_one_that_does_not_want_to(
    plugins: PluginStrategies, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(Refused) as caught:
        await plugins.probe(ai("unwilling"), BOARD)
    assert caught.value.code is CANNOT_PLAY
    assert module.__name__ not in {record.name for record in caplog.records}


async def test_it_is_asked_once(
    plugins: PluginStrategies, monkeypatch: pytest.MonkeyPatch, workers: list[Worker]
) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 2)
    for _ in range(2):
        await plugins.probe(ai("levelled"), BOARD)
    await plugins.close()
    assert await plugins.probe(ai("levelled"), BOARD) == ai("levelled", 4)
    assert len(workers) == 1
    for columns in (4, 5, 6):  # as many as are remembered, and more
        await plugins.probe(ai("levelled"), Rules(columns=columns))
    assert len(workers) == 2
    assert len(plugins._passed) == 2


async def test_ours_are_not_asked_here(plugins: PluginStrategies, workers: list[Worker]) -> None:
    for name in ("minimax", "unheard_of"):
        assert await plugins.probe(ai(name), BOARD) == ai(name)
    given = GivenSettings(seats=SeatSettings(O=ai("minimax")))
    assert await plugins.probe_all(given) is given
    assert not workers


async def test_only_what_was_given_is_settled(plugins: PluginStrategies) -> None:
    given = GivenSettings(seats=SeatSettings(X=ai("levelled"), O=ai("minimax")), hints=True)
    settled = await plugins.probe_all(given)
    assert settled.seats == SeatSettings(X=ai("levelled", 4), O=ai("minimax"))
    assert settled.model_fields_set == {"seats", "hints"}


async def test_it_describes_itself_once(plugins: PluginStrategies, workers: list[Worker]) -> None:
    for _ in range(2):
        described = await plugins.describe("behaved")
        assert described is not None
        assert described.about == "Takes the first cell."
        assert not described.levels
        assert await plugins.describe("missing") is None
    assert len(workers) == 2


class Asked:
    """Answers in place of the plug-ins, once it may."""

    def __init__(self, *failures: NoAnswer) -> None:
        self.failures = list(failures)
        self.names: list[str] = []
        self.may_answer = asyncio.Event()

    async def __call__(self, name: str, _: object) -> dict[str, object]:
        self.names.append(name)
        await self.may_answer.wait()
        if self.failures:
            raise self.failures.pop(0)
        return {"about": name}


async def test_a_few_are_asked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", 2)
    plugins, asked = PluginStrategies(1, 256), Asked()
    monkeypatch.setattr(plugins, "_ask", asked)
    names = ["one", "two", "three", "three"]
    describing = asyncio.gather(*map(plugins.describe, names))
    for _ in range(9):
        await asyncio.sleep(0)
    assert asked.names == ["one", "two"]
    asked.may_answer.set()
    assert [each and each.about for each in await describing] == names
    assert asked.names == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("failure", "times"),
    [
        (NoAnswer("took too long"), 2),
        (NoAnswer("ended its process", status=-9), 2),
        (NoAnswer("failed: BrokenStrategy", "BrokenStrategy"), 1),
    ],
)
async def test_one_that_did_not_answer_is_asked_again_later(
    plugins: PluginStrategies,
    monkeypatch: pytest.MonkeyPatch,
    failure: NoAnswer,
    times: int,
) -> None:
    now, asked = 1000.0, Asked(failure)
    asked.may_answer.set()
    monkeypatch.setattr(plugins, "_ask", asked)
    monkeypatch.setattr(module, "monotonic", lambda: now)
    assert await plugins.describe("one") is None
    now += module.ASK_AGAIN_S - 1
    assert await plugins.describe("one") is None
    assert len(asked.names) == 1
    now += 1
    for _ in range(3):
        assert await plugins.describe("one") is None, "the list does not wait for it"
    for _ in range(9):
        await asyncio.sleep(0)
    assert (await plugins.describe("one") is not None) == (times == 2)
    assert len(asked.names) == times


@pytest.mark.parametrize("strategy", ["unsure", "unmade", "unwilling"])
async def test_who_joins_is_refused_and_the_room_is_not_made(strategy: str, hub: Hub) -> None:
    code = UNKNOWN if strategy == "unmade" else CANNOT_PLAY
    assert await refused(join_room(hub, settings=wish(strategy))) is code
    ada = await join_room(hub)
    assert ada.member.live.room.seats.O is None


async def test_who_joins_plays_against_one_that_works(hub: Hub) -> None:
    ada = await join_room(hub, settings=wish("levelled"))
    assert ada.ear.of("welcome")[0]["room"]["seats"]["O"]["level"] == 4
    await ada.plays(4)
    await ada.ear.learns("played", 2)
    assert ada.ear.events[-1]["reason"] == "first"


async def test_a_seat_is_filled_with_one_that_works(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    await bob.says(Leave())
    fill = Fill(seat=Mark.O, strategy="unsure")
    assert await refused(ada.says(fill)) is CANNOT_PLAY
    assert await refused(bob.says(fill)) is RefusalCode.NOT_A_PLAYER
    await ada.says(fill.model_copy(update={"strategy": "levelled"}))
    await ada.ear.learns("seated")
    assert ada.ear.of("update")[-1]["room"]["seats"]["O"]["level"] == 4


@pytest.mark.parametrize("strategy", ["raises", "hungry", "truth"])
async def test_players_see_why_it_forfeits(strategy: str, hubs: Hubs) -> None:
    hub = hubs.open()
    ada = await join_room(hub, settings=wish(strategy))
    await ada.plays(4)
    await ada.ear.learns("ended")
    ended = ada.ear.events[-1]
    assert ended["outcome"] == {"winner": "X", "reason": "forfeit", "line": None}
    assert ended["detail"] in {
        "raises failed: RuntimeError",
        "hungry failed: MemoryError",
        "truth chose something that is not a cell",
    }
