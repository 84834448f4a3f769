"""Challenges: "play NAME" offers a room with its settings, to accept or decline within a day."""

import secrets
from collections.abc import Callable
from typing import Final, NamedTuple

from ttt_protocol.codes import Word
from ttt_protocol.state import PersonId, RoomName
from ttt_server.people.phrases import new_code
from ttt_server.storage.base import Conflict
from ttt_server.storage.people import PeopleTables, Row, Statement, run

LASTS_MS: Final = 86_400_000

MOST_SENT: Final = 20
"""Open challenges of one person."""

MOST_RECEIVED: Final = 50
"""Open challenges to one person."""

MOST_BLOCKED: Final = 1000

_COLUMNS: Final = """
c.id, c.challenger, x.name, c.challenged, o.name, c.settings, c.room, c.sent, c.expires, c.state
FROM challenges c JOIN persons x ON x.id = c.challenger JOIN persons o ON o.id = c.challenged"""
_FORGET: Final = "DELETE FROM challenges WHERE expires <= $1"
_IS_OPEN: Final = "state = 'open' AND expires > CAST($6 AS BIGINT)"
_SEND: Final = f"""
INSERT INTO challenges (id, challenger, challenged, settings, room, sent, expires, state)
SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS TEXT),
    CAST($6 AS BIGINT), CAST($7 AS BIGINT), 'open'
WHERE NOT EXISTS (SELECT 1 FROM blocks WHERE person = $3 AND blocked = $2)
    AND (SELECT COUNT(*) FROM challenges WHERE challenger = $2 AND {_IS_OPEN}) < {MOST_SENT}
    AND (SELECT COUNT(*) FROM challenges WHERE challenged = $3 AND {_IS_OPEN}) < {MOST_RECEIVED}
RETURNING id"""  # noqa: S608 - constants of ours, as below
_IS_BLOCKED: Final = "SELECT 1 FROM blocks WHERE person = $1 AND blocked = $2"
_ALL_OF: Final = f"""
SELECT {_COLUMNS} WHERE (c.challenger = $1 OR c.challenged = $1) AND c.expires > $2
ORDER BY c.sent DESC, c.id"""
_ONE: Final = f"SELECT {_COLUMNS} WHERE c.id = $1 AND c.challenged = $2"
_ANSWER: Final = """
UPDATE challenges SET state = $3
WHERE id = $1 AND challenged = $2 AND state = 'open' AND expires > $4"""
_BLOCK: Final = f"""
INSERT INTO blocks (person, blocked) SELECT CAST($1 AS TEXT), CAST($2 AS TEXT)
WHERE (SELECT COUNT(*) FROM blocks WHERE person = $1) < {MOST_BLOCKED}
ON CONFLICT (person, blocked) DO NOTHING"""  # noqa: S608
_UNBLOCK: Final = "DELETE FROM blocks WHERE person = $1 AND blocked = $2"
_BLOCKED: Final = """
SELECT p.name FROM blocks b JOIN persons p ON p.id = b.blocked
WHERE b.person = $1 ORDER BY p.name"""
_DROP_OPEN: Final = """
DELETE FROM challenges WHERE challenger = $2 AND challenged = $1 AND state = 'open'"""


class ChallengeState(Word):
    """What became of a challenge."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DECLINED = "declined"


class Challenge(NamedTuple):
    """A challenge, as both of its persons may see it. Times are Unix ms."""

    id: str
    challenger: PersonId
    challenger_name: str
    challenged: PersonId
    challenged_name: str
    settings: str
    """The room's settings, as JSON."""
    room: RoomName
    sent: int
    expires: int
    state: ChallengeState


class NotSent(Exception):
    """The challenge was not sent. The message is for people."""


class Blocked(NotSent):
    """The other person does not accept challenges from this one."""


class TooMany(NotSent):
    """Too many challenges wait for an answer."""


