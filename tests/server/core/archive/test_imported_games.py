from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.server.examples import ADA, BOB, NAME, O, X, decided, log_of_two_games, seated
from ttt_protocol.codes import Choice, Opening, Reason
from ttt_protocol.commands import Choose, Join, Play, Resign
from ttt_protocol.events import Created, Ended, Event, TakenBack
from ttt_protocol.records import ExportedGame
from ttt_protocol.state import Ai, BySeat, Human, MoveLog, Outcome, Player, Rules, Settings
from ttt_server.core.archive.imported_games import CannotImport, imported, missing_games
from ttt_server.core.errors import InvalidLog
from ttt_server.core.evolve import Decision, evolve_all
from ttt_server.core.game_record import exported_games
from ttt_server.core.room import Room
from ttt_server.core.seating import admit, create

LOG = log_of_two_games()
NONE = Room(NAME)
FIRST, SECOND = exported_games(NONE, LOG)
RESIGNED = Ended(seq=4, at=0, game=2, outcome=Outcome(winner=X, reason=Reason.RESIGNATION))
OVER = SECOND.model_copy(update={"events": (*SECOND.events, RESIGNED)})


def added(room: Room, games: Sequence[ExportedGame]) -> list[Event]:
    """The events that bring these games into the room."""
    return [event for step in imported(room, games) for event in step.events]


def exported(log: Sequence[Event]) -> list[ExportedGame]:
    return list(exported_games(NONE, log))


def test_all_games_are_exported_with_numbers_of_their_own() -> None:
    assert (FIRST.game, FIRST.is_over, SECOND.game, SECOND.is_over) == (1, True, 2, False)
    for game in (FIRST, SECOND):
        assert [event.seq for event in game.events] == list(range(1, len(game.events) + 1))
        assert (game.settings, game.locked, game.rules) == (Settings(), False, Rules())
    assert FIRST.seats == replace(SECOND.seats, X=SECOND.seats.O, O=SECOND.seats.X)


def test_a_log_that_makes_no_sense_is_not_exported() -> None:
    with pytest.raises(InvalidLog):
        exported(LOG[1:])


def test_games_come_back_and_the_players_have_left() -> None:
    log = added(NONE, [FIRST, OVER])
    room = evolve_all(NONE, log)
    assert exported(log) == [FIRST, OVER]
    assert room.seats.empty
    assert evolve_all(NONE, added(NONE, [OVER])).game is not None, "a part is enough"


def test_others_take_the_seats_of_the_next_game() -> None:
    seats = BySeat[Player | None](
        X=Human(id=BOB, name="eve"), O=Ai(name="minimax:9", strategy="minimax", level=9)
    )
    other = OVER.model_copy(update={"seats": seats})
    log = added(NONE, [FIRST, other])
    assert exported(log) == [FIRST, other]
    assert evolve_all(NONE, log).seats.X is None


def test_each_game_is_a_step() -> None:
    first, second = imported(NONE, [FIRST, OVER])
    assert first.after.seq + len(second.events) == second.after.seq
    assert second.after == evolve_all(NONE, (*first.events, *second.events))


def test_games_are_added_to_those_that_are_there() -> None:
    log = added(NONE, [FIRST])
    assert missing_games(exported(log), [FIRST, OVER]) == [OVER]
    log += added(evolve_all(NONE, log), [OVER])
    assert exported(log) == [FIRST, OVER]
    assert missing_games(exported(log), [FIRST, OVER]) == ()
    assert missing_games(exported(log), [OVER]) == ()


def test_a_room_with_games_of_its_own_stays() -> None:
    other = FIRST.model_copy(update={"events": FIRST.events[:-1]})
    for kept in ([other], [FIRST, OVER.model_copy(update={"game": 3})]):
        with pytest.raises(CannotImport, match="has games of its own"):
            missing_games(kept, [FIRST, OVER])


def test_a_room_with_people_stays() -> None:
    room = seated(evolve_all(NONE, create(NAME, Settings(), 0)), ADA)
    with pytest.raises(CannotImport, match="has people in it"):
        imported(room, [FIRST])


def test_a_locked_room_comes_back_closed() -> None:
    created, *_ = added(NONE, [FIRST.model_copy(update={"locked": True})])
    assert isinstance(created, Created)
    assert (created.settings.public, created.settings.spectators) == (False, False)


