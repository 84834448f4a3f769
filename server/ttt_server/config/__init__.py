"""The options of the server: their values and where they come from.

`options` has them all, and reads the flags, the environment and the file; `values` has the kinds of
their values.
"""
