"""Games in files.

`text_form` writes a game as a line of JSON, or as text that people read; both say all of it.
`other_forms` holds what other programs know of a game. `read_games` reads all of them.
`docs/exports.md` describes the forms.
"""

from ttt_protocol.exports.other_forms import NoSuchForm, as_columns, as_psq, as_sgf, plain
from ttt_protocol.exports.read_games import MOST_IN_LINE, InvalidExport, read_games
from ttt_protocol.exports.text_form import as_json, as_text

__all__ = [
    "MOST_IN_LINE",
    "InvalidExport",
    "NoSuchForm",
    "as_columns",
    "as_json",
    "as_psq",
    "as_sgf",
    "as_text",
    "plain",
    "read_games",
]