def opened() -> ExportedGame:
    """A finished game in which the players changed seats, and Bob gave up."""
    room, log = Room(NAME), list[Event]()

    def add(decision: Decision) -> None:
        nonlocal room
        room = decision.after
        log.extend(decision.events)

    add(create(NAME, Settings(opening=Opening.PIE), 0))
    for session in ADA, BOB:
        add(admit(room, session, Join(name=session), 0))
    for session, command in (
        (ADA, Play(game=1, ply=0, cell=4)),
        (BOB, Choose(game=1, ply=1, choice=Choice.SWAP)),
        (ADA, Play(game=1, ply=1, cell=0)),
        (BOB, Resign(game=1)),
    ):
        add(decided(room, session, command))
    (game,) = exported(log)
    return game


def test_a_game_with_an_opening_comes_back() -> None:
    game = opened()
    assert exported(added(NONE, [game])) == [game]
    # Bob began as O, so he begins the rematch as X: in the seat that the swap gave him.
    events = tuple(changed(event, game=2) for event in game.events)
    changes = {"game": 2, "seats": swapped(game.seats), "events": events}
    rematch = game.model_copy(update=changes)
    assert exported(added(NONE, [game, rematch])) == [game, rematch]


def swapped(seats: BySeat[Player | None]) -> BySeat[Player | None]:
    return BySeat[Player | None](X=seats.O, O=seats.X)


def test_a_choice_out_of_turn_is_not_imported() -> None:
    game = opened()
    events = list(game.events)
    events[2] = changed(events[2], seat=X)
    with pytest.raises(CannotImport, match="event 3 is a choice out of turn"):
        imported(NONE, [game.model_copy(update={"events": tuple(events)})])


def changed(event: Any, **changes: Any) -> Any:
    return replace(event, **changes)


def with_event(at: int, **changes: Any) -> ExportedGame:
    events = list(FIRST.events)
    events[at] = changed(events[at], **changes)
    return FIRST.model_copy(update={"events": tuple(events)})


def with_player(**changes: Any) -> ExportedGame:
    ada = replace(Human(id=ADA, name="ada"), **changes)
    seats = BySeat[Player | None](X=ada, O=Human(id=BOB, name="bob"))
    return FIRST.model_copy(update={"seats": seats})


BACK = next(at for at, event in enumerate(FIRST.events) if isinstance(event, TakenBack))
DRAW = Outcome(winner=None, reason=Reason.FULL)
FULL = replace(RESIGNED, outcome=DRAW)
WON = Outcome(winner=O, reason=Reason.RESIGNATION)


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (SECOND, "game 2: it is not over"),
        (with_event(1, seat=O), "game 1: event 2 is a move out of turn"),
        (with_event(1, ply=1), "game 1: event 2 is a move out of turn"),
        (with_event(2, cell=FIRST.events[1].cell), "game 1: "),  # type: ignore[union-attr]
        (with_event(BACK, ply=9), f"game 1: event {BACK + 1} takes back no move"),
        (with_event(1, reason="\x1b"), "game 1: event 2 has words that cannot be shown"),
        (
            with_event(1, log=MoveLog(values={"\x1b": 1})),
            "game 1: event 2 has words that cannot be shown",
        ),
        (with_event(-1, detail="\x1b"), "has words that cannot be shown"),
        (with_event(-1, outcome=DRAW), "is another outcome than that of the board"),
        (with_event(-1, outcome=WON), "is another outcome than that of the board"),
        (
            OVER.model_copy(update={"events": (*SECOND.events, replace(RESIGNED, outcome=DRAW))}),
            "is another outcome than that of the board",
        ),
        (with_player(name="\x1b"), "game 1: the player in seat X has no good name"),
        (with_player(name=" "), "game 1: the player in seat X has no good name"),
        (with_player(name="a" * 65), "game 1: the player in seat X has no good name"),
        (
            FIRST.model_copy(update={"seats": BySeat[Player | None](X=None, O=None)}),
            "game 1: there is no player in seat X",
        ),
    ],
)
def test_games_that_no_room_can_have_had(game: ExportedGame, words: str) -> None:
    with pytest.raises(CannotImport, match=words):
        imported(NONE, [game])


@pytest.mark.parametrize(
    ("games", "words"),
    [
        ([OVER, FIRST], "game 1: it cannot follow game 2"),
        ([FIRST, FIRST], "game 1: it cannot follow game 1"),
        (
            [FIRST, OVER.model_copy(update={"settings": Settings(hints=True)})],
            "game 2: its settings are not those of the room",
        ),
    ],
)
def test_games_that_do_not_go_together(games: list[ExportedGame], words: str) -> None:
    with pytest.raises(CannotImport, match=words):
        imported(NONE, games)
