"""The cross table: the standings after all matches."""

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from ttt_engine.arena.contestant import Contestant
from ttt_engine.arena.match import NO_TIMES, Forfeits, Match, Times
from ttt_engine.arena.ratings import Rating, Record, ratings
from ttt_engine.rules import Rules


class CrosstableRow(NamedTuple):
    """The result of one contestant."""

    place: int
    """Its index among the contestants."""

    record: Record
    rating: Rating
    forfeits: Forfeits
    times: Times = NO_TIMES
    """The times of a program's moves."""


@dataclass(frozen=True, slots=True)
class CrossTable:
    """All matches of some contestants, `games` games a pair."""

    contestants: tuple[Contestant, ...]
    rules: Rules
    games: int
    seed: int

    matches: tuple[Match, ...]
    """The match of each pair, in the order of `itertools.combinations`."""

    opening: int | str = 0
    """The random moves before each game, or the kind of a fair opening."""

    @property
    def pairs(self) -> dict[tuple[int, int], Match]:
        """The matches by the indices of the first and the second."""
        indices = combinations(range(len(self.contestants)), 2)
        return dict(zip(indices, self.matches, strict=True))

    def record(self, one: int, other: int) -> Record:
        """Return the games of these two, from the view of `one`."""
        if one < other:
            return self.pairs[one, other].record
        return self.pairs[other, one].record.from_the_other_side

    def standings(self) -> tuple[CrosstableRow, ...]:
        """Return all standings, the strongest first; equals in the order of the contestants."""
        pairs = self.pairs
        records = {indices: match.record for indices, match in pairs.items()}
        rated = ratings(len(self.contestants), records)
        standings = []
        for place, rating in enumerate(rated):
            record, forfeits, times = Record(), Forfeits(), NO_TIMES
            for (first, second), match in pairs.items():
                if place == first:
                    record = record.with_(match.record)
                    forfeits = forfeits.with_(match.first_forfeits)
                    times = times.with_(match.first_times)
                elif place == second:
                    record = record.with_(match.record.from_the_other_side)
                    forfeits = forfeits.with_(match.second_forfeits)
                    times = times.with_(match.second_times)
            standings.append(CrosstableRow(place, record, rating, forfeits, times))
        return tuple(sorted(standings, key=lambda standing: -standing.rating.elo))

    def that_only_forfeited(self) -> list[Contestant]:
        """Return the contestants that forfeited every game they played."""
        return [
            self.contestants[standing.place]
            for standing in self.standings()
            if 0 < standing.record.games == standing.forfeits.games
        ]
