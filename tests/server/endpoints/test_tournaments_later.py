import subprocess
import sys

import pytest

from ttt_protocol.tournament.settings import TournamentName
from ttt_server.concurrency.callback_future import CallbackFuture
from ttt_server.endpoints.tournaments_later import TournamentsLater
from ttt_server.storage.base import Entry
from ttt_server.storage.memory import MemoryStore
from ttt_server.tournaments.log_names import has_tournaments, log_name

LATE = "ttt_server.tournaments.registry", "ttt_protocol.tournament.commands", "ttt_protocol.schema"


def never_made() -> TournamentsLater:
    def make() -> None:
        raise AssertionError

    return TournamentsLater(MemoryStore(), make)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_server_is_made_without_the_modules_of_tournaments() -> None:
    program = "import sys, ttt_server.server; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert not set(LATE) & set(done.stdout.decode().split())


async def test_nothing_is_made_where_there_are_no_tournaments() -> None:
    tournaments = never_made()
    await tournaments.resume()
    await tournaments.drained()
    await tournaments.cancel()
    await tournaments.close()


async def test_a_store_has_tournaments_if_one_log_is_of_a_tournament() -> None:
    store = MemoryStore()
    assert not await has_tournaments(store)
    outcome = CallbackFuture()
    name = log_name(TournamentName("cup"))
    store.append((Entry(name, 1, (b"{}",), None, None, outcome.settle),))
    await outcome.future
    assert await has_tournaments(store)
