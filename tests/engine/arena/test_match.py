from random import Random
from typing import Any

import pytest

from ttt_engine import TIC_TAC_TOE, Mark, Position, Rules
from ttt_engine.arena.contestant import Contestant
from ttt_engine.arena.match import (
    Batch,
    Forfeits,
    Game,
    Match,
    NoOpening,
    PairGame,
    Plan,
    Player,
    Times,
    batches,
    opening,
    play,
    play_batch,
)
from ttt_engine.arena.ratings import Record
from ttt_engine.openings.opening import Choice, Setup
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
    return Batch((RULES, RANDOM), TIC_TAC_TOE, seed, tuple(games))


def counted(batch: Batch, first: Player, second: Player) -> Match:
    match = Match()
    for played in play_batch(batch, first, second):
        match = match.with_game(played)
    return match


def played(games: range, seed: int = 1) -> Match:
    return counted(batch(games, seed), player("rules"), player("random"))


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
    lost = counted(batch(range(3)), faulty, player("random"))
    assert (lost.as_x, lost.as_o) == (Record(losses=2), Record(losses=1))
    assert lost.first_forfeits == Forfeits(3, 0, "ValueError: no idea")
    assert lost.second_forfeits == Forfeits()
    won = counted(batch(range(3)), player("random"), faulty)
    assert won.record == Record(wins=3)
    assert won.second_forfeits == Forfeits(3, 0, "ValueError: no idea")


def test_of_forfeits_the_first_is_told() -> None:
    early, late, none = Forfeits(1, 3, "early"), Forfeits(4, 5, "late"), Forfeits()
    assert early.with_(late) == late.with_(early) == Forfeits(5, 3, "early")
    assert early.with_(none) == none.with_(early) == early
    assert none.with_(none) == none


def test_everyone_meets_everyone() -> None:
    perfect = Contestant("perfect")
    work = list(batches([RULES, RANDOM, perfect], Plan(TIC_TAC_TOE, 50, 3), size=20))
    assert [batch.pair for batch in work[::3]] == [
        (RULES, RANDOM),
        (RULES, perfect),
        (RANDOM, perfect),
    ]
    assert [batch.games for batch in work] == [
        tuple(range(20)),
        tuple(range(20, 40)),
        tuple(range(40, 50)),
    ] * 3
    assert {(batch.rules, batch.seed) for batch in work} == {(TIC_TAC_TOE, 3)}


def test_games_that_were_played_are_not_played_again() -> None:
    work = list(
        batches([RULES, RANDOM], Plan(TIC_TAC_TOE, 5, 3, 2), 3, lambda _, number: number == 1)
    )
    assert [batch.games for batch in work] == [(0, 2, 3), (4,)]
    assert {batch.opening for batch in work} == {2}


def test_two_games_with_sides_changed_begin_with_the_same_random_moves() -> None:
    games = list(play_batch(batch(range(8))._replace(opening=3), player("random"), player("rules")))
    begins = [played.game.moves[:3] for played in games]
    assert begins[::2] == begins[1::2]
    assert len(set(begins)) == 4


def test_an_opening_leaves_the_game_open() -> None:
    for seed in range(50):
        moves = opening(TIC_TAC_TOE, 7, Random(seed))
        assert len(moves) == 7
        assert Position.after(moves).outcome() is None
    with pytest.raises(NoOpening, match="3x3x3 has no openings of 9 moves"):
        opening(TIC_TAC_TOE, 9, Random(1))


class Timed(Player):
    """A player that hears of games and has times, as a program does."""

    def __init__(self) -> None:
        super().__init__(RandomPlay())
        self.heard: list[object] = []

    def begin(self, mark: Mark) -> None:
        self.heard.append(mark)

    def end(self, game: Game) -> None:
        self.heard.append(game)

    def take_times(self) -> Times:
        return Times(2, 0.5, 0.375)


def test_a_player_hears_of_its_games_and_its_times_are_counted() -> None:
    timed = Timed()
    games = list(play_batch(batch(range(2)), timed, player("random")))
    assert timed.heard == [Mark.X, games[0].game, Mark.O, games[1].game]
    match = Match().with_game(games[0]).with_game(games[1])
    assert match.first_times == Times(4, 1.0, 0.375)
    assert match.second_times == Times()


def test_a_game_counts_for_the_side_that_the_first_played() -> None:
    won = Match().with_game(PairGame(1, Game((), Mark.O, "crashed")))
    assert won.as_o == Record(wins=1)
    assert won.second_forfeits == Forfeits(1, 1, "crashed")


class Opener(Player):
    """A player that places the first free cells, and makes the choices that it is given."""

    def __init__(self, *choices: Choice) -> None:
        super().__init__(RandomPlay())
        self.choices = list(choices)
        self.asked: list[Setup] = []

    def place(self, position: Position, moves: tuple[int, ...], setup: Setup) -> tuple[int, ...]:
        assert len(moves) == position.ply
        self.asked.append(setup)
        return position.legal_moves[:1]

    def choose(self, position: Position, moves: tuple[int, ...], setup: Setup) -> Choice:
        assert len(moves) == position.ply
        self.asked.append(setup)
        return self.choices.pop(0)


GOMOKU = Rules(6, 6, 5)


def test_a_game_that_is_opened_by_swap2() -> None:
    x, o = Opener(Choice.STAY), Opener(Choice.MORE)
    game = play(x, o, GOMOKU, Random(1), fair="swap2")
    assert (game.moves[:5], game.is_swapped) == ((0, 1, 2, 3, 4), False)
    assert [setup.seat for setup in x.asked] == [Mark.X] * 4
    assert [setup.stones for setup in o.asked] == [3, 5, 5]
    assert o.asked[0].choices == tuple(Choice)
    assert x.asked[-1] == Setup("swap2", Mark.X, 5, (Choice.STAY, Choice.SWAP))


def test_who_swapped_plays_the_other_side() -> None:
    best = Player(Contestant("minimax", 9).make(TIC_TAC_TOE))
    swapper = Opener(Choice.SWAP)
    game = play(best, swapper, TIC_TAC_TOE, Random(3), fair="pie")
    assert game.is_swapped
    assert game.winner is not Mark.X  # the best of all plays O now
    match = Match().with_game(PairGame(0, Game((0,), Mark.O, None, is_swapped=True)))
    assert match.as_o == Record(wins=1)


def test_a_player_that_fails_in_an_opening_forfeits() -> None:
    class Blind(Scripted):
        def worth(self, position: Position) -> int:
            raise ValueError(f"no idea at ply {position.ply}")

    game = play(player("rules"), Player(Blind(None)), TIC_TAC_TOE, Random(1), fair="pie")
    assert (len(game.moves), game.winner) == (1, Mark.X)
    assert game.forfeit == "ValueError: no idea at ply 1"
    game = play(Player(Blind(None)), player("rules"), TIC_TAC_TOE, Random(1), fair="pie")
    assert (game.moves, game.winner) == ((), Mark.O)


def test_a_batch_with_a_fair_opening_is_the_same_again() -> None:
    fair = Batch((RULES, RANDOM), TIC_TAC_TOE, 1, (0, 1, 2, 3), "pie")
    once, again = (list(play_batch(fair, player("rules"), player("random"))) for _ in range(2))
    assert once == again
    assert all(Position.after(one.game.moves).outcome() is not None for one in once)
