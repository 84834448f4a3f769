"""The rules of tournaments: a name, a form, a list of players, and the games to play. Pure.

`decide` says what may happen, `advance` what follows by itself, `evolve` what a tournament is after
an event of its log, `standings` who is ahead. `forms` pair the players.
"""
