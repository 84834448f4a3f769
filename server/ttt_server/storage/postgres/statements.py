"""Every statement that the server sends to PostgreSQL, and nothing else.

Each table has a key that begins with the room, the server or a name of its own; the statements of a
move, a join and a read touch only `events` and name one room a row. So `events` can be spread over
machines by `room`. `tests/server/storage/postgres/test_statements.py` holds the statements to that.
"""

from typing import Final

VERSION: Final = 2
"""The version of the schema, in `meta`. From this one on, a new version only adds to the one
before."""
VERSION_OF_0_1: Final = 1
"""The version of the schema that version 0.1 of the server has left."""

TABLES: Final = """
CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE events (
    room text COLLATE "C" NOT NULL,
    seq int NOT NULL,
    event text NOT NULL,
    PRIMARY KEY (room, seq)
);
CREATE TABLE snapshots (
    room text COLLATE "C" NOT NULL,
    seq int NOT NULL,
    game int NOT NULL,
    saved bytea NOT NULL,
    is_start boolean NOT NULL DEFAULT false,
    PRIMARY KEY (room, seq)
);
CREATE TABLE lessons (
    id uuid PRIMARY KEY,
    hour int NOT NULL,
    games text NOT NULL,
    learned_at timestamptz NOT NULL
);
CREATE INDEX lessons_learned ON lessons (learned_at);
CREATE TABLE learned (
    room text COLLATE "C" PRIMARY KEY,
    seq int NOT NULL
);
CREATE TABLE servers (
    id uuid PRIMARY KEY,
    address text NOT NULL,
    started_at timestamptz NOT NULL,
    alive_until timestamptz NOT NULL,
    rooms int NOT NULL,
    connections int NOT NULL
);
CREATE TABLE rooms (
    name text COLLATE "C" PRIMARY KEY,
    owner uuid,
    summary jsonb,
    changed_at timestamptz NOT NULL
);
CREATE INDEX rooms_owner ON rooms (owner);
CREATE INDEX rooms_changed ON rooms (changed_at);
"""
"""
    meta      the version of the schema, and the secret of the installation
    events    the logs, an event a row; (room, seq) is the fence between servers
    snapshots rooms between their games, after the event `seq`, with the number of the last game.
              Where the events before are no longer kept, the first snapshot `is_start`.
    lessons   what the learner knows: games that ended in an hour of Unix time, 0 if it is not
              known, as `04182X:3 0481:1`
    learned   for each room, the event up to which the games that ended are in `lessons`
    servers   the servers that are alive, or were until a moment ago
    rooms     the rooms in the memory of a server, or left by one: the owner, and what a list shows
"""

# Opening

LOCK_SCHEMA: Final = "SELECT pg_advisory_xact_lock(74747400)"
"""Only one server at a time looks at the schema and changes it."""

HAS_META: Final = "SELECT to_regclass('meta') IS NOT NULL"
HAS_OTHERS: Final = """
SELECT count(*) FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL
"""
GET_META: Final = "SELECT value FROM meta WHERE key = $1"
SET_META: Final = """
INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = $2
"""
DROP_META: Final = "DELETE FROM meta WHERE key = $1"
MAY_WRITE: Final = """
SELECT has_table_privilege('events', 'SELECT, INSERT, DELETE')
   AND has_table_privilege('rooms', 'SELECT, INSERT, UPDATE, DELETE')
   AND has_table_privilege('servers', 'SELECT, INSERT, UPDATE, DELETE')
   AND has_table_privilege('meta', 'SELECT, INSERT, UPDATE')
"""
COUNT_ALIVE: Final = "SELECT count(*) FROM servers WHERE alive_until > now()"

# Logs

APPEND: Final = """
INSERT INTO events (room, seq, event)
SELECT room, seq, event FROM unnest($1::text[], $2::int[], $3::text[]) AS new (room, seq, event)
WHERE EXISTS (
    SELECT FROM events AS last WHERE last.room = new.room AND last.seq = new.seq - 1
) OR (
    seq = 1 AND NOT EXISTS (
        SELECT FROM snapshots AS start WHERE start.room = new.room AND start.is_start
    )
)
ON CONFLICT DO NOTHING RETURNING room, seq
"""
"""Keep events of many rooms, one of each. A row whose number is taken, or would leave a gap, is not
among those returned."""