class NoSuchChallenge(Exception):
    """This person has no such challenge."""


class ChallengeOver(Exception):
    """It was answered differently, or not in time. The message is for people."""


class Challenges:
    """Challenges between persons, and who has blocked whom."""

    def __init__(self, tables: PeopleTables, now: Callable[[], int]) -> None:
        """`now` returns Unix ms."""
        self._tables = tables
        self._now = now

    async def send(self, challenger: PersonId, challenged: PersonId, settings: str) -> Challenge:
        """Send a room with these settings, as JSON.

        Raises:
            NotSent: to oneself, to somebody who takes none, a second one, or one too many.
            StorageFailed: if it could not be kept.
        """
        if challenger == challenged:
            raise NotSent("you cannot challenge yourself")
        now = self._now()
        id_, room = new_code(9), f"match-{secrets.token_hex(8)}"
        values = id_, challenger, challenged, settings, room, now, now + LASTS_MS
        try:
            _, sent, blocked, found = await run(
                self._tables,
                (_FORGET, now),
                (_SEND, *values),
                (_IS_BLOCKED, challenged, challenger),
                (_ONE, id_, challenged),
            )
        except Conflict:
            raise NotSent("you have already challenged this person: wait for the answer") from None
        if blocked:
            raise Blocked("this person does not accept challenges from you")
        if not sent or not found:
            raise TooMany("too many challenges are waiting for an answer")
        return _challenge(found[0])

    async def of(self, person: PersonId) -> list[Challenge]:
        """Return the challenges to and from a person of the last day, the newest first.

        Raises:
            StorageFailed: if they could not be read.
        """
        (rows,) = await run(self._tables, (_ALL_OF, person, self._now()))
        return [_challenge(row) for row in rows]

    async def answer(self, person: PersonId, id_: str, *, accept: bool) -> Challenge:
        """Accept or decline a challenge. The same answer may be given again.

        Raises:
            NoSuchChallenge: to this person.
            ChallengeOver: it was answered otherwise, or a day has passed.
            StorageFailed: if it could not be kept.
        """
        state = ChallengeState.ACCEPTED if accept else ChallengeState.DECLINED
        answer = _ANSWER, id_, person, state.value, self._now()
        _, after = await run(self._tables, answer, (_ONE, id_, person))
        if not after:
            raise NoSuchChallenge
        challenge = _challenge(after[0])
        if challenge.state is ChallengeState.OPEN or challenge.expires <= self._now():
            raise ChallengeOver("this challenge has expired: it was open for a day")
        if challenge.state is not state:
            raise ChallengeOver(f"you have {challenge.state.value} this challenge")
        return challenge

    async def block(self, person: PersonId, other: PersonId) -> None:
        """Block somebody's challenges, and drop an open one.

        Raises:
            StorageFailed: if it could not be kept.
        """
        await run(self._tables, (_BLOCK, person, other), (_DROP_OPEN, person, other))

    async def unblock(self, person: PersonId, other: PersonId) -> None:
        """Accept challenges from somebody again.

        Raises:
            StorageFailed: if it could not be kept.
        """
        await run(self._tables, (_UNBLOCK, person, other))

    async def blocked(self, person: PersonId) -> list[str]:
        """Return the names of those whom a person has blocked.

        Raises:
            StorageFailed: if they could not be read.
        """
        (rows,) = await run(self._tables, (_BLOCKED, person))
        return [str(name) for (name,) in rows]

    @staticmethod
    def forget(person: PersonId) -> tuple[Statement, ...]:
        """Return the statements that forget a person's challenges and blocks."""
        return (
            Statement("DELETE FROM challenges WHERE challenger = $1 OR challenged = $1", (person,)),
            Statement("DELETE FROM blocks WHERE person = $1 OR blocked = $1", (person,)),
        )


def _challenge(row: Row) -> Challenge:
    return Challenge._make(row)._replace(state=ChallengeState(str(row[-1])))
