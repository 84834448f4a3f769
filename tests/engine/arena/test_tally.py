from ttt_engine import Mark
from ttt_engine.arena.match import Game, PairGame
from ttt_engine.arena.ratings import Record
from ttt_engine.arena.sprt import MatchTally, Sprt, Verdict


def won_by_the_first(number: int) -> PairGame:
    return PairGame(number, Game((), Mark.O if number % 2 else Mark.X, None))


def test_games_are_counted_in_their_order() -> None:
    tally, games = MatchTally(3), {number: won_by_the_first(number) for number in (1, 2, 3)}
    tally.count(games)
    assert tally.match.record == Record()
    games[0] = won_by_the_first(0)
    tally.count(games)
    tally.count(games)
    assert (tally.match.record, tally.verdict) == (Record(wins=3), None)


def test_a_test_ends_the_count_at_the_same_game_however_many_there_are() -> None:
    one, other = MatchTally(200, Sprt(0, 50)), MatchTally(200, Sprt(0, 50))
    games = {number: won_by_the_first(number) for number in range(200)}
    for number in range(200):
        other.count({number: games[number]})
    one.count(games)
    assert one.verdict is other.verdict is Verdict.ACCEPTED
    assert one.match == other.match
    assert one.match.record.games % 2 == 0
    assert one.match.record.games < 100
