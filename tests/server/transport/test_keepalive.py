import pytest

from tests.server.concurrency.test_deadlines import Loop
from ttt_server.concurrency import deadlines
from ttt_server.transport.keepalive import Keepalive


class Patient:
    """Knows when it was asked, and when it was given up."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self.is_open = True
        self.asked: list[float] = []
        self.given_up: list[float] = []

    def ping(self) -> bool:
        if self.is_open:
            self.asked.append(self._loop.now - 100)
        return self.is_open

    def presume_dead(self) -> None:
        self.given_up.append(self._loop.now - 100)


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> Loop:
    loop = Loop()
    monkeypatch.setattr(deadlines, "get_running_loop", lambda: loop)
    return loop


@pytest.fixture
def keepalive(loop: Loop) -> Keepalive[Patient]:
    assert loop.now == 100
    return Keepalive(15, 10, ping=Patient.ping, presume_dead=Patient.presume_dead)


def test_a_connection_that_does_not_answer_is_presumed_dead(
    keepalive: Keepalive[Patient], loop: Loop
) -> None:
    dead = Patient(loop)
    keepalive.begin(dead)
    loop.pass_(1000)
    assert (dead.asked, dead.given_up) == ([15], [25])


def test_a_connection_that_answers_is_pinged_again(
    keepalive: Keepalive[Patient], loop: Loop
) -> None:
    alive = Patient(loop)
    keepalive.begin(alive)
    loop.pass_(24)
    keepalive.answered(alive)
    loop.pass_(14)
    assert alive.asked == [15]
    loop.pass_(12)
    assert (alive.asked, alive.given_up) == ([15, 39], [49])


def test_an_unasked_pong_changes_nothing(keepalive: Keepalive[Patient], loop: Loop) -> None:
    eager = Patient(loop)
    keepalive.begin(eager)
    loop.pass_(14)
    keepalive.answered(eager)
    loop.pass_(1)
    assert eager.asked == [15]


@pytest.mark.parametrize("when", [5, 20])
def test_a_lost_connection_is_not_pinged(
    keepalive: Keepalive[Patient], loop: Loop, when: int
) -> None:
    gone = Patient(loop)
    keepalive.begin(gone)
    loop.pass_(when)
    keepalive.end(gone)
    loop.pass_(1000)
    assert gone.given_up == []
    assert len(gone.asked) == (when > 15)
    assert loop.armed == []


def test_a_closing_connection_is_not_pinged(keepalive: Keepalive[Patient], loop: Loop) -> None:
    going = Patient(loop)
    going.is_open = False
    keepalive.begin(going)
    loop.pass_(1000)
    assert (going.asked, going.given_up) == ([], [])
