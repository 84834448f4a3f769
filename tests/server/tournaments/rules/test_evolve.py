"""The log of a tournament, read and folded."""

import pytest

from tests.server.tournaments.rules.tournaments import FRIDAY, Evening, names, stronger
from ttt_protocol.state import RoomName, SessionId
from ttt_protocol.tournament.settings import Form, Result
from ttt_server.core.errors import InvalidLog
from ttt_server.tournaments.rules.events import (
    Ended,
    Paired,
    Renamed,
    TournamentEvent,
    decode,
    encode,
)
from ttt_server.tournaments.rules.evolve import evolve, evolve_all
from ttt_server.tournaments.rules.values import Tournament


def test_an_event_is_stored_and_read_back() -> None:
    evening = Evening(Form.SWISS, stand_in={"strategy": "rules"})
    evening.enter("p1")
    renamed = Renamed(seq=4, at=5, player=SessionId("p1"), name="Ada")
    assert decode(encode(renamed)) == renamed


def test_a_line_that_is_no_event_is_refused() -> None:
    with pytest.raises(InvalidLog):
        decode(b'{"type":"paired"}')


@pytest.mark.parametrize(
    "event",
    [
        Renamed(seq=9, at=1, player=SessionId("p1"), name="Ada"),
        Renamed(seq=4, at=1, player=SessionId("nobody"), name="Ada"),
        Ended(seq=4, at=1, game=1, result=Result.X, reason="line"),
        Paired(
            seq=4, at=1, game=7, round=1, X=SessionId("p1"), O=SessionId("p2"), room=RoomName("r")
        ),
    ],
)
def test_an_event_that_cannot_follow_is_refused(event: TournamentEvent) -> None:
    evening = Evening(Form.SWISS, names(2))
    with pytest.raises(InvalidLog):
        evolve(evening.it, event)


def test_a_game_ends_once() -> None:
    evening = Evening(Form.SWISS, names(2))
    evening.start()
    evening.step()
    evening.end(1, Result.X)
    again = Ended(seq=evening.it.seq + 1, at=1, game=1, result=Result.X, reason="line")
    with pytest.raises(InvalidLog):
        evolve(evening.it, again)
    evening.end(1, Result.O)  # and what comes late changes nothing
    assert evening.it.game(1).result is Result.X


@pytest.mark.parametrize("form", Form)
def test_the_whole_log_gives_the_same_tournament(form: Form) -> None:
    evening = Evening(form, names(2), minutes=1)
    log: list[bytes] = []
    take = evening.take

    def recorded(decision: tuple[TournamentEvent, ...]) -> tuple[TournamentEvent, ...]:
        log.extend(map(encode, decision))
        return take(decision)

    before = evening.it
    evening.take = recorded  # type: ignore[method-assign]
    evening.start()
    for _ in range(20):
        evening.now += 10_000
        evening.play_round(stronger)
    assert evening.it.status == "finished"
    assert evolve_all(before, map(decode, log)) == evening.it
    assert before.name == Tournament(FRIDAY).name
