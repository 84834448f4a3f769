"""Alpha-beta search on bitboards, within a budget of positions or of time.

`result` holds `search`, the way in, and `SearchResult`. Below it, `deepening` goes on ply by ply,
and `negamax` searches a tree. On most boards `rounds` and `tree` do so; `options` chooses the cells
to try, and `state` knows the board. Where marks fall, `drops` searches to the end of the game, and
`ttt_engine.gravity` knows more of the board; four in a row on 7x6 has `judged` in place of `tree`.
On wide boards without gravity `wide_rounds` and `wide_tree` search, `ttt_engine.threats` knows the
board, and `proof` looks for wins by threats. `telling` searches the same trees, and tells each
step.
"""

from ttt_engine.search.budget import Budget, TimeBudget
from ttt_engine.search.result import SearchResult, search, see_at_once

__all__ = ["Budget", "SearchResult", "TimeBudget", "search", "see_at_once"]
