"""Silent persons go."""

import pytest

from tests.server.people.test_service import NOW, SECRET, Clock, QuickHashing
from ttt_protocol.state import PersonId, RoomName
from ttt_server.core.archive.anonymous import Rewrite
from ttt_server.people import forgetting
from ttt_server.people.forgetting import Forgetting
from ttt_server.people.service import People
from ttt_server.storage.memory import MemoryStore

YEAR_S = 365 * 86_400


async def test_who_was_silent_for_long_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forgetting, "_PAUSE_S", 0)
    clock = Clock()
    people = People(MemoryStore(), SECRET, QuickHashing(), clock)

    async def rewrite(name: RoomName, _: Rewrite) -> None:
        raise AssertionError(name)  # nobody has played

    in_events: list[tuple[str, str]] = []

    async def forget_in_events(person: PersonId, instead: str) -> None:
        in_events.append((person, instead))

    for number in range(150):
        await people.make(f"Ann{number}")
    clock.now = NOW + YEAR_S * 1000
    await people.make("Bob")
    token = people.token(await people.make("Eve"))
    clock.now += 1
    assert await Forgetting(people, rewrite, forget_in_events).sweep(YEAR_S) == 150
    assert len(in_events) == 150
    assert {instead for _, instead in in_events} == {"somebody"}
    assert await people.named("Ann7") is None
    assert (await people.of_token(token)).name == "Eve"
    await people.make("Ann7")
