"""The learner's memory, counted anew from the games in the logs."""

import logging
from typing import Final
from uuid import uuid4

from ttt_engine.learning.memory import Lesson
from ttt_protocol.codec import InvalidWire
from ttt_server.core.events import decode
from ttt_server.core.lessons import lessons_of
from ttt_server.storage.lessons import tallied_text
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.connecting import Connection

logger = logging.getLogger(__name__)

_AT_ONCE: Final = 500
"""Rows that are read at once."""


async def relearn(connection: Connection) -> None:
    """Forget all lessons, and count the games in the logs, in one transaction."""
    async with connection.transaction():
        await connection.execute(statements.FORGET_LESSONS)
        await connection.execute(statements.FORGET_TAUGHT)
        games: list[Lesson] = []
        room = ""
        lines: list[str] = []
        async for row in connection.cursor(statements.EVERYTHING, prefetch=_AT_ONCE):
            if row["room"] != room:
                games += _lessons(room, lines)
                room, lines = row["room"], []
            lines.append(row["event"])
        games += _lessons(room, lines)
        await connection.execute(
            statements.TEACH, uuid4(), tallied_text((each, 1) for each in games)
        )


def _lessons(room: str, lines: list[str]) -> list[Lesson]:
    try:
        return list(lessons_of(decode(line) for line in lines))
    except InvalidWire as error:  # such a room cannot be entered; the others go on
        logger.warning("room %s: no lessons from its log: %s", room, error)
        return []
