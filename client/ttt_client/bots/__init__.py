"""Any program as a player: `ttt-client bot`.

`process` holds the program and its pipe, `player` plays games with it in a room and finds open
seats in the lobby, `foresight` finds what keeps a program from a seat or from any game, and
`report` writes lines and logs.
"""
