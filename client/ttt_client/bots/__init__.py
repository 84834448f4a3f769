"""Any program as a player: `ttt-client bot`.

`process` holds the program and its pipe, `player` plays games with it in a room, `lobby` finds open
seats, `check` tries a program before any game, `foresight` finds what keeps it from a seat, and
`report` writes lines and logs.
"""
