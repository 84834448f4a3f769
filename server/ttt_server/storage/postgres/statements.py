"""Every statement that the server sends to PostgreSQL for rooms, and nothing else.

`events` and `learned` may be spread over machines by `room` (see `schema`); the other tables stay
on one. So a statement names a room, or rows of rooms, or is the same in each part of a table; none
looks from one room into another, or touches tables of both kinds. docs/operating.md has the form of
each; `tests/server/storage/postgres/test_statements.py` holds the statements to it.

A parameter that is an array is of text: at the first array of another type in a session `asyncpg`
reads the types of the database, 50 ms, and ten times as long with Citus.
"""

from functools import cache
from importlib.resources import files
from typing import Final

VERSION: Final = 2
"""The version of the schema, in `meta`. From this one on, a new version only adds to the one
before."""
VERSION_OF_0_1: Final = 1
"""The version of the schema that version 0.1 of the server has left."""

TABLES: Final = files("ttt_server.storage.postgres").joinpath("schema.sql").read_text("utf-8")
"""
    meta      the version of the schema, and the secret of the installation
    events    the logs. An append is one row: its events, one a line, under the number of the first;
              so are appends to one room that come at once.
              (room, seq) is the fence between servers. With a snapshot of the room after them,
              `saved`, come the numbers of its `last` event and `game`. A row with a snapshot and
              without events is where a trimmed log begins. Rows that are no longer kept stay for an
              hour without their events, since `dropped_at`: a server that knows an old state of the
              log finds their numbers taken. A new log under the name of a deleted one has a higher
              number of `life`, and may take them.
    lessons   what the learner knows: games that ended in an hour of Unix time, 0 if it is not
              known, as `04182X:3 0481:1`
    learned   for each room, the event up to which the games that ended are in `lessons`, the row
              that has it, and the event that was noted before
    deadlines when to look at rooms whose games have days a move, in Unix ms
    servers   the servers that are alive, or were until a moment ago, and how many rooms each lists
    rooms     the rooms in the memory of a server, or left by one: the owner, a summary of what is
              due there, and of a public one what the list shows, as JSON. Columns that change often
              have no index, so that a change stays within its page
"""

# Opening

ADDITIONS: Final = """
ALTER TABLE servers ADD COLUMN IF NOT EXISTS listed int NOT NULL DEFAULT 0;
ALTER TABLE rooms
    ADD COLUMN IF NOT EXISTS listed text,
    ADD COLUMN IF NOT EXISTS is_public boolean NOT NULL DEFAULT false;
DROP INDEX IF EXISTS rooms_changed;
CREATE INDEX IF NOT EXISTS rooms_public ON rooms (name) WHERE is_public;
"""
"""What this build adds to the tables of an earlier one, whose servers may run on."""
HAS_ADDITIONS: Final = "SELECT to_regclass('rooms_public') IS NOT NULL"
LOCK_SCHEMA: Final = "SELECT pg_advisory_xact_lock(74747400)"
"""Only one server at a time looks at the schema and changes it."""

TIMELINE: Final = """
SELECT (SELECT system_identifier FROM pg_control_system())::text AS system,
       CASE WHEN pg_is_in_recovery() THEN 0 ELSE
           ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline
"""
"""Which database this is, and how often a standby of it was promoted; 0 for a standby."""

SESSION: Final = "SELECT pg_backend_pid()"
UNSAFE: Final = """
SELECT name FROM pg_settings
WHERE name IN ('fsync', 'synchronous_commit') AND setting = 'off'
ORDER BY name
"""
HAS_META: Final = "SELECT to_regclass('meta') IS NOT NULL"
HAS_OTHERS: Final = """
SELECT count(*) FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL
"""
LACKS: Final = "SELECT bool_or(to_regclass(name) IS NULL) FROM unnest($1::text[]) AS name"
"""Whether any of these tables and indexes is not there."""

GET_META: Final = "SELECT value FROM meta WHERE key = $1"
SET_META: Final = """
INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = $2
"""
DROP_META: Final = "DELETE FROM meta WHERE key = $1"
MAY_WRITE: Final = """
SELECT bool_and(has_table_privilege(name, needed)) FROM unnest($1::text[]) AS name,
       unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS needed
"""
COUNT_ALIVE: Final = "SELECT count(*) FROM servers WHERE alive_until > now()"

