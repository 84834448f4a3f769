"""How the processes of one server reach each other."""

import asyncio
from collections.abc import Collection
from pathlib import Path

import pytest

from ttt_protocol.state import RoomName
from ttt_server.cluster.dial import PeerUnreachable, ask, dial
from ttt_server.cluster.siblings import ALONE, Siblings

PUBLIC = "ws://10.0.0.2:8765"


class Greeting(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(b"HTTP/1.1 200 OK\r\n\r\nhello")
        transport.close()


def nothing(*_: object) -> None:
    pass


def processes(folder: Path, number: int) -> Siblings:
    return Siblings(folder, "ab12", number, 3, tell=nothing, report=lambda: b"figures")


async def test_a_server_of_one_process_has_no_siblings() -> None:
    assert ALONE.address(PUBLIC) == ALONE.reach(PUBLIC) == PUBLIC
    assert not ALONE.have(PUBLIC)
    assert not ALONE.doors
    assert not ALONE.report()
    await ALONE.listen(Greeting)
    ALONE.tell((), None)
    ALONE.close()


def test_an_address_names_the_process_and_others_pass_that_over(tmp_path: Path) -> None:
    one, two = processes(tmp_path, 1), processes(tmp_path, 2)
    assert two.address(PUBLIC) == f"{PUBLIC}#ab12.2"
    assert one.have(two.address(PUBLIC))
    assert one.reach(two.address(PUBLIC)) == f"unix:{tmp_path}/2"
    for other in (PUBLIC, f"{PUBLIC}#ab1.2", "ws://ab12.2:1", f"{PUBLIC}#"):
        assert not one.have(other)
        assert one.reach(other) == other
    assert one.doors == [f"unix:{tmp_path}/2", f"unix:{tmp_path}/3"]
    assert one.report() == b"figures"


def test_the_parent_is_told_of_rooms(tmp_path: Path) -> None:
    told: list[tuple[Collection[RoomName], Collection[RoomName] | None]] = []

    def note(gained: Collection[RoomName], lost: Collection[RoomName] | None) -> None:
        told.append((gained, lost))

    its = Siblings(tmp_path, "ab12", 1, 2, tell=note, report=bytes)
    its.tell([RoomName("den")], None)
    assert told == [(["den"], None)]


async def test_the_door_opens_and_the_last_one_removes_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "doors"
    folder.mkdir()
    one, two = processes(folder, 1), processes(folder, 2)
    await one.listen(Greeting)
    await two.listen(Greeting)
    assert await ask(one.reach(f"{PUBLIC}#ab12.2"), "/", ()) == b"hello"
    two.close()
    with pytest.raises(PeerUnreachable):
        await dial(one.reach(f"{PUBLIC}#ab12.2"), Greeting)
    assert folder.exists()
    one.close()
    assert not folder.exists()
    one.close()
