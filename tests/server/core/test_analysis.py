from typing import Any

from tests.server.examples import NAME, NOW, O, X, log_of_two_games
from ttt_engine.evaluation import evaluate
from ttt_protocol.codes import Choice, Reason
from ttt_protocol.events import Chosen, Ended, Played, Started
from ttt_protocol.records import AnalysedGame, GameRecord
from ttt_protocol.state import BySeat, Mark, Outcome, Rules
from ttt_server.core.analysis import Values, moves_of, positions_of, weigh
from ttt_server.core.game_record import record_of
from ttt_server.core.room import Room


def record(*cells: int, winner: Mark | None = None, over: bool = True, **rules: Any) -> GameRecord:
    """A game in which these cells were played in turn."""
    events: list[Any] = [Started(seq=1, at=NOW, game=1)]
    for ply, cell in enumerate(cells):
        seat = Mark.O if ply % 2 else Mark.X
        events.append(Played(seq=ply + 2, at=NOW, game=1, ply=ply, seat=seat, cell=cell))
    if over:
        outcome = Outcome(winner=winner, reason=Reason.RESIGNATION)
        events.append(Ended(seq=len(cells) + 2, at=NOW, game=1, outcome=outcome))
    return GameRecord(
        room=NAME, game=1, rules=Rules(**rules), seats=BySeat(X=None, O=None), events=tuple(events)
    )


def solved(game: GameRecord, since: int = 0) -> AnalysedGame:
    """With every position judged from a ply on."""
    evaluated: dict[int, Values] = {
        ply: evaluate(position, 1, lambda: 0).values
        for ply, position in positions_of(game)
        if ply >= since
    }
    return weigh(game, evaluated)


def test_moves_that_were_taken_back_are_left_out() -> None:
    game = record_of(Room(NAME), log_of_two_games(), 1)
    assert game is not None
    assert moves_of(game) == (0, 3, 1, 8, 2)
    assert [ply for ply, _ in positions_of(game)] == [0, 1, 2, 3, 4]
    assert all(ply == position.ply for ply, position in positions_of(game))


def test_the_moves_of_the_start_are_not_judged() -> None:
    game = record(4, 8, 1).model_copy(update={"start": (0, 2)})
    assert moves_of(game) == (0, 2, 4, 8, 1)
    assert [ply for ply, _ in positions_of(game)] == [2, 3, 4]
    assert [(move.ply, move.seat, move.cell) for move in solved(game).analysis] == [
        (2, X, 4),
        (3, O, 8),
        (4, X, 1),
    ]


def test_a_game_is_over_when_it_has_ended() -> None:
    assert record(4).is_over
    assert not record(4, over=False).is_over


def test_what_each_move_was_worth() -> None:
    told = solved(record(0, 1, 4, 8, 6, winner=Mark.X))
    assert [move.worth for move in told.analysis] == [0, -1, 1, -1, 1]
    assert [move.mistake for move in told.analysis] == [False, True, False, False, False]
    assert told.analysis[1].values["4"] == 0
    assert [move.seat for move in told.analysis[:2]] == [Mark.X, Mark.O]
    assert told.thrown_away_at == 1


def test_the_last_mistake_of_who_did_not_win_is_the_one_that_counts() -> None:
    # O errs at 1, X gives it back at 2, O errs again at 3.
    told = solved(record(0, 1, 5, 7, winner=Mark.X))
    mistakes = [move.ply for move in told.analysis if move.mistake]
    assert mistakes[:2] == [1, 2]
    assert told.thrown_away_at == max(ply for ply in mistakes if ply % 2)


def test_a_game_without_mistakes() -> None:
    told = solved(record(0, 4, 8, 1, 7, 6, 2, 5, 3))
    assert not any(move.mistake for move in told.analysis)
    assert told.thrown_away_at is None


def test_a_game_without_moves() -> None:
    assert weigh(record(winner=Mark.O), {}).analysis == ()


def test_what_nobody_judged_is_unknown() -> None:
    told = weigh(record(0, 1), {})
    assert [(move.values, move.worth, move.mistake) for move in told.analysis] == [
        ({}, None, False),
        ({}, None, False),
    ]


def test_what_follows_tells_what_a_move_was_worth() -> None:
    told = solved(record(0, 1, 4, 8, 6), since=2)
    assert told.analysis[1].values == {"1": -1}
    assert told.analysis[1].worth == -1
    assert told.analysis[0].worth is None  # there may have been better answers


def test_a_position_of_which_not_all_is_known() -> None:
    some: Values = {8: -1, 2: None, 3: 0}
    told = weigh(record(0, 1, 8), {2: some})
    assert told.analysis[2].mistake  # a draw was there
    assert told.analysis[1].worth is None  # and perhaps a win


def test_a_drawn_position_was_reached_by_a_drawing_move() -> None:
    told = weigh(record(0, 1, 8), {2: {8: 0, 3: -1}})
    assert told.analysis[1].worth == 0


def test_a_won_position_was_reached_by_a_losing_move() -> None:
    told = weigh(record(0, 1, 8), {2: {8: 1, 3: None}})
    assert told.analysis[1].worth == -1


def test_a_lost_position_was_reached_by_a_winning_move() -> None:
    told = weigh(record(0, 1, 8), {2: {8: -1, 3: -1}})
    assert told.analysis[1].worth == 1


def test_the_game_itself_is_told_too() -> None:
    game = record(0, 1, columns=4, rows=4, in_a_row=4)
    told = weigh(game, {})
    assert all(getattr(told, name) == getattr(game, name) for name in GameRecord.model_fields)


def test_a_stone_of_an_opening_is_no_mistake() -> None:
    # O answers in the corner with an edge, which loses.
    game = record(0, 1, 4, 8, winner=X)
    assert [move.mistake for move in solved(game).analysis][:2] == [False, True]
    chosen = Chosen(seq=4, at=NOW, game=1, ply=2, seat=O, choice=Choice.STAY)
    opened = game.model_copy(update={"events": (*game.events[:3], chosen, *game.events[3:])})
    assert [move.mistake for move in solved(opened).analysis][:2] == [False, False]
