"""A server is played through the commands, refusals and closes of `ttt.v1`.

`run` has the table of the checks, which are in `wire`, `games` and `members`, and prints what
holds. A `stage` has the peers of a check: connections that expect.
"""
