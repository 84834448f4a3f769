"""Games in files: a game a line as JSON, or as text that people read.

`write_game` writes a game in either form, and `read_games` reads either.
`docs/exports.md` describes both forms.
"""

from ttt_protocol.exports.read_games import InvalidExport, read_games
from ttt_protocol.exports.write_game import as_json, as_text

__all__ = ["InvalidExport", "as_json", "as_text", "read_games"]