# Citus

HAS_CITUS: Final = "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL"
IS_WORKER: Final = "SELECT groupid <> 0 FROM pg_dist_local_group"
LAYOUT: Final = """
SELECT relname::text, partmethod, column_to_column_name(logicalrelid, partkey), colocationid
FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid
WHERE logicalrelid IN (SELECT to_regclass(name) FROM unnest($1::text[]) AS name)
ORDER BY relname
"""
"""How Citus keeps these tables; none of those that it does not know."""

DISTRIBUTE: Final = """
SELECT create_distributed_table($1::text::regclass, 'room', colocate_with => $2)
"""
DROP_LOCAL: Final = "SELECT truncate_local_data_after_distributing_table($1::text::regclass)"
PARTS: Final = """
SELECT count(*), count(DISTINCT groupid) FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
WHERE logicalrelid = 'events'::regclass
"""

# Logs


@cache
def of_rows(statement: str, count: int) -> str:
    """Return a statement that inserts one row as one that inserts so many.

    The parameters of each row follow on those of the row before it.
    """
    head, values, rest = statement.partition("VALUES ")
    row, end, tail = rest.partition("\n")
    width = row.count("$")
    rows = (range(first, first + width) for first in range(1, count * width + 1, width))
    text = ", ".join("(" + ", ".join(f"${number}" for number in row) + ")" for row in rows)
    return f"{head}{values}{text}{end}{tail}"


APPEND: Final = """
INSERT INTO events (room, seq, event) VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING RETURNING room, seq
"""
"""Keep appends to many rooms. A row whose number is taken is not among those returned. For more
rows than one: `of_rows`."""

APPEND_MORE: Final = """
INSERT INTO events (room, seq, event, life, last, game, saved)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (room, seq) DO UPDATE
SET event = excluded.event, life = excluded.life, last = excluded.last, game = excluded.game,
    saved = excluded.saved, dropped_at = NULL
WHERE events.dropped_at IS NOT NULL AND events.life < excluded.life
RETURNING room, seq
"""
"""The same with snapshots, and for logs that follow on a deleted one of the same name."""

FIND: Final = "SELECT event FROM events WHERE room = $1 AND seq = $2"
TAIL: Final = """
SELECT seq, event, life, last FROM events
WHERE room = $1 AND dropped_at IS NULL ORDER BY seq DESC LIMIT 1
"""
_NEW_LIFE = """
SELECT {columns} FROM events WHERE room = $1 AND dropped_at IS NOT NULL
"""
NEW_LIFE: Final = _NEW_LIFE.format(columns="coalesce(max(life) + 1, 0)")

_EVENTS_AFTER = """
SELECT seq, event, life, NULL::int AS last, NULL::bytea AS saved FROM events
WHERE room = $1 AND dropped_at IS NULL AND event <> '' AND seq >= coalesce(
    (SELECT last FROM start) + 1,
    (SELECT max(seq) FROM events WHERE room = $1 AND dropped_at IS NULL AND seq <= {after} + 1),
    0
)
"""
_NO_EVENTS = _NEW_LIFE.format(columns="0, '', coalesce(max(life) + 1, 0), 0, NULL::bytea")
_EXCERPT = f"""
SELECT seq, '' AS event, life, last, saved FROM start
UNION ALL ({{events}} {{until}} ORDER BY seq {{most}})
UNION ALL {_NO_EVENTS}
ORDER BY last NULLS LAST, seq
"""  # noqa: S608 - constants of ours
"""First the end of a log that has no events yet, then the room to begin at, then the events."""

