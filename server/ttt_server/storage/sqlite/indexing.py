"""Snapshots for the logs of older versions, made little by little while the server runs.

The table `indexing` has one row as long as some logs may lack snapshots: the place up to which all
have theirs. A piece of the work and the new place are one transaction, so that a kill costs a piece
at most.
"""

import sqlite3

TABLES = (
    """
CREATE TABLE indexing (
    room TEXT NOT NULL,
    seq INTEGER NOT NULL
)
""",
)


def begin(database: sqlite3.Connection) -> None:
    """Have all logs indexed."""
    database.execute("DELETE FROM indexing")
    database.execute("INSERT INTO indexing VALUES ('', 0)")
