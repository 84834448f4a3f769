"""Strategies against each other.

`match` plays the games of a pair, and `contestant` names who may take part. `crosstable` puts the
matches together, `ratings` computes Elo from all of them, and intervals, and `sprt` ends a match
that is decided.
"""
