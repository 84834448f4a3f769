"""Watch a strategy think.

`trace` holds the way in, `steps` the vocabulary of what a strategy tells, and `node_counts` the
sizes of the trees that three kinds of search would look at.
"""
