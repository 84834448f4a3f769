"""A server is played through the commands, refusals and closes of `ttt.v1`.

`checks` are the scenes, `peer` is a connection that expects, and `run` prints a table of them.
"""