LOAD_NEWEST: Final = f"""
WITH start AS (
    SELECT seq, life, last, saved FROM events
    WHERE room = $1 AND saved IS NOT NULL ORDER BY seq DESC LIMIT 1
)
{_EXCERPT.format(events=_EVENTS_AFTER.format(after=0), until="", most="LIMIT $2::int")}
"""  # noqa: S608 - the same
LOAD_AFTER: Final = f"""
WITH start AS (
    SELECT seq, life, last, saved FROM events
    WHERE room = $1 AND saved IS NOT NULL AND event = '' AND last > $2::int
)
{_EXCERPT.format(events=_EVENTS_AFTER.format(after="$2::int"), until="", most="LIMIT $3::int")}
"""  # noqa: S608 - the same
_TO_NEXT_SNAPSHOT = """AND seq <= coalesce(
    (
        SELECT min(seq) FROM events
        WHERE room = $1 AND saved IS NOT NULL AND game >= $2::int
    ),
    2147483647
)"""
LOAD_GAME: Final = f"""
WITH start AS (
    SELECT seq, life, last, saved FROM events
    WHERE room = $1 AND saved IS NOT NULL AND (game < $2::int OR event = '')
    ORDER BY seq DESC LIMIT 1
)
{_EXCERPT.format(events=_EVENTS_AFTER.format(after=0), until=_TO_NEXT_SNAPSHOT, most="")}
"""  # noqa: S608 - the same
BROWSE: Final = """
SELECT room, max(seq) AS seq FROM events WHERE room > $1 GROUP BY room ORDER BY room LIMIT $2::int
"""
"""The last row of each room, also of deleted ones."""

NEW_START: Final = """
SELECT max(seq) FROM (
    SELECT seq FROM events
    WHERE room = $1 AND saved IS NOT NULL AND event <> ''
      AND game <= $2::int AND last <= $3::int
    ORDER BY seq LIMIT $4::int
) AS old
"""
MARK: Final = "SELECT seq FROM learned WHERE room = $1"
NEWEST_GAME: Final = "SELECT max(game) FROM events WHERE room = $1 AND saved IS NOT NULL"
CUT: Final = """
UPDATE events
SET event = '', last = NULL, game = NULL, saved = NULL, dropped_at = now()
WHERE room = $1 AND seq < $2 AND dropped_at IS NULL
"""
BEGIN_AT: Final = "UPDATE events SET event = '' WHERE room = $1 AND seq = $2 RETURNING game"
END: Final = """
INSERT INTO events (room, seq, event, life, dropped_at)
SELECT room, 1 + coalesce(last, seq + length(event) - length(replace(event, E'\\n', ''))),
       '', life, now()
FROM events WHERE room = $1 AND dropped_at IS NULL ORDER BY seq DESC LIMIT 1
ON CONFLICT (room, seq) DO UPDATE SET life = excluded.life, dropped_at = excluded.dropped_at
WHERE events.dropped_at IS NOT NULL RETURNING seq
"""
"""Take the number that would follow on the last event of a log, which is deleted. Nothing is
returned without a log, or if another server has just taken the number."""
REWRITE: Final = "UPDATE events SET event = $3, saved = $4 WHERE room = $1 AND seq = $2"
DELETE_MARK: Final = "DELETE FROM learned WHERE room = $1"
PURGE: Final = "DELETE FROM events WHERE dropped_at < now() - make_interval(secs => $1)"
_NOTE = """
INSERT INTO {table} (room, at)
SELECT room, at::bigint FROM unnest($1::text[], $2::text[]) AS new (room, at) ORDER BY room
ON CONFLICT (room) DO UPDATE SET at = excluded.at
"""
NOTE_DEADLINES: Final = _NOTE.format(table="deadlines")
NOTE_UNREAD: Final = _NOTE.format(table="unread")
"""Of the tables of people, and the only one that is written for a move. In order, as those are who
drop the notes."""
DROP_DEADLINES: Final = "DELETE FROM deadlines WHERE room = ANY($1::text[])"
DEADLINES: Final = "SELECT room, at FROM deadlines ORDER BY at LIMIT $1"
PROBE: Final = "UPDATE meta SET value = value WHERE key = 'schema'"
HAS_EVENTS: Final = "SELECT true FROM events WHERE dropped_at IS NULL LIMIT 1"

HAS_PERSONS: Final = "SELECT true FROM persons LIMIT 1"

# Lessons

UNREAD: Final = """
SELECT events.room, coalesce(learned.seq, 0) AS mark, events.seq, events.event,
       events.last, events.saved
FROM events LEFT JOIN learned ON learned.room = events.room
WHERE events.room = ANY($1::text[]) AND events.dropped_at IS NULL
  AND events.seq >= coalesce(learned.row_seq, 0)
ORDER BY events.room, events.seq
"""
"""The rows with events that the learner has not read."""

