import pytest

from tests.server.examples import (
    ADA,
    BOB,
    DRAW,
    DRAWN,
    FOUR_IN_A_ROW,
    NOW,
    O,
    X,
    against_ai,
    decided,
    duel,
    founded,
    log_of_two_games,
    offered,
)
from ttt_engine import Mark
from ttt_engine.learning.memory import Lesson
from ttt_protocol.codes import Reason
from ttt_protocol.commands import Accept, Leave, Play, Resign
from ttt_protocol.state import Outcome, Rules, Settings
from ttt_server.core.events import Created, Ended, Started
from ttt_server.core.lessons import lesson_of, lessons_of
from ttt_server.core.play import Decision, end, play
from ttt_server.core.room import Room, game_of
from ttt_server.core.transition import transition


def learned(room: Room, decision: Decision) -> Lesson | None:
    """What is remembered if this happens."""
    return transition(room, decision).lesson


def last_move(room: Room, cell: int) -> Lesson | None:
    game = game_of(room)
    command = Play(game=game.number, ply=game.ply, cell=cell)
    return learned(room, play(room, game.turn, command, NOW))


def test_a_game_that_was_won() -> None:
    assert last_move(duel(0, 3, 1, 4), 2) == Lesson((0, 1, 3, 4, 6), Mark.X)
    assert last_move(against_ai(4, 0, 1, 3, 2), 6) == Lesson.of((4, 0, 1, 3, 2, 6), Mark.O)


def test_a_game_that_was_drawn() -> None:
    assert last_move(duel(*DRAWN[:-1]), DRAWN[-1]) == Lesson.of(DRAWN, None)
    agreed = decided(offered(duel(4), ADA, DRAW), BOB, Accept(kind=DRAW))
    assert learned(offered(duel(4), ADA, DRAW), agreed) == Lesson((4,), None)


@pytest.mark.parametrize("cells", [(), (4,), (8, 4)])
def test_a_game_that_was_given_up(cells: tuple[int, ...]) -> None:
    room = duel(*cells)
    for command in (Resign(game=1), Leave()):
        assert learned(room, decided(room, BOB, command)) == Lesson.of(cells, Mark.X)


@pytest.mark.parametrize("reason", [Reason.TIMEOUT, Reason.FORFEIT, Reason.ABANDONMENT])
def test_a_game_that_ended_otherwise(reason: Reason) -> None:
    room = duel(8)
    assert learned(room, end(room, reason, O, NOW)) == Lesson((0,), Mark.O)


def test_a_game_that_both_have_left_is_no_draw() -> None:
    room = duel(4)
    assert learned(room, end(room, Reason.ABANDONMENT, None, NOW)) is None


def test_a_move_ends_nothing() -> None:
    assert last_move(duel(), 4) is None


@pytest.mark.parametrize(
    "rules", [FOUR_IN_A_ROW, Rules(gravity=True), Rules(columns=4), Rules(rows=4, in_a_row=4)]
)
def test_a_game_on_another_board(rules: Rules) -> None:
    room = duel(rules=rules)
    assert learned(room, end(room, Reason.RESIGNATION, X, NOW)) is None


def test_a_log_with_a_takeback_and_a_rematch_that_goes_on() -> None:
    log = log_of_two_games()
    assert list(lessons_of(log)) == [Lesson.of((0, 3, 1, 8, 2), Mark.X)]
    assert list(lessons_of(())) == []


def test_every_game_of_a_series() -> None:
    log = [*log_of_two_games()]
    log.append(Ended(seq=0, at=NOW, game=2, outcome=Outcome(winner=O, reason=Reason.TIMEOUT)))
    log.append(Started(seq=0, at=NOW, game=3))
    log.append(Ended(seq=0, at=NOW, game=3, outcome=Outcome(winner=X, reason=Reason.RESIGNATION)))
    assert list(lessons_of(log))[1:] == [Lesson((4,), Mark.O), Lesson((), Mark.X)]


def test_an_abandoned_game_of_a_series_has_no_lesson() -> None:
    log = [*log_of_two_games()]
    log.append(
        Ended(seq=0, at=NOW, game=2, outcome=Outcome(winner=None, reason=Reason.ABANDONMENT))
    )
    log.append(Started(seq=0, at=NOW, game=3))
    log.append(Ended(seq=0, at=NOW, game=3, outcome=Outcome(winner=X, reason=Reason.RESIGNATION)))
    assert list(lessons_of(log))[1:] == [Lesson((), Mark.X)]


def test_no_game_has_no_lesson() -> None:
    ended = Ended(seq=1, at=NOW, game=1, outcome=Outcome(winner=X, reason=Reason.LINE))
    assert lesson_of(founded(), ended) is None


def test_a_log_of_another_board_teaches_nothing() -> None:
    created = log_of_two_games()[0]
    assert isinstance(created, Created)
    assert list(lessons_of((), created.settings)) == []
    assert list(lessons_of(log_of_two_games()[1:], Settings(rules=FOUR_IN_A_ROW))) == []


def test_a_log_that_begins_later_needs_the_settings() -> None:
    log = log_of_two_games()
    created = log[0]
    assert isinstance(created, Created)
    assert list(lessons_of(log[1:])) == []
    assert list(lessons_of(log[1:], created.settings)) == list(lessons_of(log))
