"""What an event contradicts in the room before it: each kind of nonsense has its words."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.server.examples import (
    ADA,
    BOB,
    DRAW,
    EVE,
    NAME,
    NOW,
    REMATCH,
    TAKEBACK,
    O,
    X,
    after,
    against_ai,
    checked,
    duel,
    filled,
    founded,
    log_of_two_games,
    moved,
    offered,
    seated,
)
from ttt_protocol.codes import Choice, Opening, Reason
from ttt_protocol.commands import Resign
from ttt_protocol.events import (
    Chosen,
    Created,
    Declined,
    Ended,
    Event,
    Left,
    Moderated,
    Offered,
    Played,
    Renamed,
    Seated,
    Slept,
    Started,
    TakenBack,
)
from ttt_protocol.state import (
    Ai,
    ChatMode,
    ClockSetting,
    Human,
    Mark,
    Outcome,
    PersonId,
    Player,
    Settings,
    TimeLeft,
)
from ttt_server.core.archive.contradiction import contradiction, must_end
from ttt_server.core.evolve import evolve
from ttt_server.core.room import Room, game_of

CLOCK = ClockSetting(initial_s=60)
LEFT = TimeLeft(X=60_000, O=60_000)
RUNNING = duel(4)  # O is to move
TIMED = duel(4, clock=CLOCK)
ON_A_LINE = evolve(duel(0, 3, 1, 4), Played(seq=9, at=NOW, game=1, ply=4, seat=X, cell=2))
OVER = after(RUNNING, ADA, Resign(game=1))
FAIR = moved(duel(opening=Opening.PIE), 4)  # O is to choose
STARTED = duel(start=(4,))
AI = Ai(name="rules", strategy="rules", level=None)


def human(name: str) -> Human:
    return Human(id=EVE if name == "eve" else ADA, name=name)


def seat(mark: Mark, player: Player) -> Seated:
    return Seated(seq=0, at=0, seat=mark, player=player)


def move(ply: int = 1, mark: Mark = O, *, game: int = 1, clock: TimeLeft | None = None) -> Played:
    return Played(seq=0, at=0, game=game, ply=ply, seat=mark, cell=8, clock=clock)


def chosen(ply: int = 1, mark: Mark = O) -> Chosen:
    return Chosen(seq=0, at=0, game=1, ply=ply, seat=mark, choice=Choice.STAY)


def back(ply: int) -> TakenBack:
    return TakenBack(seq=0, at=0, game=1, ply=ply)


def end(
    reason: Reason,
    winner: Mark | None = None,
    line: tuple[int, ...] | None = None,
    *,
    game: int = 1,
    clock: TimeLeft | None = None,
) -> Ended:
    outcome = Outcome(winner=winner, reason=reason, line=line)
    return Ended(seq=0, at=0, game=game, outcome=outcome, clock=clock)


def slept(mark: Mark) -> Slept:
    return Slept(seq=0, at=0, game=1, seat=mark, given_back_ms=5, clock=LEFT)


def start(number: int) -> Started:
    return Started(seq=0, at=0, game=number)


NO_OUTCOME = "is another outcome than that of the board"
NO_END = "comes between the last move and the end of the game"
LINE, FULL, RESIGNATION, TIMEOUT, ABANDONMENT, AGREEMENT, FORFEIT, *_ = Reason


@pytest.mark.parametrize(
    ("room", "event", "words"),
    [
        (Room(NAME), Left(seq=1, at=0, seat=X), "comes before the room is created"),
        (RUNNING, Created(seq=0, at=0, settings=Settings()), "creates the room again"),
        (RUNNING, seat(X, human("eve")), "gives the seat of X away, which is taken"),
        (against_ai(), seat(O, human("eve")), "gives the seat of O away, which is taken"),
        (against_ai(), seat(O, AI), "gives the seat of O away, which is taken"),
        (
            filled(RUNNING, BOB, X),
            seat(X, human("eve")),
            "gives the seat of X away, which is taken",
        ),
        (founded(), Left(seq=0, at=0, seat=O), "gives up the seat of O, which is empty"),
        (RUNNING, Left(seq=0, at=0, seat=O), "gives up a seat in the middle of a game"),
        (RUNNING, start(99), "starts game 99 in the middle of game 1"),
        (OVER, start(1), "starts game 1 after game 1"),
        (seated(founded(), ADA), start(0), "starts game 0 after game 0"),
        (seated(founded(), ADA), start(1), "starts a game without two players"),
        (RUNNING, Offered(0, 0, REMATCH, X), "offers a rematch out of time"),
        (OVER, Offered(0, 0, DRAW, X), "offers a draw out of time"),
        (RUNNING, Declined(0, 0, DRAW, X), "declines what is not offered"),
        (offered(RUNNING, ADA, DRAW), Declined(0, 0, DRAW, X), "declines what is not offered"),
        (seated(founded(), ADA), move(), "is of a game that never started"),
        (RUNNING, move(game=9), "is of game 9 in game 1"),
        (RUNNING, end(RESIGNATION, O, game=7), "is of game 7 in game 1"),
        (OVER, move(), "comes after the end of the game"),
        (OVER, end(RESIGNATION, O), "comes after the end of the game"),
        (RUNNING, move(clock=LEFT), "tells of a clock in a game without one"),
        (TIMED, move(), "tells of no clock"),
        (RUNNING, move(mark=X), "is a move out of turn"),
        (RUNNING, move(ply=77), "is a move out of turn"),
        (FAIR, move(), "is a move out of turn"),
        (FAIR, chosen(mark=X), "is a choice out of turn"),
        (FAIR, chosen(ply=2), "is a choice out of turn"),
        (RUNNING, chosen(), "is a choice out of turn"),
        (offered(RUNNING, ADA, TAKEBACK), back(1), "takes back no move"),
        (offered(RUNNING, ADA, TAKEBACK), back(-1), "takes back no move"),
        (offered(moved(STARTED, 8), BOB, TAKEBACK), back(0), "takes back no move"),
        (RUNNING, back(0), "takes back what nobody asked for"),
        (RUNNING, end(LINE, O, (0, 1, 2)), NO_OUTCOME),
        (RUNNING, end(FULL), NO_OUTCOME),
        (RUNNING, end(RESIGNATION, O, (0, 1, 2)), NO_OUTCOME),
        (ON_A_LINE, end(LINE, O, (0, 1, 2)), NO_OUTCOME),
        (ON_A_LINE, end(LINE, X, (3, 4, 5)), NO_OUTCOME),
        (ON_A_LINE, end(RESIGNATION, X), NO_OUTCOME),
        (ON_A_LINE, move(ply=5), NO_END),
        (ON_A_LINE, start(2), NO_END),
        (RUNNING, end(TIMEOUT), "is a timeout without a winner"),
        (TIMED, end(TIMEOUT, O, clock=LEFT), "is a fallen flag of the side that does not move"),
        (TIMED, end(TIMEOUT, clock=LEFT), "is a fallen flag of the side that does not move"),
        (offered(RUNNING, ADA, DRAW), end(AGREEMENT, X), "is an agreement with a winner"),
        (RUNNING, end(AGREEMENT), "is an agreement without an offer"),
        (RUNNING, end(RESIGNATION), "is a resignation without a winner"),
        (RUNNING, end(FORFEIT), "is a forfeit without a winner"),
        (TIMED, slept(X), "gives time back to the side that does not move"),
    ],
)
def test_an_event_that_no_room_can_have_had(room: Room, event: Event, words: str) -> None:
    assert contradiction(room, event) == words


@pytest.mark.parametrize(
    ("room", "event"),
    [
        (Room(NAME), Created(seq=1, at=0, settings=Settings())),
        (founded(), Moderated(seq=0, at=0, chat=ChatMode.OFF)),
        (RUNNING, Renamed(seq=0, at=0, seat=X, name="ada l")),
        (founded(), seat(X, human("ada"))),
        (RUNNING, seat(X, AI)),
        (filled(RUNNING, BOB, X), seat(X, human("ada"))),
        (OVER, Left(seq=0, at=0, seat=O)),
        (OVER, start(2)),
        (OVER, start(5)),  # as a part of another room's games is imported
        (OVER, Offered(0, 0, REMATCH, X)),
        (offered(RUNNING, ADA, DRAW), Declined(0, 0, DRAW, O)),
        (offered(RUNNING, ADA, DRAW), Offered(0, 0, DRAW, O)),  # X sat down anew between them
        (RUNNING, move()),
        (TIMED, move(clock=LEFT)),
        (FAIR, chosen()),
        (offered(RUNNING, ADA, TAKEBACK), back(0)),
        (ON_A_LINE, end(LINE, X, (0, 1, 2))),
        (RUNNING, end(ABANDONMENT)),
        (RUNNING, end(ABANDONMENT, O)),
        (RUNNING, end(FORFEIT, O)),
        (RUNNING, end(RESIGNATION, O)),
        (offered(RUNNING, ADA, DRAW), end(AGREEMENT)),
        (RUNNING, end(TIMEOUT, O)),  # other programs' files tell of no clock
        (RUNNING, end(TIMEOUT, X)),
        (TIMED, end(TIMEOUT, X, clock=LEFT)),
        (TIMED, slept(O)),
    ],
)
def test_an_event_that_goes_with_its_room(room: Room, event: Event) -> None:
    assert contradiction(room, event) is None


def test_an_event_of_no_kind_is_loud() -> None:
    unknown: Any = SimpleNamespace(game=1, clock=None)
    with pytest.raises(AssertionError):
        contradiction(RUNNING, unknown)


def test_a_log_that_rooms_have_decided() -> None:
    checked(Room(NAME), log_of_two_games())


def test_the_end_that_a_board_brings() -> None:
    assert must_end(ON_A_LINE)
    over = moved(duel(0, 3, 1, 4), 2)
    assert game_of(over).outcome is not None
    assert not any(map(must_end, (founded(), RUNNING, OVER, over)))


def test_a_guest_may_become_the_person_they_are() -> None:
    known = Human(id=ADA, name="Ada", person=PersonId("ada"))
    assert contradiction(RUNNING, seat(X, known)) is None
    twice = evolve(RUNNING, Seated(seq=RUNNING.seq + 1, at=NOW, seat=X, player=known))
    other = Human(id=ADA, name="Ada", person=PersonId("eve"))
    assert contradiction(twice, seat(X, other)) == "changes the player in the seat of X"
