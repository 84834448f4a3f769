"""`ttt-server copy`: a whole installation, from one store to another.

`command` reads the arguments; `sqlite` and `postgres` have the two kinds of ends.
"""
