"""Persons: who they are, and how they prove it on each of their devices."""

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, Protocol

from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import Human, PersonId, Player, Token
from ttt_server.core.errors import Refused
from ttt_server.core.seating import KeptName
from ttt_server.people.names import may_be_kept, names_like, skeleton
from ttt_server.people.phrases import as_words, new_code, new_phrase
from ttt_server.rooms.tokens import BadToken, TokenSigner, new_sessions
from ttt_server.storage.base import Conflict, EventStore
from ttt_server.storage.people import Row, Value, run

_PERSON = "id, name, since, seen, epoch"

_ADD: Final = """
INSERT INTO persons (id, name, skeleton, since, seen, epoch, phrase, wrong, wrong_since, settings)
VALUES ($1, $2, $3, $4, $4, 0, NULL, 0, 0, '{}')"""
_BY_ID: Final = f"SELECT {_PERSON} FROM persons WHERE id = $1"  # noqa: S608 - a constant of ours
_BY_SKELETON: Final = f"SELECT {_PERSON} FROM persons WHERE skeleton = $1"  # noqa: S608 - the same
_BY_IDENTITY: Final = "SELECT person FROM person_identities WHERE issuer = $1 AND subject = $2"
_ADD_IDENTITY: Final = "INSERT INTO person_identities (issuer, subject, person) VALUES ($1, $2, $3)"
_SILENT: Final = f"SELECT {_PERSON} FROM persons WHERE seen < $1 ORDER BY seen LIMIT 100"  # noqa: S608 - the same
_NOTE_SEEN: Final = "UPDATE persons SET seen = $2 WHERE id = $1 AND seen < $2"
_SETTINGS: Final = "SELECT settings FROM persons WHERE id = $1"
_SET_SETTINGS: Final = """
UPDATE persons SET settings = $2 WHERE id = $1 AND settings = $3 RETURNING id"""
"""Change the settings that were read."""
_RAISE_EPOCH: Final = "UPDATE persons SET epoch = epoch + 1 WHERE id = $1 RETURNING epoch"

_ADD_LINK: Final = "INSERT INTO person_links (code, person, expires) VALUES ($1, $2, $3)"
_DROP_LINKS: Final = "DELETE FROM person_links WHERE person = $1 OR expires <= $2"
_DROP_OLD_LINKS: Final = "DELETE FROM person_links WHERE expires <= $1"
_USE_LINK: Final = "DELETE FROM person_links WHERE code = $1 AND expires > $2 RETURNING person"

_SET_PHRASE: Final = "UPDATE persons SET phrase = $2, wrong = 0 WHERE id = $1 RETURNING id"
_TRY_PHRASE: Final = """
UPDATE persons
SET wrong = CASE WHEN wrong_since <= $3 THEN 1 ELSE wrong + 1 END,
    wrong_since = CASE WHEN wrong_since <= $3 THEN $2 ELSE wrong_since END
WHERE skeleton = $1 AND phrase IS NOT NULL AND (wrong < $4 OR wrong_since <= $3)
RETURNING id, phrase"""
"""Count an attempt before it is judged, so that concurrent ones gain nothing."""
_HAS_PHRASE: Final = "SELECT 1 FROM persons WHERE skeleton = $1 AND phrase IS NOT NULL"
_FORGIVE: Final = "UPDATE persons SET wrong = 0 WHERE id = $1"


FRESH_S: Final = 5.0
"""For how long a person is not looked up again: a token that another server made void may be taken
for so long."""

LINK_MS: Final = 600_000
"""For how long a link to another device works."""

MOST_WRONG: Final = 20
"""Wrong phrases that may be tried for a person in `WRONG_MS`, from all addresses together."""

WRONG_MS: Final = 3_600_000

_SEEN_MS: Final = 86_400_000
"""The resolution of a person's last visit."""

_REMEMBERED: Final = 10_000
"""Persons in memory."""

_CODE_BYTES: Final = 18
"""Random bytes of a link's code: 24 characters, 144 bits."""


class NameTaken(Exception):
    """The name is kept by another person, or can be nobody's. The message is for people."""


class BadCode(Exception):
    """The code of a link is unknown, used or expired."""


class WrongPhrase(Exception):
    """The name and the phrase do not match."""


class TooManyPhrases(Exception):
    """Too many wrong phrases have been tried for a person within an hour."""


class Hashing(Protocol):
    """Slow hashes, one at a time, in turn by the address that asks."""

    async def make_hash(self, text: str, address: str) -> str:
        """Return a hash that only this installation can verify."""

    async def opens_hash(self, hashed: str, text: str, address: str) -> bool:
        """Return whether a hash is that of a text."""


class Person(NamedTuple):
    """A person as the tables have them. Times are Unix ms."""

    id: PersonId
    name: str
    since: int
    seen: int
    epoch: int

    def plays_as(self, player: Player | None) -> bool:
        """Return whether it is this person who plays."""
        return isinstance(player, Human) and player.person == self.id

    @property
    def kept_name(self) -> KeptName:
        return KeptName(self.id, self.name)


