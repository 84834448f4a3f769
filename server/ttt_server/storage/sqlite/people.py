"""The tables of people in SQLite, for the store in a file and the one in memory."""

import sqlite3
from collections.abc import Iterator, Sequence

from ttt_server.storage.base import Conflict
from ttt_server.storage.people import DDL, TABLES, Row, Statement, TableRows, Value


def make_tables(database: sqlite3.Connection) -> None:
    """Make the tables that are not there yet."""
    for statement in DDL:
        database.execute(statement)


def run(database: sqlite3.Connection, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
    """Run statements within the transaction that is open; return the rows of each.

    Raises:
        Conflict: if a row breaks a constraint; the transaction is as it was before.
        sqlite3.Error: if something else is wrong.
    """
    database.execute("SAVEPOINT people")
    try:
        return [database.execute(sql, _named(values)).fetchall() for sql, values in statements]
    except sqlite3.IntegrityError as error:
        database.execute("ROLLBACK TO people")
        raise Conflict(str(error)) from None
    finally:
        if database.in_transaction:  # SQLite itself rolls some failures back
            database.execute("RELEASE people")


def count_persons(database: sqlite3.Connection) -> int:
    """Return how many persons there are."""
    if "persons" not in _there(database):
        return 0
    (number,) = database.execute("SELECT count(*) FROM persons").fetchone()
    return int(number)


def read_tables(database: sqlite3.Connection, at_once: int) -> Iterator[TableRows]:
    """Yield all rows of all tables, so many at once."""
    there = _there(database)
    for table in (table for table in TABLES if table in there):
        cursor = database.execute(f"SELECT * FROM {table}")  # noqa: S608 - a name of ours
        columns = tuple(column for column, *_ in cursor.description)
        while rows := cursor.fetchmany(at_once):
            yield TableRows(table, columns, rows)


def write_rows(database: sqlite3.Connection, some: TableRows) -> None:
    """Add rows to a table."""
    columns, places = ", ".join(some.columns), ", ".join("?" * len(some.columns))
    insert = f"INSERT INTO {some.table} ({columns}) VALUES ({places})"  # noqa: S608 - names of ours
    database.executemany(insert, some.rows)


def _there(database: sqlite3.Connection) -> set[str]:
    """Return the tables that are there: an earlier version may have made the database."""
    return {name for (name,) in database.execute("SELECT name FROM sqlite_schema")}


def _named(values: tuple[Value, ...]) -> dict[str, Value]:
    """Return the values by the names of their parameters, `$1` and so on."""
    return {str(number): value for number, value in enumerate(values, 1)}