UNREAD_ROWS: Final = """
SELECT events.room, coalesce(learned.seq, 0) AS mark, array_agg(events.seq) AS rows
FROM events LEFT JOIN learned ON learned.room = events.room
WHERE events.room = ANY($1::text[]) AND events.dropped_at IS NULL
  AND events.seq >= coalesce(learned.row_seq, 0)
GROUP BY events.room, learned.seq
"""
"""The numbers of these rows: with what a server knows of their games, it need not read them."""

SET_MARKS: Final = """
INSERT INTO learned (room, seq, row_seq, seq_before) VALUES ($1, $2, $3, $4)
ON CONFLICT (room) DO UPDATE
SET seq = excluded.seq, row_seq = excluded.row_seq, seq_before = excluded.seq_before
WHERE learned.seq = excluded.seq_before
RETURNING room
"""
"""Move marks; a room that another server has read meanwhile is not among those returned. The rooms
are in order, so that two servers do not wait for each other."""

TEACH: Final = "INSERT INTO lessons (id, hour, games, learned_at) VALUES ($1, $2, $3, now())"
RECALL: Final = "SELECT games FROM lessons"
NEW_LESSONS: Final = """
SELECT id, games FROM lessons WHERE learned_at > now() - make_interval(secs => $1)
"""
FORGET_LESSONS: Final = "DELETE FROM lessons"
FORGET_MARKS: Final = "DELETE FROM learned"
LESSONS_SINCE: Final = "SELECT games FROM lessons WHERE hour >= $1"
FORGET_SINCE: Final = "DELETE FROM lessons WHERE hour >= $1"

# Whole installations

ROOMS: Final = "SELECT DISTINCT room FROM events WHERE dropped_at IS NULL ORDER BY room"
ALL_EVENTS: Final = """
SELECT seq, event, last, game, saved FROM events
WHERE room = $1 AND dropped_at IS NULL ORDER BY seq
"""
ROOMS_OF_0_1: Final = "SELECT DISTINCT room FROM events ORDER BY room"
EVENTS_OF_0_1: Final = "SELECT seq, event FROM events WHERE room = $1 ORDER BY seq"
SNAPSHOTS_OF_0_1: Final = (
    "SELECT seq, game, saved, is_start FROM snapshots WHERE room = $1 ORDER BY seq, is_start DESC"
)
ALL_META: Final = "SELECT key, value FROM meta"
ALL_IN_MEMORY: Final = "SELECT name, summary::text FROM rooms"
ADD_WAITING: Final = "INSERT INTO rooms (name, summary, changed_at) VALUES ($1, $2::jsonb, now())"
ALL_LESSONS: Final = "SELECT hour, games FROM lessons"
ALL_DEADLINES: Final = "SELECT room, at FROM deadlines"
ALL_ROWS: Final = "SELECT * FROM {table}"
ALL_MARKS: Final = "SELECT room, seq FROM learned"
LESSONS_OF_0_1: Final = """
SELECT floor(extract(epoch FROM taught_at) / 3600)::int AS hour, lesson || ':1' AS games
FROM events WHERE taught_at IS NOT NULL
UNION ALL SELECT floor(extract(epoch FROM taught_at) / 3600)::int, games FROM lessons
"""
"""The lessons of version 0.1, which learned from games as they ended."""

# Servers

TRY_LOCK: Final = "SELECT pg_try_advisory_lock($1)"
UNLOCK: Final = "SELECT pg_advisory_unlock($1)"
END_OLD_SESSION: Final = """
SELECT pg_terminate_backend(pid) FROM pg_locks
WHERE locktype = 'advisory' AND pid <> pg_backend_pid() AND objsubid = 1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND (classid::bigint << 32 | objid::bigint) = $1
"""
CLOCK: Final = "SELECT extract(epoch FROM clock_timestamp())::float8"
REGISTER: Final = """
INSERT INTO servers (id, address, started_at, alive_until, rooms, connections)
VALUES ($1, $2, now(), now() + make_interval(secs => $3), 0, 0)
"""
RENEW: Final = """
UPDATE servers
SET alive_until = now() + make_interval(secs => $2), rooms = $3, connections = $4, listed = $5
WHERE id = $1 RETURNING extract(epoch FROM clock_timestamp())::float8
"""
UNREGISTER: Final = "DELETE FROM servers WHERE id = $1"
SERVERS: Final = """
SELECT id, address, started_at, alive_until > now() AS is_alive, rooms, connections, listed,
       alive_until - now() AS rest
FROM servers ORDER BY started_at, id
"""
REAP: Final = """
DELETE FROM servers WHERE id <> $1 AND alive_until <= now() RETURNING id
"""
REAP_UNLOCKED: Final = """
DELETE FROM servers
WHERE id <> $1 AND (
    alive_until <= now()
    OR pg_try_advisory_xact_lock(('x' || left(replace(id::text, '-', ''), 15))::bit(60)::bigint)
) RETURNING id
"""
"""A lock that is free here is that of a session that has ended. It is held until the row is gone,
so that a server whose session breaks finds out, as it takes its lock again."""

