"""Games in files.

`text_form` writes a game as a line of JSON, or as text that people read; both say all of it.
`psq`, `sgf` and `columns` hold what other programs know of a game, and `plain_game` turns one into
the other. `read_games` reads all of them. `docs/exports.md` describes the forms.
"""
