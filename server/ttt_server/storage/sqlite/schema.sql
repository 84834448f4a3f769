-- The tables of a room's events in SQLite.

CREATE TABLE events (
    room TEXT NOT NULL,
    seq INTEGER NOT NULL,       -- of the first event in the row
    event TEXT NOT NULL,        -- one event or more, one a line
    PRIMARY KEY (room, seq)
) WITHOUT ROWID;
CREATE TABLE journal (
    room TEXT NOT NULL,
    seq INTEGER NOT NULL,
    event TEXT NOT NULL
);
CREATE TABLE snapshots (
    room TEXT NOT NULL,
    game INTEGER NOT NULL,      -- the number of the last game that had begun
    seq INTEGER NOT NULL,       -- of the last event before the snapshot
    saved BLOB NOT NULL,        -- the room between two games
    is_start INTEGER NOT NULL,  -- 1 where the events before it are gone; no other row may be lost
    PRIMARY KEY (room, game, seq)
) WITHOUT ROWID;
CREATE TABLE lessons (
    lesson TEXT NOT NULL,       -- cells in the order of play, then the winner: 04182X
    hour INTEGER NOT NULL,      -- of Unix time, in which the games ended; 0 if it is not known
    games INTEGER NOT NULL,
    PRIMARY KEY (lesson, hour)
) WITHOUT ROWID;
CREATE TABLE learned (
    room TEXT NOT NULL PRIMARY KEY,
    seq INTEGER NOT NULL        -- the games that ended up to this event are in `lessons`
) WITHOUT ROWID;
CREATE TABLE deadlines (
    room TEXT NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL         -- when to look at a room with days a move, in Unix ms
) WITHOUT ROWID;
CREATE INDEX deadlines_at ON deadlines (at);
