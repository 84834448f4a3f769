"""What a run of chaos leaves behind, checked from what each client was told and the tables alone.

No code of the server is used here: JSON over sockets, and SQL.
"""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import asyncpg

Message = dict[str, Any]


EVENTS = """
SELECT room, seq, event FROM events WHERE dropped_at IS NULL AND event <> '' ORDER BY room, seq
"""


@dataclass
class Told:
    """All that one connection was told about a room, in order."""

    room: str
    messages: list[Message] = field(default_factory=list)


async def faults(database: str, told: list[Told]) -> list[str]:
    """Everything that is wrong; empty if nothing is."""
    connection = await asyncpg.connect(database)
    rows = await connection.fetch(EVENTS)
    await connection.close()
    logs: dict[str, list[tuple[int, Message]]] = defaultdict(list)
    for room, seq, event in rows:
        logs[room] += enumerate(map(json.loads, event.splitlines()), seq)
    found = []
    for room, log in logs.items():
        numbers = [seq for seq, _ in log]
        if numbers != list(range(1, len(log) + 1)):
            found.append(f"{room}: the numbers of its log are {numbers}")
        plies = [(event["game"], event["ply"]) for _, event in log if event["type"] == "played"]
        if len(plies) != len(set(plies)):
            found.append(f"{room}: a move was made twice: {plies}")
    for one in told:
        found += _faults_of(one, dict(logs[one.room]))
    return found


def _faults_of(told: Told, log: dict[int, Message]) -> list[str]:
    """What one connection was told that the log does not say, or in another order."""
    found, newest = [], 0
    for message in told.messages:
        for event in message.get("events", ()):
            kept = log.get(event["seq"])
            if kept is None:
                found.append(f"{told.room}: event {event['seq']} was told, and is not kept")
            elif any(event[key] != kept.get(key) for key in ("type", "at") if key in event):
                found.append(f"{told.room}: event {event['seq']} was told otherwise")
        room = message.get("room")
        if isinstance(room, dict):
            if room["seq"] < newest:
                found.append(f"{told.room}: {newest} was told, and {room['seq']} after it")
            newest = max(newest, room["seq"])
            if room["seq"] > max(log, default=0):
                found.append(f"{told.room}: state {room['seq']} was told, and is not kept")
    return found
