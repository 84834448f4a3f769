-- The tables of people, for SQLite and PostgreSQL alike: see people.py.

-- Persons
CREATE TABLE IF NOT EXISTS persons (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,             -- as it was typed
    skeleton TEXT NOT NULL,         -- the same for all names that look alike
    since BIGINT NOT NULL,
    seen BIGINT NOT NULL,           -- of the last visit, about
    epoch BIGINT NOT NULL,          -- tokens of other epochs are void
    phrase TEXT,                    -- the hash of the recovery phrase
    wrong BIGINT NOT NULL,          -- phrases tried in vain since `wrong_since`
    wrong_since BIGINT NOT NULL,
    settings TEXT NOT NULL          -- JSON
);
CREATE UNIQUE INDEX IF NOT EXISTS persons_skeleton ON persons (skeleton);
CREATE INDEX IF NOT EXISTS persons_seen ON persons (seen);
CREATE TABLE IF NOT EXISTS person_links (
    code TEXT NOT NULL PRIMARY KEY, -- the hash of the code that another device shows once
    person TEXT NOT NULL,
    expires BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS person_links_person ON person_links (person);
CREATE TABLE IF NOT EXISTS person_identities (
    issuer TEXT NOT NULL,           -- an OpenID provider, or the proxy
    subject TEXT NOT NULL,          -- whom the issuer means
    person TEXT NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX IF NOT EXISTS person_identities_person ON person_identities (person);

-- Games, as they follow from the logs
CREATE TABLE IF NOT EXISTS games (
    room TEXT NOT NULL,
    game BIGINT NOT NULL,           -- its number in the room
    person TEXT NOT NULL,
    seq BIGINT NOT NULL,            -- the event after which this is so
    stage BIGINT NOT NULL,          -- 0 while the person is to move, 1 while it runs, 2 at the end
    at BIGINT NOT NULL,             -- of that event, in Unix ms
    seat TEXT NOT NULL,             -- X or O
    board TEXT NOT NULL,            -- the rules, as the engine writes them
    opponent TEXT NOT NULL,         -- the name in the other seat
    opponent_key TEXT NOT NULL,     -- the same, folded
    opponent_person TEXT NOT NULL,  -- empty for a guest and an AI
    is_public BIGINT NOT NULL,      -- 1 if everyone may know of it
    facts TEXT NOT NULL,            -- JSON: what a list shows
    PRIMARY KEY (room, game, person)
);
CREATE INDEX IF NOT EXISTS games_listed ON games (person, stage, at, room, game);
CREATE INDEX IF NOT EXISTS games_by_board
    ON games (person, board, stage, at, room, game);
CREATE INDEX IF NOT EXISTS games_by_opponent
    ON games (person, opponent_key, stage, at, room, game);
CREATE INDEX IF NOT EXISTS games_against ON games (opponent_person);
CREATE TABLE IF NOT EXISTS unread (
    room TEXT NOT NULL PRIMARY KEY, -- its log may have events that the tables above lack
    at BIGINT NOT NULL              -- when an event was about to be kept, in Unix ms
);

-- Ratings
CREATE TABLE IF NOT EXISTS rated_games (
    board TEXT NOT NULL,
    pace TEXT NOT NULL,
    at BIGINT NOT NULL,             -- when it ended: games count in the order of at, room, number
    room TEXT NOT NULL,
    number BIGINT NOT NULL,
    x TEXT NOT NULL,                -- the persons
    o TEXT NOT NULL,
    points BIGINT NOT NULL,         -- half points of X
    x_gain BIGINT,                  -- NULL until it is counted, as are the rest
    o_gain BIGINT,
    x_points BIGINT,                -- the standings after the game, in whole numbers
    x_deviation BIGINT,
    x_volatility BIGINT,
    x_games BIGINT,
    o_points BIGINT,
    o_deviation BIGINT,
    o_volatility BIGINT,
    o_games BIGINT,
    PRIMARY KEY (room, number, at)
);
CREATE INDEX IF NOT EXISTS rated_games_order
    ON rated_games (board, pace, at, room, number);
CREATE INDEX IF NOT EXISTS rated_games_uncounted
    ON rated_games (board, pace, at, room, number) WHERE x_gain IS NULL;
CREATE INDEX IF NOT EXISTS rated_games_x
    ON rated_games (x, board, pace, at, room, number);
CREATE INDEX IF NOT EXISTS rated_games_o
    ON rated_games (o, board, pace, at, room, number);
CREATE TABLE IF NOT EXISTS ratings (
    person TEXT NOT NULL,
    board TEXT NOT NULL,
    pace TEXT NOT NULL,
    points BIGINT NOT NULL,
    deviation BIGINT NOT NULL,
    games BIGINT NOT NULL,
    PRIMARY KEY (person, board, pace)
);
CREATE INDEX IF NOT EXISTS ratings_ladder ON ratings (board, pace, points);
CREATE TABLE IF NOT EXISTS rating_turns (
    board TEXT NOT NULL,
    pace TEXT NOT NULL,
    turn TEXT NOT NULL,             -- of whoever counted last: two servers do not count at once
    PRIMARY KEY (board, pace)
);
CREATE TABLE IF NOT EXISTS rated_pairs (
    pair TEXT NOT NULL PRIMARY KEY, -- two persons
    games BIGINT NOT NULL           -- to lock the row by; `rated_ends` has the games of a day
);
CREATE TABLE IF NOT EXISTS rated_ends (
    pair TEXT NOT NULL,
    room TEXT NOT NULL,
    number BIGINT NOT NULL,         -- of the game in its room
    at BIGINT NOT NULL,
    of_day BIGINT NOT NULL,         -- which game of the pair it is within a day, from 1
    PRIMARY KEY (pair, room, number)
);

-- Challenges
CREATE TABLE IF NOT EXISTS challenges (
    id TEXT NOT NULL PRIMARY KEY,
    challenger TEXT NOT NULL,       -- a person, as is `challenged`
    challenged TEXT NOT NULL,
    settings TEXT NOT NULL,         -- of the room, as JSON
    room TEXT NOT NULL,             -- a name that nobody guesses
    sent BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    state TEXT NOT NULL             -- open, accepted or declined
);
CREATE UNIQUE INDEX IF NOT EXISTS challenges_open
    ON challenges (challenger, challenged) WHERE state = 'open';
CREATE INDEX IF NOT EXISTS challenges_challenger ON challenges (challenger);
CREATE INDEX IF NOT EXISTS challenges_challenged ON challenges (challenged);
CREATE INDEX IF NOT EXISTS challenges_expires ON challenges (expires);
CREATE TABLE IF NOT EXISTS blocks (
    person TEXT NOT NULL,
    blocked TEXT NOT NULL,          -- a person whose challenges the other takes no more
    PRIMARY KEY (person, blocked)
);
CREATE INDEX IF NOT EXISTS blocks_blocked ON blocks (blocked);

-- Notices
CREATE TABLE IF NOT EXISTS notices (
    id TEXT NOT NULL PRIMARY KEY,   -- of what it tells: the same turn has no other notice
    person TEXT NOT NULL,
    place TEXT NOT NULL,            -- the path of the page: rooms/den
    notice TEXT NOT NULL,           -- JSON
    due BIGINT NOT NULL,
    told BIGINT NOT NULL,           -- 0 while it waits
    teller TEXT NOT NULL            -- of the transaction in which it came to be told
);
CREATE INDEX IF NOT EXISTS notices_due ON notices (told, due);
CREATE INDEX IF NOT EXISTS notices_place ON notices (place);
CREATE INDEX IF NOT EXISTS notices_person ON notices (person, told, id);
CREATE TABLE IF NOT EXISTS notice_ways (
    notice TEXT NOT NULL,
    way TEXT NOT NULL,              -- `webhook`, or the endpoint of a browser
    service TEXT NOT NULL,          -- `webhook`, or the origin of the endpoint
    made BIGINT NOT NULL,
    due BIGINT NOT NULL,            -- of the next try
    tries BIGINT NOT NULL,
    claimed BIGINT NOT NULL,        -- until when a server has it to itself
    claimer TEXT NOT NULL,
    PRIMARY KEY (notice, way)
);
CREATE INDEX IF NOT EXISTS games_turns ON games (at) WHERE stage = 0;
CREATE INDEX IF NOT EXISTS notice_ways_due ON notice_ways (due);
CREATE INDEX IF NOT EXISTS notice_ways_made ON notice_ways (made);
CREATE TABLE IF NOT EXISTS pushes (
    endpoint TEXT NOT NULL PRIMARY KEY,
    person TEXT NOT NULL,
    service TEXT NOT NULL,          -- its origin
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    language TEXT NOT NULL,
    since BIGINT NOT NULL,
    failing BIGINT NOT NULL         -- since when no push has been taken; 0 if the last one was
);
CREATE INDEX IF NOT EXISTS pushes_person ON pushes (person);
CREATE TABLE IF NOT EXISTS push_keys (
    name TEXT NOT NULL PRIMARY KEY,
    pem TEXT NOT NULL               -- with which servers show themselves to push services
);
