"""The learner's memory: counted anew from the games in the logs, or without the newest lessons."""

import logging
from collections import defaultdict
from typing import Final
from uuid import uuid4

from ttt_protocol.codec import InvalidWire, decode_event
from ttt_server.core.lessons import Taught, lessons_of
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.lessons import HOUR_MS, parse_tallied, tallied_text
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
        games: list[Taught] = []
        room = ""
        lines: list[str] = []
        async for row in connection.cursor(statements.EVERYTHING, prefetch=_AT_ONCE):
            if row["room"] != room:
                games += _lessons(room, lines)
                room, lines = row["room"], []
            lines.append(row["event"])
        games += _lessons(room, lines)
        by_hour: defaultdict[int, list[Taught]] = defaultdict(list)
        for game in games:
            by_hour[game.at // HOUR_MS].append(game)
        for hour, taught in by_hour.items():
            text = tallied_text((each.lesson, 1) for each in taught)
            await connection.execute(statements.TEACH_AT, uuid4(), text, hour * HOUR_MS / 1000)


async def forget_since(connection: Connection, hour: int, *, dry: bool) -> int:
    """Forget the lessons since an hour of Unix time; return their number. `dry`: only count them.

    Raises:
        CannotOpen: if a server runs, which would go on with what it has in memory.
    """
    since_s = hour * HOUR_MS / 1000
    async with connection.transaction():
        if await connection.fetchval(statements.COUNT_ALIVE):
            raise CannotOpen("servers run on it: stop them first")
        games = await connection.fetchval(statements.COUNT_LESSONS_SINCE, since_s)
        for (text,) in await connection.fetch(statements.TAUGHT_SINCE, since_s):
            games += sum(times for _, times in parse_tallied(text))
        if not dry:
            await connection.execute(statements.FORGET_LESSONS_SINCE, since_s)
            await connection.execute(statements.FORGET_TAUGHT_SINCE, since_s)
        return int(games)


def _lessons(room: str, lines: list[str]) -> list[Taught]:
    try:
        return list(lessons_of(decode_event(line) for line in lines))
    except InvalidWire as error:  # such a room cannot be entered; the others go on
        logger.warning("room %s: no lessons from its log: %s", room, error)
        return []
