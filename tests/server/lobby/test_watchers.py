import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.server.examples import NAME
from tests.server.fakes import RecordingListener, nobody_seeks
from tests.server.hubs import join_room, spectate
from ttt_protocol.codec import decode_message
from ttt_protocol.messages import Rooms, RoomsChanged
from ttt_protocol.state import GivenSettings, RoomName
from ttt_server.lobby import room_list, watchers
from ttt_server.lobby.room_list import Page, PageWish, PublicRooms
from ttt_server.lobby.watchers import FIRST, MOST_PAGES, Lobby
from ttt_server.rooms.hub import Hub
from ttt_server.storage.base import StorageFailed


@pytest.fixture
async def lobby(hub: Hub) -> AsyncIterator[Lobby]:
    rooms = PublicRooms(hub.registry.summary, hub.observers.subscribe)
    lobby = Lobby(rooms, nobody_seeks)
    yield lobby
    await lobby.close()
    rooms.close()


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes are told without a pause."""
    monkeypatch.setattr(room_list, "INTERVAL_S", 0)
    monkeypatch.setattr(watchers, "INTERVAL_S", 0)


class Pages:
    """A list of a hundred thousand rooms of which a test changes some."""

    def __init__(self) -> None:
        self.names = [RoomName(f"r{number:06}") for number in range(100_000)]
        self.changed: dict[RoomName, int] = {}
        self.fails = False
        self.reads = 0
        self.tell: Callable[[], None]

    def subscribe(self, call: Callable[[], None]) -> None:
        self.tell = call

    async def page(self, wish: PageWish) -> Page:
        self.reads += 1
        await asyncio.sleep(0)
        if self.fails:
            raise StorageFailed("no answer")
        names = [name for name in self.names if name > (wish.after or "")][: wish.limit + 1]
        shown = ((name, b'"%b:%d"' % (name.encode(), self.changed.get(name, 0))) for name in names)
        return Page.cut(wish, shown, len(self.names))


async def join(hub: Hub, name: str = NAME, **settings: Any) -> None:
    await join_room(hub, room=name, settings=GivenSettings(**settings))


def names(told: dict[str, Any]) -> list[str]:
    return [room["name"] for room in told["rooms"]]


async def rounds(count: int = 20) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_the_list_comes_at_once(hub: Hub, lobby: Lobby) -> None:
    await join(hub)
    for wants_changes in (False, True):
        ear = RecordingListener()
        lobby.enter(ear, wants_changes=wants_changes)
        await rounds()
        (told,) = ear.messages
        assert names(told) == [NAME]
        assert told["rooms"][0]["seats"] == {"X": "ada", "O": None}
        assert told["total"] == 1
        assert isinstance(decode_message(ear.payloads[0]), Rooms)
        is_worthless_later = ear.states == ear.payloads
        assert is_worthless_later is not wants_changes


async def test_a_room_that_is_not_public_is_not_listed(hub: Hub, lobby: Lobby) -> None:
    await join(hub, public=False)
    ear = RecordingListener()
    lobby.enter(ear)
    assert names((await ear.hears("rooms", 1))[0]) == []


@pytest.mark.usefixtures("soon")
async def test_the_list_is_told_again_after_changes(hub: Hub, lobby: Lobby) -> None:
    ears = [RecordingListener(), RecordingListener()]
    for ear in ears:
        lobby.enter(ear)
    await rounds()
    await join(hub)
    for ear in ears:
        assert names((await ear.hears("rooms", 2))[1]) == [NAME]
    assert ears[0].states[1] is ears[1].states[1]


@pytest.mark.usefixtures("soon")
async def test_changes_alone_are_told_where_they_are_asked_for(hub: Hub, lobby: Lobby) -> None:
    await join(hub, "first")
    ear = RecordingListener()
    lobby.enter(ear, wants_changes=True)
    await ear.hears("rooms", 1)
    await join(hub, "second")
    await spectate(hub, room="second")
    await ear.until(lambda ear: bool(ear.messages[-1]["rooms"][-1]["spectators"]))
    (room,) = ear.messages[-1]["rooms"]
    assert (room["name"], ear.messages[-1]["total"]) == ("second", 2)
    hub.eviction.give_up()
    await ear.until(lambda ear: ear.messages[-1]["total"] == 0)
    gone = [name for told in ear.of("rooms_changed") for name in told["gone"]]
    assert sorted(gone) == ["first", "second"]
    assert len(ear.of("rooms")) == 1
    for payload in ear.payloads[1:]:
        assert isinstance(decode_message(payload), RoomsChanged)


async def test_a_change_is_told_at_once_and_the_next_ones_a_second_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watchers, "INTERVAL_S", 0.2)
    pages, ear = Pages(), RecordingListener()
    lobby = Lobby(pages, nobody_seeks)
    lobby.enter(ear, wants_changes=True)
    await ear.hears("rooms", 1)
    began = asyncio.get_running_loop().time()
    for number in (1, 2, 3):
        pages.changed[RoomName("r000000")] = number
        pages.tell()
        await rounds()
    assert len(ear.messages) == 2, "the first change"
    await ear.hears("rooms_changed", 2)
    assert ear.messages[2]["rooms"] == ["r000000:3"]
    assert asyncio.get_running_loop().time() - began >= 0.2
    await lobby.close()


@pytest.mark.usefixtures("soon")
async def test_the_same_list_is_not_told_again(hub: Hub, lobby: Lobby) -> None:
    ear = RecordingListener()
    lobby.enter(ear)
    await rounds()
    await join(hub, public=False)
    await rounds()
    assert len(ear.messages) == 1


async def test_a_newcomer_gets_one_page_of_many_rooms_and_their_number() -> None:
    pages, first, next_ = Pages(), RecordingListener(), RecordingListener()
    lobby = Lobby(pages, nobody_seeks)
    lobby.enter(first)
    lobby.enter(next_, PageWish(3, RoomName("r000199")).to_watch)
    await rounds()
    (told,) = first.messages
    assert (len(told["rooms"]), told["total"]) == (200, 100_000)
    (told,) = next_.messages
    assert told["rooms"] == ["r000200:0", "r000201:0", "r000202:0"]
    await lobby.close()


@pytest.mark.usefixtures("soon")
async def test_a_room_that_leaves_the_page_is_told_as_gone() -> None:
    pages, ear = Pages(), RecordingListener()
    lobby = Lobby(pages, nobody_seeks)
    lobby.enter(ear, wants_changes=True)
    await ear.hears("rooms", 1)
    pages.names.insert(0, RoomName("a"))
    pages.tell()
    (told,) = await ear.hears("rooms_changed", 1)
    assert told == {
        "type": "rooms_changed",
        "rooms": ["a:0"],
        "gone": ["r000199"],
        "total": 100_001,
    }
    pages.names.pop()
    pages.tell()
    told = (await ear.hears("rooms_changed", 2))[1]
    assert (told["rooms"], told["gone"], told["total"]) == ([], [], 100_000)
    await lobby.close()


@pytest.mark.usefixtures("soon")
async def test_a_newcomer_waits_until_the_list_can_be_read() -> None:
    pages, ear = Pages(), RecordingListener()
    pages.fails = True
    lobby = Lobby(pages, nobody_seeks)
    lobby.enter(ear)
    await rounds()
    assert not ear.messages
    pages.fails = False
    await ear.hears("rooms", 1)
    await lobby.close()


@pytest.mark.usefixtures("soon")
async def test_what_is_sought_is_told_with_the_rooms_and_when_it_changes() -> None:
    sought = [b"[]"]

    async def seeking() -> bytes:
        return sought[-1]

    pages, ear, whole = Pages(), RecordingListener(), RecordingListener()
    lobby = Lobby(pages, seeking)
    lobby.enter(ear, wants_changes=True)
    lobby.enter(whole)
    assert "seeking" not in (await ear.hears("rooms", 1))[0]
    pages.changed[RoomName("r000000")] = 1
    pages.tell()
    assert "seeking" not in (await ear.hears("rooms_changed", 1))[0]
    sought.append(b'[{"rules":{"columns":4,"rows":4,"in_a_row":4,"gravity":false}}]')
    (_, told) = await ear.hears("rooms_changed", 2)
    assert (told["rooms"], told["gone"]) == ([], [])
    assert [each["rules"]["columns"] for each in told["seeking"]] == [4]
    assert isinstance(decode_message(ear.payloads[-1]), RoomsChanged)
    assert (await whole.hears("rooms", 3))[2]["seeking"] == told["seeking"]
    sought.append(b"[]")
    assert (await ear.hears("rooms_changed", 3))[2]["seeking"] == []
    assert "seeking" not in (await whole.hears("rooms", 4))[3]
    await lobby.close()


async def test_pages_that_are_watched_are_bounded() -> None:
    lobby = Lobby(Pages(), nobody_seeks)
    wishes = [PageWish(limit).to_watch for limit in range(1, MOST_PAGES + 1)]
    ears = [RecordingListener() for _ in wishes]
    for ear, wish in zip(ears, wishes, strict=True):
        assert lobby.has_place(wish)
        lobby.enter(ear, wish)
    assert not lobby.has_place(PageWish(150).to_watch)
    assert lobby.has_place(wishes[0])
    assert lobby.has_place(FIRST)
    lobby.exit(ears[-1])
    assert lobby.has_place(PageWish(150).to_watch)
    await lobby.close()


async def test_long_lists_are_sent_in_rounds_of_the_loop(
    hub: Hub, lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchers, "BYTES_A_ROUND", 1)
    await join(hub)
    ears = [RecordingListener() for _ in range(4)]
    for ear in ears:
        lobby.enter(ear)
    counts = []
    for _ in range(20):
        await asyncio.sleep(0)
        if sum(len(ear.messages) for ear in ears) == 2:
            lobby.exit(ears[2])
        counts.append(sum(len(ear.messages) for ear in ears))
    assert {1, 2, 3} <= set(counts)
    assert [len(ear.messages) for ear in ears] == [1, 1, 0, 1]


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("wants_changes", [True, False])
async def test_a_listener_that_does_not_read_gets_the_list_when_it_does(
    hub: Hub, lobby: Lobby, wants_changes: bool
) -> None:
    ear = RecordingListener()
    lobby.enter(ear, wants_changes=wants_changes)
    await rounds()
    ear.is_behind = True
    for name in ("first", "second"):
        await join(hub, name)
        await rounds()
    assert len(ear.messages) == 1
    ear.is_behind = False
    await ear.hears("rooms", 2)
    assert names(ear.messages[1]) == ["first", "second"]
    assert len(ear.of("rooms")) == len(ear.messages) == 2
    await join(hub, "third")
    await rounds()
    assert ear.messages[2]["type"] == ("rooms_changed" if wants_changes else "rooms")


async def test_a_listener_that_has_gone_is_told_nothing() -> None:
    pages, ears = Pages(), [RecordingListener(), RecordingListener()]
    lobby = Lobby(pages, nobody_seeks)
    for ear in ears:
        lobby.enter(ear)
    await asyncio.sleep(0)
    assert pages.reads == 1, "the page is on its way"
    lobby.exit(ears[0])
    lobby.exit(ears[0])
    await rounds()
    assert [len(ear.messages) for ear in ears] == [0, 1]
    await lobby.close()


async def test_nothing_is_read_for_no_listeners() -> None:
    pages, ear = Pages(), RecordingListener()
    lobby = Lobby(pages, nobody_seeks)
    for entries in (1, 2):
        lobby.enter(ear)
        lobby.exit(ear)
        lobby.enter(ear)  # before the task of the first visit has ended
        await rounds()
        assert len(ear.messages) == entries
        lobby.exit(ear)
        await rounds()
        reads = pages.reads
        pages.tell()
        await rounds()
        assert pages.reads == reads
    await lobby.close()
