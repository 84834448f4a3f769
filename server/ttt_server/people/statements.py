"""The server's queries on the tables of people, in SQL that all stores understand."""

from typing import Final

_PERSON = "id, name, since, seen, epoch"

ADD: Final = """
INSERT INTO persons (id, name, skeleton, since, seen, epoch, phrase, wrong, wrong_since, settings)
VALUES ($1, $2, $3, $4, $4, 0, NULL, 0, 0, '{}')
"""
BY_ID: Final = f"SELECT {_PERSON} FROM persons WHERE id = $1"  # noqa: S608 - a constant of ours
BY_SKELETON: Final = f"SELECT {_PERSON} FROM persons WHERE skeleton = $1"  # noqa: S608 - the same
BY_IDENTITY: Final = """
SELECT person FROM person_identities WHERE issuer = $1 AND subject = $2
"""
ADD_IDENTITY: Final = "INSERT INTO person_identities (issuer, subject, person) VALUES ($1, $2, $3)"
SILENT: Final = f"SELECT {_PERSON} FROM persons WHERE seen < $1 ORDER BY seen LIMIT 100"  # noqa: S608 - the same
NOTE_SEEN: Final = "UPDATE persons SET seen = $2 WHERE id = $1 AND seen < $2"
SETTINGS: Final = "SELECT settings FROM persons WHERE id = $1"
SET_SETTINGS: Final = """
UPDATE persons SET settings = $2 WHERE id = $1 AND settings = $3 RETURNING id
"""
"""Change the settings that were read."""
RAISE_EPOCH: Final = "UPDATE persons SET epoch = epoch + 1 WHERE id = $1 RETURNING epoch"

ADD_LINK: Final = "INSERT INTO person_links (code, person, expires) VALUES ($1, $2, $3)"
DROP_LINKS: Final = "DELETE FROM person_links WHERE person = $1 OR expires <= $2"
DROP_OLD_LINKS: Final = "DELETE FROM person_links WHERE expires <= $1"
USE_LINK: Final = "DELETE FROM person_links WHERE code = $1 AND expires > $2 RETURNING person"

SET_PHRASE: Final = "UPDATE persons SET phrase = $2, wrong = 0 WHERE id = $1 RETURNING id"
TRY_PHRASE: Final = """
UPDATE persons
SET wrong = CASE WHEN wrong_since <= $3 THEN 1 ELSE wrong + 1 END,
    wrong_since = CASE WHEN wrong_since <= $3 THEN $2 ELSE wrong_since END
WHERE skeleton = $1 AND phrase IS NOT NULL AND (wrong < $4 OR wrong_since <= $3)
RETURNING id, phrase
"""
"""Count an attempt before it is judged, so that concurrent ones gain nothing."""
HAS_PHRASE: Final = "SELECT 1 FROM persons WHERE skeleton = $1 AND phrase IS NOT NULL"
FORGIVE: Final = "UPDATE persons SET wrong = 0 WHERE id = $1"
