from random import Random
from typing import Any

import pytest

from ttt_engine import TIC_TAC_TOE, Mark, Position, Rules
from ttt_engine.arena.confidence import Record
from ttt_engine.arena.contestant import Contestant
from ttt_engine.arena.match import (
    Batch,
    Forfeits,
    Game,
    Match,
    Player,
    batches,
    play,
    play_batch,
)
from ttt_engine.strategies import Perfect, RuleBased, Thought
from ttt_engine.strategies import Random as RandomPlay

RULES, RANDOM = Contestant("rules"), Contestant("random")


class Scripted:
    """Answers whatever it is told to, and counts how often it is asked."""

    name = "scripted"

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked = 0

    def plays(self, rules: Rules) -> bool:
        return rules == TIC_TAC_TOE

    def think(self, position: Position) -> Thought:  # noqa: ARG002 - it does not look
        self.asked += 1
        if isinstance(self.answer, BaseException):
            raise self.answer
        answer: Thought = self.answer
        return answer


def player(name: str) -> Player:
    return Player(Contestant(name).make(TIC_TAC_TOE))


def batch(games: range, seed: int = 1) -> Batch:
    return Batch((RULES, RANDOM), TIC_TAC_TOE, seed, games)


def played(games: range, seed: int = 1) -> Match:
    return play_batch(batch(games, seed), player("rules"), player("random"))


def test_a_game() -> None:
    game = play(player("brute"), Player(RuleBased()), TIC_TAC_TOE, Random(1))
    assert Position.after(game.moves).outcome() is not None
    assert (game.winner, game.forfeit) == (None, None)


def test_chance_decides_among_equals() -> None:
    openings = {
        play(Player(Perfect()), Player(RandomPlay()), TIC_TAC_TOE, Random(seed)).moves[0]
        for seed in range(40)
    }
    assert openings == {0, 2, 6, 8}


ANY = TIC_TAC_TOE, Random(1)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (ValueError("no idea"), "ValueError: no idea"),
        (SystemExit(3), "SystemExit: 3"),
        (None, "its answer is of type NoneType, not Thought"),
        (4, "its answer is of type int, not Thought"),
        (Thought((4,), "again"), "it chose 4, which may not be played"),
        (Thought((9,), "out"), "it chose 9, which may not be played"),
        (Thought((0, 4), "one of them is taken"), "it chose 4, which may not be played"),
        (Thought((-1,), "out"), "it chose -1, which may not be played"),
        (Thought((True,), "a truth"), "it chose True, which may not be played"),
        (Thought(("a",), "a letter"), "it chose 'a', which may not be played"),  # type: ignore[arg-type]
    ],
)
def test_who_gives_no_move_forfeits(answer: Any, why: str) -> None:
    centre = Player(Scripted(Thought((4,), "centre")))
    game = play(centre, Player(Scripted(answer)), *ANY)
    assert game == Game((4,), Mark.X, why)


def test_x_forfeits_before_the_first_move() -> None:
    game = play(Player(Scripted(ValueError("no idea"))), player("rules"), *ANY)
    assert game == Game((), Mark.O, "ValueError: no idea")


def test_the_same_position_is_asked_about_once() -> None:
    scripted = Scripted(Thought((2,), "corner"))
    corner, position = Player(scripted), Position.after([0, 4, 8])
    for moves in ((0, 4, 8), (8, 4, 0), (0, 4, 8)):
        assert corner.cells(position, moves) == (2,)
    assert scripted.asked == 1


class Remembering(Scripted):
    """One to which the order of the moves makes a difference."""

    def think_after(self, position: Position, moves: tuple[int, ...]) -> Thought:
        self.asked += 1
        return Thought((min(set(position.legal_moves) - {moves[-1] + 1}),), "not beside the last")


def test_it_is_told_the_moves_if_it_wants_to_know() -> None:
    remembering = Remembering(None)
    one, position = Player(remembering), Position.after([0, 4, 8])
    assert one.cells(position, (8, 4, 0)) == (2,)
    assert one.cells(position, (0, 4, 8)) == (1,)
    assert one.cells(position, (8, 4, 0)) == (2,)
    assert remembering.asked == 2


def test_sides_change() -> None:
    match = played(range(11))
    assert (match.as_x.games, match.as_o.games) == (6, 5)
    assert match.record == match.as_x.with_(match.as_o)
    assert match.as_x.wins > match.as_x.losses


def test_a_game_hangs_on_the_seed_and_its_number_alone() -> None:
    whole = played(range(40))
    assert whole == played(range(40))
    parts = [played(range(start, start + 8)) for start in range(0, 40, 8)]
    together = Match()
    for part in parts:
        together = together.with_(part)
    assert together == whole
    assert len({played(range(40), seed) for seed in range(5)}) > 1


def test_forfeits_are_counted_for_who_lost_by_them() -> None:
    faulty = Player(Scripted(ValueError("no idea")))
    lost = play_batch(batch(range(3)), faulty, player("random"))
    assert (lost.as_x, lost.as_o) == (Record(losses=2), Record(losses=1))
    assert lost.first_forfeits == Forfeits(3, 0, "ValueError: no idea")
    assert lost.second_forfeits == Forfeits()
    won = play_batch(batch(range(3)), player("random"), faulty)
    assert won.record == Record(wins=3)
    assert won.second_forfeits == Forfeits(3, 0, "ValueError: no idea")


def test_of_forfeits_the_first_is_told() -> None:
    early, late, none = Forfeits(1, 3, "early"), Forfeits(4, 5, "late"), Forfeits()
    assert early.with_(late) == late.with_(early) == Forfeits(5, 3, "early")
    assert early.with_(none) == none.with_(early) == early
    assert none.with_(none) == none


def test_everyone_meets_everyone() -> None:
    perfect = Contestant("perfect")
    work = list(batches([RULES, RANDOM, perfect], TIC_TAC_TOE, games=50, seed=3, size=20))
    assert [batch.pair for batch in work[::3]] == [
        (RULES, RANDOM),
        (RULES, perfect),
        (RANDOM, perfect),
    ]
    assert [batch.games for batch in work] == [range(20), range(20, 40), range(40, 50)] * 3
    assert {(batch.rules, batch.seed) for batch in work} == {(TIC_TAC_TOE, 3)}
