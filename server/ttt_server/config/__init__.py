"""The options of the server: their values and where they come from.

`options` has them all, `values` the kinds of their values, `sources` the flags, the environment and
the file.
"""
