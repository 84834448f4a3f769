-- The tables of PostgreSQL, beside those of people.

CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE events (
    room text COLLATE "C" NOT NULL,
    seq int NOT NULL,
    event text NOT NULL,
    life int NOT NULL DEFAULT 0,
    last int,
    game int,
    saved bytea,
    dropped_at timestamptz,
    PRIMARY KEY (room, seq)
);
CREATE INDEX events_saved ON events (room, seq) WHERE saved IS NOT NULL;
CREATE INDEX events_dropped ON events (room, life) WHERE dropped_at IS NOT NULL;
CREATE TABLE lessons (
    id uuid PRIMARY KEY,
    hour int NOT NULL,
    games text NOT NULL,
    learned_at timestamptz NOT NULL
);
CREATE INDEX lessons_learned ON lessons (learned_at);
CREATE TABLE learned (
    room text COLLATE "C" PRIMARY KEY,
    seq int NOT NULL,
    row_seq int NOT NULL,
    seq_before int NOT NULL
);
CREATE TABLE deadlines (
    room text COLLATE "C" PRIMARY KEY,
    at bigint NOT NULL
);
CREATE INDEX deadlines_at ON deadlines (at);
CREATE TABLE servers (
    id uuid PRIMARY KEY,
    address text NOT NULL,
    started_at timestamptz NOT NULL,
    alive_until timestamptz NOT NULL,
    rooms int NOT NULL,
    connections int NOT NULL,
    listed int NOT NULL DEFAULT 0
);
CREATE TABLE rooms (
    name text COLLATE "C" PRIMARY KEY,
    owner uuid,
    summary jsonb,
    changed_at timestamptz NOT NULL,
    listed text,
    is_public boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
CREATE INDEX rooms_owner ON rooms (owner);
CREATE INDEX rooms_public ON rooms (name) WHERE is_public;
