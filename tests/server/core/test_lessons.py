import json
from dataclasses import replace

import pytest

from tests.server.examples import (
    ADA,
    DRAWN,
    FOUR_IN_A_ROW,
    NAME,
    NOW,
    O,
    X,
    against_ai,
    decided,
    duel,
    founded,
    log_of_two_games,
)
from ttt_engine import Mark
from ttt_engine.learning.memory import Lesson
from ttt_protocol.codec import InvalidWire, encode_log
from ttt_protocol.codes import Reason
from ttt_protocol.commands import Play
from ttt_protocol.events import Created, Ended, Event, Left, Played, Started
from ttt_protocol.state import Mark as SeatMark
from ttt_protocol.state import MoveLog, Outcome, RoomName, Rules, Settings
from ttt_server.core.archive.saved_room import save
from ttt_server.core.evolve import evolve_all
from ttt_server.core.lessons import NO_LESSONS, Reading, Taught, lesson_of, read_lessons
from ttt_server.core.play import end, play
from ttt_server.core.room import Room, game_of

LOG = log_of_two_games()
END = next(event for event in LOG if isinstance(event, Ended))
BEGUN = next(event.seq for event in LOG if isinstance(event, Started) and event.game == 2)
"""The number of the event with which the second game begins, which is under way."""
PLAYED = Taught(Lesson.of((0, 3, 1, 8, 2), Mark.X), END.at)


def read(log: tuple[Event, ...], mark: int = 0, **options: object) -> Reading:
    return read_lessons(NAME, mark, encode_log(log), **options)  # type: ignore[arg-type]


def after_move(room: Room, cell: int) -> Room:
    game = game_of(room)
    command = Play(game=game.number, ply=game.ply, cell=cell)
    return evolve_all(room, play(room, game.turn, command, NOW))


def test_a_game_that_ended_on_the_board_is_a_lesson() -> None:
    assert lesson_of(after_move(duel(0, 3, 1, 4), 2)) is not None
    assert lesson_of(after_move(against_ai(4, 0, 1, 3, 2), 6)) is not None
    assert lesson_of(after_move(duel(*DRAWN[:-1]), DRAWN[-1])) is not None
    assert lesson_of(after_move(duel(), 4)) is None
    assert lesson_of(founded()) is None


@pytest.mark.parametrize("reason", [each for each in Reason if each not in ("line", "full")])
@pytest.mark.parametrize("winner", [O, None])
def test_a_game_that_ended_otherwise_is_none(reason: Reason, winner: SeatMark | None) -> None:
    ended = end(duel(8), reason, winner, NOW)
    assert lesson_of(evolve_all(duel(8), ended)) is None
    log = (*LOG[: BEGUN - 1], Started(seq=BEGUN, at=NOW, game=2))
    outcome = Outcome(winner=winner, reason=reason)
    over = Ended(seq=BEGUN + 1, at=NOW, game=2, outcome=outcome)
    assert read((*log, over)) == Reading((PLAYED,), BEGUN + 1)


@pytest.mark.parametrize(
    "rules", [FOUR_IN_A_ROW, Rules(gravity=True), Rules(columns=4), Rules(rows=4, in_a_row=4)]
)
def test_a_game_on_another_board_is_none(rules: Rules) -> None:
    room = duel(rules=rules)
    assert lesson_of(evolve_all(room, end(room, Reason.LINE, X, NOW))) is None


def test_a_game_from_the_middle_is_none() -> None:
    room = duel(start=(0, 3, 1))
    assert lesson_of(evolve_all(room, end(room, Reason.LINE, X, NOW))) is None


def test_a_log_with_a_takeback_and_a_rematch_that_goes_on() -> None:
    assert read(LOG) == Reading((PLAYED,), END.seq)


def test_a_game_is_read_once_it_has_ended() -> None:
    before_the_end = LOG[: END.seq - 1]
    assert read(before_the_end) == Reading((), 0)
    assert read(LOG) == Reading((PLAYED,), END.seq)
    assert read(LOG[BEGUN - 1 :], END.seq) == Reading((), END.seq)
    assert read((), END.seq) == Reading((), END.seq)


def test_a_game_that_is_ignored_is_passed_over() -> None:
    assert read(LOG, ignored={1}) == Reading((), END.seq)
    assert read(LOG, ignored={2}) == Reading((PLAYED,), END.seq)


def test_the_games_of_a_series_that_ended_on_the_board() -> None:
    log = [*LOG]

    def add(kind: type[Event], **fields: object) -> None:
        log.append(kind(seq=len(log) + 1, at=NOW + 5, **fields))  # type: ignore[arg-type]

    add(Ended, game=2, outcome=Outcome(winner=O, reason=Reason.TIMEOUT))
    add(Started, game=3)
    for ply, cell in enumerate((4, 0, 1, 2, 7)):
        add(Played, game=3, ply=ply, seat=(X, O)[ply % 2], cell=cell)
    add(Ended, game=3, outcome=Outcome(winner=X, reason=Reason.LINE, line=(1, 4, 7)))
    add(Left, seat=X)
    won = Taught(Lesson.of((4, 0, 1, 2, 7), Mark.X), NOW + 5)
    assert read(tuple(log)) == Reading((PLAYED, won), len(log) - 1)


def test_a_log_that_has_no_lessons_is_not_read_again() -> None:
    wide = duel(rules=FOUR_IN_A_ROW)
    assert read(LOG, start=save(wide)) == Reading((), NO_LESSONS)
    assert read(LOG[1:]) == Reading((), NO_LESSONS), "its beginning is unknown"
    assert read_lessons(RoomName("event/friday"), 0, [b"{}"]) == Reading((), NO_LESSONS)


def test_no_log_is_not_read_yet() -> None:
    assert read(()) == Reading((), 0)


def test_a_log_that_begins_later_has_the_settings_of_the_room_before() -> None:
    start = save(evolve_all(Room(NAME), LOG[:1]))
    assert read(LOG[1:], start=start) == read(LOG)


def test_a_move_that_is_written_otherwise_is_read_all_the_same() -> None:
    spaced = [json.dumps(json.loads(line)).encode() for line in encode_log(LOG)]
    assert read_lessons(NAME, 0, spaced) == read(LOG)


def test_what_a_program_says_about_its_move_is_no_cell() -> None:
    thought = MoveLog(reason='"cell":7', values={"cell": 7})
    log = tuple(
        replace(event, reason='{"cell":7}', log=thought) if isinstance(event, Played) else event
        for event in LOG
    )
    assert read(log) == read(LOG)


def test_a_log_that_cannot_be_read() -> None:
    with pytest.raises(InvalidWire):
        read_lessons(NAME, 3, [b'{"type":"plaid"}'])


def test_the_board_decides_and_not_the_players() -> None:
    room = duel(0, 3, 1, 4)
    assert lesson_of(evolve_all(room, decided(room, ADA, Play(game=1, ply=4, cell=2)))) is not None


def test_a_game_of_a_variant_is_none() -> None:
    settings = Settings(rules=Rules(variant="misere"))
    log = (Created(seq=1, at=NOW, settings=settings), *LOG[1:])
    assert read(log).lessons == ()
