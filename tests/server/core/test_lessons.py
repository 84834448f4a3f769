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
from ttt_protocol.events import Created, Ended, Played, Started
from ttt_protocol.state import Mark as SeatMark
from ttt_protocol.state import Outcome, Rules, Settings
from ttt_server.core.decision import Decision
from ttt_server.core.lessons import Taught, lesson_of, lessons_of
from ttt_server.core.play import end, play
from ttt_server.core.room import Room, game_of


def learned(decision: Decision) -> Lesson | None:
    """What is remembered if this happens."""
    ended = [event for event in decision if isinstance(event, Ended)]
    return lesson_of(decision.after, ended[0]) if ended else None


def last_move(room: Room, cell: int) -> Lesson | None:
    game = game_of(room)
    command = Play(game=game.number, ply=game.ply, cell=cell)
    return learned(play(room, game.turn, command, NOW))


def test_a_game_that_was_won() -> None:
    assert last_move(duel(0, 3, 1, 4), 2) == Lesson((0, 1, 3, 4, 6), Mark.X)
    assert last_move(against_ai(4, 0, 1, 3, 2), 6) == Lesson.of((4, 0, 1, 3, 2, 6), Mark.O)


def test_a_game_that_was_drawn() -> None:
    assert last_move(duel(*DRAWN[:-1]), DRAWN[-1]) == Lesson.of(DRAWN, None)


@pytest.mark.parametrize("cells", [(), (4,), (8, 4)])
def test_a_game_that_was_given_up(cells: tuple[int, ...]) -> None:
    room = duel(*cells)
    for command in (Resign(game=1), Leave()):
        assert learned(decided(room, BOB, command)) is None


@pytest.mark.parametrize("reason", [each for each in Reason if each not in ("line", "full")])
@pytest.mark.parametrize("winner", [O, None])
def test_a_game_that_ended_otherwise(reason: Reason, winner: SeatMark | None) -> None:
    room = duel(8)
    assert learned(end(room, reason, winner, NOW)) is None


def test_a_draw_by_agreement() -> None:
    agreed = decided(offered(duel(4), ADA, DRAW), BOB, Accept(kind=DRAW))
    assert learned(agreed) is None


def test_a_game_that_both_have_left_is_no_draw() -> None:
    room = duel(4)
    assert learned(end(room, Reason.ABANDONMENT, None, NOW)) is None


def test_a_move_ends_nothing() -> None:
    assert last_move(duel(), 4) is None


@pytest.mark.parametrize(
    "rules", [FOUR_IN_A_ROW, Rules(gravity=True), Rules(columns=4), Rules(rows=4, in_a_row=4)]
)
def test_a_game_on_another_board(rules: Rules) -> None:
    room = duel(rules=rules)
    assert learned(end(room, Reason.RESIGNATION, X, NOW)) is None


def test_a_log_with_a_takeback_and_a_rematch_that_goes_on() -> None:
    log = log_of_two_games()
    (taught,) = lessons_of(log)
    assert taught.lesson == Lesson.of((0, 3, 1, 8, 2), Mark.X)
    assert taught.at == next(event.at for event in log if isinstance(event, Ended))
    assert list(lessons_of(())) == []


def test_the_games_of_a_series_that_ended_on_the_board() -> None:
    log = [*log_of_two_games()]
    log.append(Ended(seq=0, at=NOW, game=2, outcome=Outcome(winner=O, reason=Reason.TIMEOUT)))
    log.append(Started(seq=0, at=NOW, game=3))
    for ply, cell in enumerate((4, 0, 1, 2, 7)):
        log.append(Played(seq=0, at=NOW, game=3, ply=ply, seat=(X, O)[ply % 2], cell=cell))
    won = Outcome(winner=X, reason=Reason.LINE, line=(1, 4, 7))
    log.append(Ended(seq=0, at=NOW + 5, game=3, outcome=won))
    assert list(lessons_of(log))[1:] == [Taught(Lesson.of((4, 0, 1, 2, 7), Mark.X), NOW + 5)]


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