class _Known(NamedTuple):
    """A person as they were at a time of the loop's clock."""

    person: Person
    at: float


class People:
    """The persons of an installation."""

    def __init__(
        self, store: EventStore, secret: bytes, hashing: Hashing, now: Callable[[], int]
    ) -> None:
        """`now` returns Unix ms."""
        self.tables = store.people
        self._hashing = hashing
        self._signer = TokenSigner(secret)
        self._ids = new_sessions()
        self._now = now
        self._known: OrderedDict[PersonId, _Known] = OrderedDict()
        self._identities: dict[tuple[str, str], PersonId] = {}

    # Who it is

    async def make(self, name: str) -> Person:
        """Keep a name, and return the person who has it.

        Raises:
            NameTaken: if a name that looks like it is kept, or it cannot be kept.
            StorageFailed: if it could not be kept.
        """
        if not may_be_kept(name):
            raise NameTaken("nobody can keep this name")
        now, id_ = self._now(), PersonId(next(self._ids))
        try:
            await self._run(_ADD, id_, name, skeleton(name), now)
        except Conflict:
            raise NameTaken("this name, or one that looks like it, is kept by somebody") from None
        return self._remember(Person(id_, name, now, now, 0))

    async def of_identity(self, issuer: str, subject: str, name: str) -> Person:
        """Return the person whom an issuer means; make one, under about this name, the first time.

        Raises:
            NameTaken: if no name like that is free.
            StorageFailed: if the person could not be looked up, or kept.
        """
        key = issuer, subject
        if (known := self._fresh(self._identities.get(key))) is not None:
            return known
        for free in names_like(name):
            rows = await self._run(_BY_IDENTITY, issuer, subject)
            if rows and (found := await self._find(_BY_ID, str(rows[0][0]))) is not None:
                return await self._noted(key, found)
            id_, now = PersonId(next(self._ids)), self._now()
            with suppress(Conflict):  # the name is kept, or the same person came twice at once
                kept = _ADD, id_, free, skeleton(free), now
                await run(self.tables, kept, (_ADD_IDENTITY, issuer, subject, id_))
                return await self._noted(key, self._remember(Person(id_, free, now, now, 0)))
        raise NameTaken("this name, and others like it, are kept by somebody")

    def token(self, person: Person) -> Token:
        """Return a token that proves who the person is, until they sign out everywhere."""
        return self._signer.person(person.id, person.epoch)

    def at_hand(self, token: str) -> Person | None:
        """Return whose token it is, if that is known at once; `None` if it has to be looked up.

        Raises:
            Refused: `bad_token`.
        """
        try:
            id_, epoch = self._signer.person_of(token)
        except BadToken:
            raise _bad_token("this token is not from this server") from None
        known = self._fresh(id_)
        if known is None or epoch > known.epoch:
            return None  # or another server has just made the older tokens void
        return _current(known, epoch)

    async def of_token(self, token: str) -> Person:
        """Return whose token it is.

        Raises:
            Refused: `bad_token`: of another installation, void, or of a person who was forgotten.
            StorageFailed: if it could not be looked up.
        """
        if (person := self.at_hand(token)) is not None:
            return person
        id_, epoch = self._signer.person_of(token)
        found = await self._find(_BY_ID, id_)
        if found is None:
            self._known.pop(id_, None)
            raise _bad_token("this person is no longer known here")
        person = _current(found, epoch)
        await self._note_seen(person)
        return person

    async def named(self, name: str) -> Person | None:
        """Return who keeps a name, or one that looks like it.

        Raises:
            StorageFailed: if it could not be looked up.
        """
        return await self._find(_BY_SKELETON, skeleton(name))

    async def _noted(self, key: tuple[str, str], person: Person) -> Person:
        if len(self._identities) >= _REMEMBERED:
            self._identities.clear()
        self._identities[key] = person.id
        await self._note_seen(person)
        return person

    async def _note_seen(self, person: Person) -> None:
        if self._now() - person.seen > _SEEN_MS:
            await self._run(_NOTE_SEEN, person.id, self._now())

    def _fresh(self, id_: PersonId | None) -> Person | None:
        """Return a person who was looked up a moment ago."""
        known = None if id_ is None else self._known.get(id_)
        if known is None or asyncio.get_running_loop().time() - known.at > FRESH_S:
            return None
        return known.person

    async def silent(self, after_s: float) -> list[Person]:
        """Return some persons who were not here for so long.

        Raises:
            StorageFailed: if they could not be looked up.
        """
        rows = await self._run(_SILENT, self._now() - round(after_s * 1000))
        return list(map(_person, rows))

    def forgotten(self, person: Person) -> None:
        """Treat the tokens of a person who is no longer kept as void."""
        self._known.pop(person.id, None)

    # Settings

    async def settings(self, person: Person) -> dict[str, Any]:
        """Return the settings a person has changed from the defaults, by name.

        Raises:
            StorageFailed: if it could not be read.
        """
        rows = await self._run(_SETTINGS, person.id)
        found: dict[str, Any] = json.loads(str(rows[0][0])) if rows else {}
        return found

    async def change_settings(self, person: Person, changes: dict[str, Any]) -> dict[str, Any]:
        """Change some settings, and return all. `None` restores a default.

        Raises:
            StorageFailed: if they could not be kept.
        """
        while True:
            before = await self.settings(person)
            after = {key: each for key, each in (before | changes).items() if each is not None}
            rows = await self._run(_SET_SETTINGS, person.id, json.dumps(after), json.dumps(before))
            if rows or before == after:
                return after

    # Other devices

    async def link(self, person: Person) -> tuple[str, int]:
        """Return a code that makes another device this person's, once, and until when in Unix ms.

        An earlier code that was not used becomes void.

        Raises:
            StorageFailed: if it could not be kept.
        """
        code, now = new_code(_CODE_BYTES), self._now()
        link = _ADD_LINK, _hashed(code), person.id, now + LINK_MS
        await run(self.tables, (_DROP_LINKS, person.id, now), link)
        return code, now + LINK_MS

    async def use_link(self, code: str) -> Person:
        """Return the person of a link, which works no second time.

        Raises:
            BadCode: if it is unknown, was used, or is too old.
            StorageFailed: if it could not be looked up.
        """
        found = await self._find(_BY_ID, await self.take_once(code))
        if found is None:
            raise BadCode
        return found

    async def expect_once(self, secret: str, lasts_s: int) -> None:
        """Expect a secret, for `take_once` on any server of the installation.

        Raises:
            StorageFailed: if it could not be kept.
        """
        now = self._now()
        link = _ADD_LINK, _hashed(secret), "", now + lasts_s * 1000
        await run(self.tables, (_DROP_OLD_LINKS, now), link)

    async def take_once(self, secret: str) -> str:
        """Use up a secret that is expected; return whose it is, if it is a person's.

        Raises:
            BadCode: if it is not, or was taken, or is too old.
            StorageFailed: if it could not be looked up.
        """
        rows = await self._run(_USE_LINK, _hashed(secret), self._now())
        if not rows:
            raise BadCode
        return str(rows[0][0])

    async def new_phrase(self, person: Person, address: str) -> str:
        """Return a new phrase for `recover`; it replaces an earlier one.

        Raises:
            StorageFailed: if it could not be kept.
        """
        phrase = new_phrase()
        hashed = await self._hashing.make_hash(phrase, address)
        await self._run(_SET_PHRASE, person.id, hashed)
        return phrase

    async def recover(self, name: str, phrase: str, address: str) -> Person:
        """Return the person of a name and a phrase.

        Raises:
            WrongPhrase: if they do not belong together.
            TooManyPhrases: if so many were tried that this one was not looked at.
            StorageFailed: if it could not be looked up.
        """
        shape, now = skeleton(name), self._now()
        rows = await self._run(_TRY_PHRASE, shape, now, now - WRONG_MS, MOST_WRONG)
        if not rows:
            if await self._run(_HAS_PHRASE, shape):
                raise TooManyPhrases
            await self._hashing.make_hash(phrase, address)  # as long as for a name with a phrase
            raise WrongPhrase
        id_, hashed = map(str, rows[0])
        if not await self._hashing.opens_hash(hashed, as_words(phrase), address):
            raise WrongPhrase
        await self._run(_FORGIVE, id_)
        found = await self._find(_BY_ID, id_)
        if found is None:
            raise WrongPhrase  # was forgotten in this moment
        return found

    async def sign_out(self, person: Person) -> Person:
        """Make all tokens and links of a person void; return the person whose token is good.

        Raises:
            StorageFailed: if it could not be kept.
        """
        drop = _DROP_LINKS, person.id, self._now()
        *_, rows = await run(self.tables, drop, (_RAISE_EPOCH, person.id))
        self._known.pop(person.id, None)
        found = await self._find(_BY_ID, person.id) if rows else None
        if found is None:
            raise _bad_token("this person is no longer known here")
        return found

    # Parts of these

    async def _find(self, sql: str, value: str) -> Person | None:
        rows = await self._run(sql, value)
        return self._remember(_person(rows[0])) if rows else None

    async def _run(self, sql: str, *values: Value) -> Sequence[Row]:
        (rows,) = await run(self.tables, (sql, *values))
        return rows

    def _remember(self, person: Person) -> Person:
        self._known.pop(person.id, None)
        self._known[person.id] = _Known(person, asyncio.get_running_loop().time())
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return person


def _person(row: Row) -> Person:
    id_, name, since, seen, epoch = row
    times = (int(number or 0) for number in (since, seen, epoch))
    return Person(PersonId(str(id_)), str(name), *times)


def _current(person: Person, epoch: int) -> Person:
    if person.epoch != epoch:
        raise _bad_token("this person has signed out everywhere: sign in again")
    return person


def _bad_token(words: str) -> Refused:
    return Refused(RefusalCode.BAD_TOKEN, words)


def _hashed(code: str) -> str:
    """Return what is stored of a code, which is too random to be guessed."""
    return hashlib.sha256(code.encode()).hexdigest()
