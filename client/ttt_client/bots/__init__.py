"""Any program as a player: `ttt-client bot`.

`process` holds the program and its pipe, `player` plays games with it in a room, `lobby` finds open
seats, `check` tries a program before any game, and `report` writes lines and logs.
"""
