"""Alpha-beta search on bitboards, within a budget of positions or of time.

`result` holds `search`, the way in, `SearchResult`, and trees that tell each step. Below it,
`negamax` goes on ply by ply, and searches a tree. On most boards `tree` does so, and `state` knows
the board and chooses the cells to try. Where marks fall, `drops` searches to the end of the game,
four in a row on 7x6 to a depth, too, and `ttt_engine.gravity` knows more of the board. On wide
boards without gravity `wide_tree` searches, `ttt_engine.threats` knows the board, and `proof` looks
for wins by threats. `nested` searches ultimate, and `turns` connect6.
"""

from ttt_engine.search.budget import Budget, TimeBudget
from ttt_engine.search.result import SearchResult, search, see_at_once

__all__ = ["Budget", "SearchResult", "TimeBudget", "search", "see_at_once"]
