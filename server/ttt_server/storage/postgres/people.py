"""The tables of people in PostgreSQL, where all servers share them."""

from collections.abc import Iterator, Sequence
from typing import Final

import asyncpg

from ttt_server.storage.base import Conflict
from ttt_server.storage.people import DDL, Row, Statement
from ttt_server.storage.postgres.connecting import Connection
from ttt_server.storage.postgres.readers import Readers

_TRIES: Final = 3
"""How often a transaction is tried that another one keeps from going on."""


def tables() -> Iterator[str]:
    """Yield the statements that make what is not there. Text is ordered by code points."""
    for statement in DDL:
        yield statement.replace(" TEXT", ' TEXT COLLATE "C"')


class PostgresPeople:
    """The tables of people. A transaction takes one of the readers' connections."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers

    async def transact(self, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
        async with self._readers.take() as connection:
            for left in reversed(range(_TRIES)):
                try:
                    return await _run(connection, statements)
                except asyncpg.DeadlockDetectedError:
                    if not left:
                        raise
            raise AssertionError("the last try returns or raises")


async def _run(connection: Connection, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
    try:
        async with connection.transaction():
            return [
                [tuple(row) for row in await connection.fetch(sql, *values)]
                for sql, values in statements
            ]
    except asyncpg.IntegrityConstraintViolationError as error:
        raise Conflict(str(error)) from None