# Rooms

CLAIM: Final = """
INSERT INTO rooms (name, owner, changed_at)
SELECT name, $2::uuid, now() FROM unnest($1::text[]) AS new (name) ORDER BY name
ON CONFLICT (name) DO UPDATE SET owner = $2
WHERE rooms.owner IS NULL OR rooms.owner = $2
   OR NOT EXISTS (SELECT FROM servers WHERE id = rooms.owner AND alive_until > now())
RETURNING name
"""
OWNERS: Final = """
SELECT rooms.name, servers.address FROM rooms JOIN servers ON servers.id = rooms.owner
WHERE rooms.name = ANY($1::text[]) AND servers.alive_until > now()
"""
HOLD_ROOM: Final = """
INSERT INTO rooms (name, owner, changed_at) VALUES ($1, $2, now())
ON CONFLICT DO NOTHING RETURNING 1
"""
LOCK_ROOM: Final = "SELECT owner FROM rooms WHERE name = $1 FOR UPDATE"
RELEASE: Final = "DELETE FROM rooms WHERE name = ANY($1::text[]) AND owner = $2"
HAND_ON: Final = "UPDATE rooms SET owner = $3 WHERE name = $1 AND owner = $2"
HAND_OVER: Final = "UPDATE rooms SET owner = NULL WHERE owner = $1"
SUMMARIZE: Final = """
UPDATE rooms
SET summary = new.summary::jsonb, listed = new.listed, is_public = new.listed IS NOT NULL,
    changed_at = CASE
        WHEN rooms.summary IS NULL OR changed_at < now() - make_interval(secs => $5) THEN now()
        ELSE changed_at
    END
FROM unnest($1::text[], $2::text[], $3::text[]) AS new (name, summary, listed)
WHERE rooms.name = new.name AND rooms.owner = $4
"""
LISTED: Final = """
SELECT name, owner, listed FROM rooms
WHERE is_public AND name > $1 AND (owner = ANY($2::text[]::uuid[])) IS TRUE ORDER BY name LIMIT $3
"""
"""A page of the list. `IS TRUE` keeps the planner from reading all rooms of the owners."""

FREE: Final = "UPDATE rooms SET owner = NULL WHERE owner = ANY($1::text[]::uuid[])"
FREE_LOST: Final = """
UPDATE rooms SET owner = NULL
WHERE owner IS NOT NULL AND NOT EXISTS (SELECT FROM servers WHERE id = rooms.owner)
"""
ADOPT: Final = """
UPDATE rooms SET owner = $1 WHERE name IN (
    SELECT name FROM rooms
    WHERE owner IS NULL AND (summary IS NULL OR (summary ->> 'runs')::boolean)
      AND name <> ALL($3::text[])
    ORDER BY (summary ->> 'left')::float8 NULLS LAST LIMIT $2 FOR UPDATE SKIP LOCKED
) RETURNING name, summary, is_public
"""
"""Take rooms in which something is due; those with a running clock first."""

ORPHANS: Final = """
SELECT name FROM rooms WHERE owner IS NULL AND NOT (summary ->> 'runs')::boolean
ORDER BY name LIMIT $1
"""
DROP_ORPHANS: Final = """
DELETE FROM rooms WHERE name = ANY($1::text[]) AND (
    rooms.owner IS NULL
    OR NOT EXISTS (SELECT FROM servers WHERE id = rooms.owner AND alive_until > now())
)
"""
