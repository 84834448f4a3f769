"""The options of the server: what each may be, and where its value comes from.

`options` has them all, `values` the kinds of their values, `sources` the flags, the environment and
the file.
"""
