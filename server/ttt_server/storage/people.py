"""The tables of people, in SQL that SQLite and PostgreSQL both understand.

Statements are written once, for all stores:

- parameters are `$1`, `$2`, and so on; in a `SELECT`, one whose type is not evident is
  `CAST($1 AS BIGINT)`;
- columns are `TEXT`, which is ordered by code points, and `BIGINT`, so that times are Unix ms;
- conditions belong into the statements: `ON CONFLICT`, `INSERT … SELECT … WHERE`, `RETURNING`. What
  was read in an earlier transaction may have changed.
"""

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Final, NamedTuple, Protocol, TypeAlias

Value: TypeAlias = str | int | None
Row: TypeAlias = tuple[Value, ...]


class Statement(NamedTuple):
    """One statement with the values of its parameters."""

    sql: str
    values: tuple[Value, ...] = ()

    @property
    def only_reads(self) -> bool:
        return self.sql.lstrip().startswith("SELECT")


class PeopleTables(Protocol):
    """The tables of people in a store."""

    async def transact(self, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
        """Run the statements in one transaction; return the rows of each.

        Raises:
            Conflict: if a row breaks a key or a constraint; nothing of the transaction is kept.
            StorageFailed: if it failed; nothing is kept, unless it is `OutcomeUnknown`.
        """


async def run(tables: PeopleTables, *asked: tuple[Value, ...]) -> Sequence[Sequence[Row]]:
    """Run statements, each before its values, as `transact` does; return the rows of each."""
    return await tables.transact([Statement(str(sql), tuple(values)) for sql, *values in asked])


_SQL: Final = files("ttt_server.storage").joinpath("people.sql").read_text("utf-8")
DDL: Final = tuple(re.findall(r"^CREATE .*?(?=;$)", _SQL, re.DOTALL | re.MULTILINE))
"""Makes what is not there yet. A later version only adds to it."""

_MADE: Final = re.findall(r"^CREATE (?:UNIQUE )?(\w+) IF NOT EXISTS (\w+)", _SQL, re.MULTILINE)

RELATIONS: Final = tuple(name for _, name in _MADE)
"""The names of all tables and indexes."""

TABLES: Final = tuple(name for kind, name in _MADE if kind == "TABLE")
"""The names of the tables, in the order in which they are made."""


class TableRows(NamedTuple):
    """Some rows of one table, as they are copied."""

    table: str
    columns: tuple[str, ...]
    rows: Sequence[Row]


NOTE_UNREAD: Final = """
INSERT INTO unread (room, at) VALUES ($1, $2) ON CONFLICT (room) DO UPDATE SET at = excluded.at
"""
DROP_GAMES: Final = "DELETE FROM games WHERE room = $1 AND game <= $2"
DROP_ROOM: Final = "DELETE FROM games WHERE room = $1", "DELETE FROM unread WHERE room = $1"
