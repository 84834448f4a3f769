"""What a server finds at the addresses of the others when it starts."""

import json
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.server.cluster.test_member import make_member
from ttt_server.cluster import member
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.postgres import statements

ME, OTHER = uuid4(), uuid4()
HERE = "ws://192.0.2.1:8765"


class Servers:
    """A database with another server at our own address, which somebody may remove."""

    def __init__(self, *, is_gone: bool, who_removes: UUID | None) -> None:
        self.rows = {ME: HERE, OTHER: HERE}
        self.is_gone = is_gone
        self.who_removes = who_removes

    async def fetch(self, statement: str, *_: object) -> list[Any]:
        if statement == statements.SERVERS:
            rows = [
                {"id": id_, "address": address, "is_alive": True}
                for id_, address in self.rows.items()
            ]
            if self.is_gone and self.who_removes != ME:
                self.rows = {ME: HERE}
            return rows
        assert statement == statements.REAP_UNLOCKED
        if not self.is_gone or OTHER not in self.rows:
            return []
        self.rows = {ME: HERE}
        return [{"id": OTHER}]


async def start(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(*_: object) -> bytes:
        return json.dumps({"server": str(ME)}).encode()

    monkeypatch.setattr(member, "ask", ask)
    made = make_member(servers.fetch)
    monkeypatch.setattr(made._lease, "number", ME)
    await made._introduce(HERE, is_given=True)


@pytest.mark.parametrize("who", [ME, uuid4()])
async def test_a_server_takes_the_address_of_one_that_is_gone(
    who: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    await start(Servers(is_gone=True, who_removes=who), monkeypatch)


async def test_two_servers_with_one_address(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CannotOpen, match="which leads to this one"):
        await start(Servers(is_gone=False, who_removes=None), monkeypatch)
