"""A server is played through the commands, refusals and closes of `ttt.v1`.

`checks` is the table of the checks, which `wire`, `games` and `members` have. A `scene` has the
peers of a check, a `peer` is a connection that expects, and `run` prints the table.
"""
