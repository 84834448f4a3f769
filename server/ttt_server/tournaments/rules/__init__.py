"""The rules of tournaments: a name, a form, a list of players, and the games to play. Pure.

`decide` turns commands into events, `advance` finds the automatic steps, `evolve` applies an event,
`standings` ranks the players. `forms` and `matching` pair them.
"""