APPEND_SEVERAL: Final = f"""
WITH first AS ({APPEND}), rest AS (
    INSERT INTO events (room, seq, event)
    SELECT room, next.seq, event
    FROM unnest($4::text[], $5::int[], $6::int[], $7::text[]) AS next (room, after, seq, event)
    JOIN first USING (room) WHERE first.seq = after
), saved AS (
    INSERT INTO snapshots (room, seq, game, saved)
    SELECT room, new.seq, game, saved
    FROM unnest($8::text[], $9::int[], $10::int[], $11::int[], $12::bytea[])
        AS new (room, after, seq, game, saved)
    JOIN first USING (room) WHERE first.seq = after
)
SELECT room, seq FROM first
"""  # noqa: S608 - constants of ours
"""The same, with further events and snapshots of some rooms, which are kept if the first event
is."""

FIND: Final = "SELECT event FROM events WHERE room = $1 AND seq = $2"

_EXCERPT = """
SELECT seq, NULL AS event, saved FROM start UNION ALL
(
    SELECT seq, event, NULL FROM events
    WHERE room = $1 AND seq > coalesce((SELECT seq FROM start), {after}) {until}
)
ORDER BY seq
"""
LOAD_NEWEST: Final = f"""
WITH start AS (SELECT seq, saved FROM snapshots WHERE room = $1 ORDER BY seq DESC LIMIT 1)
{_EXCERPT.format(after=0, until="ORDER BY seq LIMIT $2::int")}
"""  # noqa: S608 - the same
LOAD_AFTER: Final = f"""
WITH start AS (SELECT seq, saved FROM snapshots WHERE room = $1 AND is_start AND seq > $2::int)
{_EXCERPT.format(after="$2::int", until="ORDER BY seq LIMIT $3::int")}
"""  # noqa: S608 - the same
_TO_NEXT_SNAPSHOT = """AND seq <= coalesce(
        (SELECT min(seq) FROM snapshots WHERE room = $1 AND game >= $2::int), 2147483647
    )"""
LOAD_GAME: Final = f"""
WITH start AS (
    SELECT seq, saved FROM snapshots
    WHERE room = $1 AND (game < $2::int OR is_start) ORDER BY seq DESC LIMIT 1
)
{_EXCERPT.format(after=0, until=_TO_NEXT_SNAPSHOT)}
"""  # noqa: S608 - the same
BROWSE: Final = """
WITH RECURSIVE names AS (
    (SELECT room FROM events WHERE room > $1 ORDER BY room LIMIT 1)
    UNION ALL
    SELECT (SELECT room FROM events WHERE room > names.room ORDER BY room LIMIT 1)
    FROM names WHERE names.room IS NOT NULL
)
SELECT room, (SELECT event FROM events WHERE events.room = names.room ORDER BY seq DESC LIMIT 1)
FROM names WHERE room IS NOT NULL LIMIT $2::int
"""
"""The last event of each room, without a look at the others."""

NEW_START: Final = """
SELECT max(seq) FROM (
    SELECT seq FROM snapshots
    WHERE room = $1 AND NOT is_start
      AND game <= (SELECT max(game) FROM snapshots WHERE room = $1) - $2::int
      AND seq <= (SELECT seq FROM learned WHERE room = $1)
    ORDER BY seq LIMIT $3::int
) AS old
"""
CUT_EVENTS: Final = "DELETE FROM events WHERE room = $1 AND seq <= $2"
CUT_SNAPSHOTS: Final = "DELETE FROM snapshots WHERE room = $1 AND seq < $2"
BEGIN_AT: Final = "UPDATE snapshots SET is_start = true WHERE room = $1 AND seq = $2"
DELETE: Final = "DELETE FROM events WHERE room = $1"
DELETE_SNAPSHOTS: Final = "DELETE FROM snapshots WHERE room = $1"
DELETE_MARK: Final = "DELETE FROM learned WHERE room = $1"
PROBE: Final = "UPDATE meta SET value = value WHERE key = 'schema'"
HAS_EVENTS: Final = "SELECT EXISTS (SELECT FROM events)"

