"""The newest lessons leave the learner's memory, while no server runs on the file."""

import sqlite3
from contextlib import closing
from pathlib import Path

from ttt_engine.learning.memory import Memory
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.sqlite import lessons
from ttt_server.storage.sqlite.preflight import words
from ttt_server.storage.sqlite.schema import open_database
from ttt_server.storage.sqlite.tables import EventTables


def forget_since(path: Path, hour: int, *, dry: bool) -> int:
    """Forget the lessons since an hour of Unix time; return their number. `dry`: only count them.

    Raises:
        CannotOpen: with one line for the operator, also where a server runs.
    """
    if not path.exists():
        raise CannotOpen(f"{path}: there is no database")
    try:
        with closing(open_database(path, Memory())) as database:
            tables = EventTables(database)
            tables.settle()
            games = lessons.since(database, hour)
            if not dry:
                lessons.forget_since(database, hour)
            tables.commit()
    except sqlite3.Error as error:
        raise CannotOpen(f"{path}: {words(error)}") from None
    return games
