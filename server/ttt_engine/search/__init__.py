"""Alpha-beta search on bitboards, within a budget of positions or of time.

`result` holds `search`, the way in, and `SearchResult`. Below it, `rounds` deepens ply by ply,
`tree` searches to one depth, `options` chooses the cells to try, and `state` knows the board.
`telling` searches the same trees, and tells each step.
"""

from ttt_engine.search.budget import Budget, TimeBudget
from ttt_engine.search.result import SearchResult, search, see_at_once
from ttt_engine.search.telling import telling

__all__ = ["Budget", "SearchResult", "TimeBudget", "search", "see_at_once", "telling"]