# Lessons

UNREAD: Final = """
SELECT asked.room, coalesce(learned.seq, 0) AS mark, start.saved, events.event
FROM unnest($1::text[]) AS asked (room)
LEFT JOIN learned ON learned.room = asked.room
LEFT JOIN snapshots AS start
    ON start.room = asked.room AND start.is_start AND learned.room IS NULL
JOIN events ON events.room = asked.room AND events.seq > coalesce(learned.seq, 0)
ORDER BY asked.room, events.seq
"""
"""The events that the learner has not read; for a log not read at all also the room before it."""

SET_MARKS: Final = """
INSERT INTO learned (room, seq)
SELECT room, after FROM unnest($1::text[], $2::int[], $3::int[]) AS new (room, before, after)
ORDER BY room
ON CONFLICT (room) DO UPDATE SET seq = excluded.seq
WHERE learned.seq = (
    SELECT before FROM unnest($1::text[], $2::int[]) AS old (room, before)
    WHERE old.room = excluded.room
)
RETURNING room
"""
"""Move marks; a room that another server has read meanwhile is not among those returned."""

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

ROOMS: Final = "SELECT DISTINCT room FROM events ORDER BY room"
ALL_EVENTS: Final = "SELECT seq, event FROM events WHERE room = $1 ORDER BY seq"
ALL_SNAPSHOTS: Final = (
    "SELECT seq, game, saved, is_start FROM snapshots WHERE room = $1 ORDER BY seq, is_start DESC"
)
ALL_META: Final = "SELECT key, value FROM meta"
ALL_IN_MEMORY: Final = "SELECT name, summary::text FROM rooms"
ADD_WAITING: Final = "INSERT INTO rooms (name, summary, changed_at) VALUES ($1, $2::jsonb, now())"
ALL_LESSONS: Final = "SELECT hour, games FROM lessons"
ALL_MARKS: Final = "SELECT room, seq FROM learned"
ALL_LESSONS_OF_0_1: Final = """
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
REGISTER: Final = """
INSERT INTO servers (id, address, started_at, alive_until, rooms, connections)
VALUES ($1, $2, now(), now() + make_interval(secs => $3), 0, 0)
"""
RENEW: Final = """
UPDATE servers SET alive_until = now() + make_interval(secs => $2), rooms = $3, connections = $4
WHERE id = $1 RETURNING 1
"""
UNREGISTER: Final = "DELETE FROM servers WHERE id = $1"
SERVERS: Final = """
SELECT id, address, started_at, alive_until > now() AS is_alive, rooms, connections,
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
HAND_OVER: Final = "UPDATE rooms SET owner = NULL WHERE owner = $1"
SUMMARIZE: Final = """
UPDATE rooms SET summary = new.summary, changed_at = now()
FROM unnest($1::text[], $2::jsonb[]) AS new (name, summary)
WHERE rooms.name = new.name AND rooms.owner = $3
"""
LISTED: Final = """
SELECT rooms.name, rooms.summary FROM rooms
WHERE rooms.owner <> $1 AND rooms.summary IS NOT NULL
  AND rooms.changed_at > now() - make_interval(secs => $2)
"""
OWNED_BY_OTHERS: Final = """
SELECT rooms.name FROM rooms JOIN servers ON servers.id = rooms.owner
WHERE rooms.owner <> $1 AND rooms.summary IS NOT NULL AND servers.alive_until > now()
"""
ORPHANS: Final = """
SELECT rooms.name, rooms.summary FROM rooms
WHERE rooms.owner IS NULL
   OR NOT EXISTS (SELECT FROM servers WHERE id = rooms.owner AND alive_until > now())
ORDER BY rooms.name LIMIT $1
"""
DROP_ORPHANS: Final = """
DELETE FROM rooms WHERE name = ANY($1::text[]) AND (
    rooms.owner IS NULL
    OR NOT EXISTS (SELECT FROM servers WHERE id = rooms.owner AND alive_until > now())
)
"""
