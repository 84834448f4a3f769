import pytest

from ttt_engine import TIC_TAC_TOE
from ttt_engine.arena.contestant import Contestant
from ttt_engine.arena.crosstable import CrossTable
from ttt_engine.arena.match import Forfeits, Match
from ttt_engine.arena.ratings import Record

NAMES = ("random", "rules", "perfect")
TABLE = CrossTable(
    tuple(map(Contestant, NAMES)),
    TIC_TAC_TOE,
    games=10,
    seed=0,
    matches=(
        Match(Record(1, 1, 3), Record(0, 1, 4), first_forfeits=Forfeits(2, 0, "tired")),
        Match(Record(0, 1, 4), Record(0, 0, 5), Forfeits(1, 1, "asleep"), Forfeits(1, 0, "cold")),
        Match(Record(0, 5, 0), Record(0, 4, 1)),
    ),
)


def test_pairs() -> None:
    assert list(TABLE.pairs) == [(0, 1), (0, 2), (1, 2)]
    assert TABLE.pairs[1, 2] == TABLE.matches[2]


def test_the_record_of_two_from_either_side() -> None:
    assert TABLE.record(0, 1) == Record(1, 2, 7)
    assert TABLE.record(1, 0) == Record(7, 2, 1)


def test_standings() -> None:
    standings = TABLE.standings()
    assert [NAMES[standing.place] for standing in standings] == ["perfect", "rules", "random"]
    assert [standing.record for standing in standings] == [
        Record(10, 10, 0),
        Record(7, 11, 2),
        Record(1, 3, 16),
    ]
    assert [standing.forfeits for standing in standings] == [
        Forfeits(1, 0, "cold"),
        Forfeits(),
        Forfeits(3, 0, "tired"),
    ]
    elos = [standing.rating.elo for standing in standings]
    assert elos == sorted(elos, reverse=True)
    assert sum(elos) == pytest.approx(0)


def test_those_that_forfeited_every_game() -> None:
    assert TABLE.that_only_forfeited() == []
    all_lost = Match(Record(0, 0, 1), first_forfeits=Forfeits(1, 0, "mute"))
    table = CrossTable(TABLE.contestants[:2], TIC_TAC_TOE, 1, 0, (all_lost,))
    assert table.that_only_forfeited() == [Contestant("random")]
