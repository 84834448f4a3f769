"""The count of a match while its games come in, in any order."""

from collections.abc import MutableMapping

from ttt_engine.arena.match import Match, PairGame
from ttt_engine.arena.sprt import Sprt, Verdict


class MatchTally:
    """Counts the games of a pair in the order of their numbers, and ends where a test decides.

    So the result is the same whatever the order in which games come, and however many are played
    side by side. The test looks after every second game, when both have played either side.

    Args:
        games: the most that count.
        sprt: the test, if there is one.
    """

    def __init__(self, games: int, sprt: Sprt | None = None) -> None:
        self.match = Match()
        self.verdict: Verdict | None = None
        self._games = games
        self._sprt = sprt
        self._next = 0

    def count(self, games: MutableMapping[int, PairGame]) -> None:
        """Take the games out, by their numbers, that follow those that were counted."""
        while self._next < self._games and self.verdict is None:
            if (played := games.pop(self._next, None)) is None:
                return
            self.match = self.match.with_game(played)
            self._next += 1
            if self._sprt is not None and self._next % 2 == 0:
                self.verdict = self._sprt.verdict(self.match.record)
