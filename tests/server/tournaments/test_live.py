"""A tournament in memory: the rounds of a Swiss, which are found elsewhere."""

import asyncio

from tests.server.fakes import RecordingListener
from tests.server.hubs import Hubs
from tests.server.tournaments.test_registry import FRIDAY, open_registry
from ttt_protocol.state import SessionId
from ttt_protocol.tournament.commands import Create, Excuse, OrganiserCommand, Start
from ttt_protocol.tournament.settings import Form, TournamentSettings
from ttt_server.ai.process_pool import NoAnswer
from ttt_server.storage.memory import MemoryStore
from ttt_server.tournaments.live import EventMember, LiveTournament
from ttt_server.tournaments.pairer import Pairer
from ttt_server.tournaments.registry import TournamentRegistry
from ttt_server.tournaments.rules.decide import command_of_organiser, enter, rename
from ttt_server.tournaments.rules.forms import Field, Over, Pairing
from ttt_server.tournaments.rules.matching import find_round


class SlowPairer(Pairer):
    """Finds rounds here, each when it is allowed to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.may_answer = asyncio.Event()
        self.failures = 0

    async def find_round(self, field: Field) -> Pairing | Over:
        self.asked.set()
        await self.may_answer.wait()
        if self.failures:
            self.failures -= 1
            raise NoAnswer("ended its process")
        return find_round(field)


async def begun(registry: TournamentRegistry, pairer: Pairer, players: int) -> LiveTournament:
    """A Swiss that has begun and whose first round is not paired yet."""
    wished = Create(settings=TournamentSettings(form=Form.SWISS, rounds=3))
    live, _ = await registry.create(FRIDAY, wished)
    live.stop()
    live._pairer = pairer
    for number in range(players):
        session = SessionId(f"p{number}")
        await live.change(lambda it, now, who=session: enter(it, who, who, now))  # type: ignore[misc]
    await tell(live, Start())
    return live


async def tell(live: LiveTournament, command: OrganiserCommand) -> None:
    new_id = lambda: SessionId("")  # noqa: E731
    await live.change(
        lambda it, now: command_of_organiser(it, command, now, live.name_room, new_id)
    )


async def test_a_round_is_found_again_when_a_player_withdraws_meanwhile(hubs: Hubs) -> None:
    store = MemoryStore()
    registry = open_registry(store, hubs.open(store))
    pairer = SlowPairer()
    live = await begun(registry, pairer, 5)
    advancing = asyncio.ensure_future(live._advance())
    await pairer.asked.wait()
    await tell(live, Excuse(player=SessionId("p0")))
    pairer.may_answer.set()
    await advancing
    assert live.it.round == 1
    assert len(live.it.open_games) == 2
    assert "p0" not in {player for game in live.it.games for player in (game.X, game.O)}
    await registry.close()


async def test_a_round_stays_good_when_a_player_takes_another_name_meanwhile(hubs: Hubs) -> None:
    store = MemoryStore()
    registry = open_registry(store, hubs.open(store))
    pairer = SlowPairer()
    live = await begun(registry, pairer, 4)
    advancing = asyncio.ensure_future(live._advance())
    await pairer.asked.wait()
    await live.change(lambda it, now: rename(it, it[SessionId("p0")], "Ada", now))
    pairer.asked.clear()
    pairer.may_answer.set()
    await advancing
    assert len(live.it.open_games) == 2
    assert not pairer.asked.is_set()
    await registry.close()


async def test_a_tournament_waits_where_no_process_finds_its_round(hubs: Hubs) -> None:
    store = MemoryStore()
    registry = open_registry(store, hubs.open(store))
    pairer = SlowPairer()
    pairer.failures = 1
    pairer.may_answer.set()
    live = await begun(registry, pairer, 4)
    watcher = RecordingListener()
    live.enter(EventMember(watcher, "watcher"))
    live.start(registry._tasks)
    await watcher.until(lambda heard: any(each["event"]["games"] for each in heard.of("event")))
    assert pairer.failures == 0
    await registry.close()


async def test_a_player_on_the_way_to_another_page_is_here(hubs: Hubs) -> None:
    store = MemoryStore()
    registry = open_registry(store, hubs.open(store))
    live = await begun(registry, SlowPairer(), 2)
    now, ada = 1_000_000, EventMember(RecordingListener(), "player", SessionId("p0"))
    live._now = lambda: now
    live.enter(ada)
    live.exit(ada)
    assert not live.present
    assert live.here == {SessionId("p0")}
    now += 5_000
    assert not live.here
    await registry.close()
