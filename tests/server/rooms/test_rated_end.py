"""The end of a rated game, which waits for the number of the game within a day."""

from collections.abc import Iterator, Sequence
from itertools import chain

import pytest

from tests.server.examples import NAME
from tests.server.hubs import Hubs, TestMember, join_room, refused
from ttt_protocol.codec import EncodedEvents
from ttt_protocol.commands import Resign
from ttt_protocol.state import ClockSetting, GivenSettings, PersonId
from ttt_server.core.archive.saved_room import restore
from ttt_server.core.room import Room, game_of
from ttt_server.core.seating import KeptName
from ttt_server.rooms import change
from ttt_server.storage.base import Append, OutcomeUnknown, Snapshot, StorageFailed

RATED = GivenSettings(rated=True, clock=ClockSetting(initial_s=60))


class Counter:
    """Tells the number that a test wants, after so many failures."""

    def __init__(self, number: int, *failures: Exception) -> None:
        self.number_of = number
        self.failures = list(failures)
        self.asked: list[int] = []

    async def number(self, room: Room, at: int) -> int:
        self.asked.append(at)
        if self.failures:
            raise self.failures.pop()
        assert game_of(room).outcome is None
        return self.number_of


async def pair(hubs: Hubs, counter: Counter) -> tuple[TestMember, TestMember]:
    hub = hubs.open(rated=counter)
    ann, bob = (KeptName(PersonId(name), name) for name in ("Ann", "Bob"))
    return (
        await join_room(hub, "x", person=ann, settings=RATED),
        await join_room(hub, "o", person=bob),
    )


async def win(x: TestMember, o: TestMember) -> None:
    for player, cell in ((x, 0), (o, 3), (x, 1), (o, 4), (x, 2)):
        await player.plays(cell)


@pytest.mark.parametrize(("number", "told"), [(3, None), (4, "same_opponent")])
async def test_the_fourth_game_of_a_day_does_not_count(
    hubs: Hubs, number: int, told: str | None
) -> None:
    counter = Counter(number)
    players = await pair(hubs, counter)
    await win(*players)
    (ended,) = (
        event
        for update in players[1].ear.of("update")
        for event in update["events"]
        if event["type"] == "ended"
    )
    assert ended.get("unrated") == told
    assert counter.asked == [ended["at"]], "moves before the end ask for nothing"
    assert game_of(players[0].member.live.room).unrated == told


async def test_a_snapshot_with_the_end_has_it_too(
    hubs: Hubs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change, "SNAPSHOT_EVENTS", 1)
    saved: list[Snapshot] = []
    x, o = await pair(hubs, Counter(4))
    append = x.hub.log.store.append

    def note(appends: Sequence[Append]) -> None:
        saved.extend(each.snapshot for each in appends if each.snapshot is not None)
        append(appends)

    monkeypatch.setattr(x.hub.log.store, "append", note)
    await win(x, o)
    (last,) = saved
    assert game_of(restore(NAME, last.saved)).unrated == "same_opponent"


async def test_a_bug_after_the_count_is_told_and_the_room_goes_on(
    hubs: Hubs, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, o = await pair(hubs, Counter(1))
    bugs = [ZeroDivisionError("a bug")]

    def fail(*parts: EncodedEvents) -> Iterator[bytes]:
        if len(parts) == 1 and bugs:
            raise bugs.pop()
        return chain(*parts)

    monkeypatch.setattr(change, "chain", fail)
    with pytest.raises(ZeroDivisionError):
        await win(x, o)
    await x.plays(2)
    assert game_of(x.member.live.room).outcome is not None


async def test_the_first_reason_stays(hubs: Hubs) -> None:
    x, _ = await pair(hubs, Counter(9))
    await x.says(Resign(game=1))
    assert game_of(x.member.live.room).unrated == "early_resignation"


@pytest.mark.parametrize("error", [StorageFailed("no"), OutcomeUnknown("who knows")])
async def test_if_it_cannot_be_counted_nothing_has_changed(hubs: Hubs, error: Exception) -> None:
    counter = Counter(1, error)
    x, o = await pair(hubs, counter)
    with pytest.raises(StorageFailed) as caught:
        await win(x, o)
    assert not isinstance(caught.value, OutcomeUnknown)
    assert game_of(x.member.live.room).ply == 4
    await x.plays(2)
    assert game_of(x.member.live.room).outcome is not None


async def test_without_persons_there_is_no_rated_room(hubs: Hubs) -> None:
    assert await refused(join_room(hubs.open(), settings=RATED)) == "bad_command"
