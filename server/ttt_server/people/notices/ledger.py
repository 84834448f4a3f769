"""Notices in the tables of people: waiting ones, sent ones, and deliveries still to make.

A notice waits until it is due. Then one transaction notes that it was told, for the person's own
programs, and each way that is left to tell it: the webhook, and each of the person's browsers. A
server claims a few ways, sends one after the other, and deletes each as soon as it was taken. So
after a kill at most the one that was being sent is sent again, and no two servers send the same.
"""

import secrets
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Final, Literal, NamedTuple

from ttt_protocol.notices import PushSubscription
from ttt_protocol.state import RoomName
from ttt_server.storage.people import PeopleTables, Statement, Value, run

WEBHOOK: Final = "webhook"

Kind = Literal["webhook", "push"]

MOST_LEFT: Final = 10_000
"""Ways that wait to be told. The oldest are dropped beyond it."""

AT_ONCE: Final = 100
"""Notices that are released together."""

MOST_BROWSERS: Final = 10
"""Browsers of one person."""

CLAIMED_AT_ONCE: Final = 10
CLAIMED_MS: Final = 60_000
"""How long a claim lasts. Each is sent within `posting.POST_S`, if it is begun in time."""

TOLD_KEPT_MS: Final = 30 * 86_400_000
"""How long a told notice is known, so that it is not told again: longer than a turn can last."""

LEFT_KEPT_MS: Final = 86_400_000
"""How long a way is tried, and what a notice says is kept: it has the name of another person."""

FAILING_KEPT_MS: Final = 14 * 86_400_000
"""How long a browser is kept whose service takes nothing."""


class WaitingNotice(NamedTuple):
    """A notice that is to be told."""

    id: str
    person: str
    notice: str
    """JSON."""
    due: int
    """Unix ms, as all times here."""


class Settled(NamedTuple):
    """What is owed at a place."""

    owed: tuple[WaitingNotice, ...] = ()
    kept: tuple[str, ...] = ()
    """The ids of those that go on waiting, if they do so already."""

    def at(self, place: str) -> Iterator[Statement]:
        """Yield the statements that make it so."""
        ids = (*(each.id for each in self.owed), *self.kept)
        others = f" AND id NOT IN ({_places(ids, first=2)})" if ids else ""
        waiting = f"DELETE FROM notices WHERE place = $1 AND told = 0{others}"  # noqa: S608
        turns = f"SELECT id FROM notices WHERE place = $1 AND id LIKE 't%'{others}"  # noqa: S608
        stale = f"DELETE FROM notice_ways WHERE claimed = 0 AND notice IN ({turns})"  # noqa: S608
        yield Statement(waiting, (place, *ids))
        yield Statement(stale, (place, *ids))
        for each in self.owed:
            yield _add(place, each)


class Due(NamedTuple):
    """A notice whose time has come."""

    id: str
    person: str
    settings: str | None
    """The person's, as JSON; `None` if there is no such person any more."""


class Claimed(NamedTuple):
    """A way that this server has to itself for a while."""

    id: str
    way: str
    service: str
    notice: str
    """JSON."""
    person: str
    name: str
    """The person's."""
    p256dh: str
    auth: str
    language: str
    """Those of a browser; empty for the webhook."""
    tries: int
    """Failed attempts."""


class ToldAt(NamedTuple):
    """A place among the notices that a person was told."""

    at: int
    """When it was told, in Unix ms."""
    id: str = ""


class Told(NamedTuple):
    """A notice that was told."""

    place: ToldAt
    notice: str
    """JSON."""


class Released(NamedTuple):
    """What came of releasing notices."""

    persons: frozenset[str]
    """Those who were told by this server."""
    notices: int
    dropped: int
    """Ways that were dropped, as too many were left."""


class Ledger:
    """Reads and writes the tables of notices.

    Every call raises `StorageFailed` if the store fails.
    """

    def __init__(self, tables: PeopleTables, *, is_shared: bool) -> None:
        """`is_shared`: other servers use the same tables."""
        self._tables = tables
        self._settled_ms = 1000 if is_shared else 0
        """How old a told notice must be to be read: the transactions of others may be late."""
        self._name = secrets.token_hex(8)
        self._numbers = count()

    # What waits

    async def settle(self, places: Mapping[str, Settled]) -> None:
        """Make these the notices of each place that wait, if they have not been told before.

        What is left to send of a turn that is none any more is not sent.
        """
        statements = (settled.at(place) for place, settled in places.items())
        await self._tables.transact(list(chain.from_iterable(statements)))

    async def add(self, place: str, notices: Collection[WaitingNotice]) -> None:
        """Add notices to those of a place that wait, if they have not been told before."""
        await self._tables.transact([_add(place, each) for each in notices])

    async def due(self, now: int) -> Sequence[Due]:
        """Return notices whose time has come."""
        (rows,) = await run(self._tables, (_DUE, now, AT_ONCE))
        return [Due._make(row) for row in rows]

    async def missed(self, since: int, before: int) -> Sequence[RoomName]:
        """Return rooms in which a person has been to move between these times, but has no notice.

        The person may be there; or a server was killed before it looked.
        """
        (rows,) = await run(self._tables, (_MISSED, since, before, AT_ONCE))
        return [RoomName(str(room)) for (room,) in rows]

    async def next_due(self) -> int | None:
        """Return when the next notice is due; `None` if none waits."""
        (((due,),),) = await run(self._tables, (_NEXT,))
        return None if due is None else int(due)

    async def forget(self, person: str) -> None:
        """Delete all notices and browsers of a person."""
        await self._tables.transact(forgetting(person))

    async def postpone(self, until: Mapping[str, int]) -> None:
        """Postpone notices."""
        sql = "UPDATE notices SET due = $2 WHERE id = $1 AND told = 0"
        await run(self._tables, *((sql, *each) for each in until.items()))

    async def release(self, ids: Sequence[str], now: int, *, webhook: bool, push: bool) -> Released:
        """Note that notices are told, and the ways that are left to tell them."""
        teller, among = self._batch(), _places(ids, first=3)
        values: tuple[Value, ...] = now, teller, *ids
        told = (
            "UPDATE notices SET told = $1, teller = $2 "  # noqa: S608 - places alone; so below
            f"WHERE told = 0 AND id IN ({among}) RETURNING person"
        )
        ways = [_WAY_OF_WEBHOOK] * webhook + [_WAYS_OF_BROWSERS] * push
        rows, *_, dropped = await run(
            self._tables,
            (told, *values),
            *((f"{way} AND notices.id IN ({among})", *values) for way in ways),
            (_TOO_MANY, MOST_LEFT - 1),
        )
        return Released(frozenset(str(person) for (person,) in rows), len(rows), len(dropped))

    async def told(self, person: str, after: ToldAt, now: int) -> Sequence[Told]:
        """Return the notices that a person was told after a place, in order."""
        until = now - self._settled_ms
        (rows,) = await run(self._tables, (_TOLD, person, after.at, after.id, until, AT_ONCE))
        return [Told(ToldAt(int(at or 0), str(id_)), str(notice)) for at, id_, notice in rows]

    # The ways

    async def claim(self, kind: Kind, now: int, resting: Collection[str]) -> Sequence[Claimed]:
        """Claim a few ways that are due.

        Args:
            kind: of which kind.
            now: Unix ms.
            resting: services that are left alone for now.
        """
        claimer = self._batch()
        awake = f" AND service NOT IN ({_places(resting, first=4)})" if resting else ""
        claimed = (
            "UPDATE notice_ways SET claimed = $2, claimer = $3 WHERE claimed <= $1 "  # noqa: S608
            "AND (notice, way) IN (SELECT notice, way FROM notice_ways "
            f"WHERE {_OF_KIND[kind]} AND due <= $1 AND claimed <= $1{awake} "
            f"ORDER BY due, made LIMIT {CLAIMED_AT_ONCE})"
        )
        _, rows = await run(
            self._tables, (claimed, now, now + CLAIMED_MS, claimer, *resting), (_CLAIMED, claimer)
        )
        return [
            Claimed._make((*(str(text or "") for text in texts), int(tries or 0)))
            for *texts, tries in rows
        ]

    async def taken(self, way: Claimed) -> None:
        """Note that a way was told, or that it never will be."""
        works = () if way.service == WEBHOOK else ((_WORKS, way.way),)
        await run(self._tables, (_DONE, way.id, way.way), *works)

    async def given_up(self, way: Claimed, now: int) -> None:
        """Note that a way will not be tried again."""
        await run(self._tables, (_DONE, way.id, way.way), (_FAILS, way.way, now))

    async def again(self, failed: Claimed, others: Collection[Claimed], due: int, now: int) -> None:
        """Let a way that failed be tried again, and others of its service not before."""
        ways = ((failed, 1), *((each, 0) for each in others))
        again = ((_AGAIN, each.id, each.way, due, tries) for each, tries in ways)
        await run(self._tables, *again, (_FAILS, failed.way, now))

    async def give_back(self, ways: Collection[Claimed], now: int) -> None:
        """End the claims of ways that were not tried."""
        await run(self._tables, *((_AGAIN, each.id, each.way, now, 0) for each in ways))

    async def next_way(self, kind: Kind, resting: Collection[str]) -> int | None:
        """Return when the next way of a kind is due; `None` if none is left."""
        awake = f" AND service NOT IN ({_places(resting, first=1)})" if resting else ""
        sql = f"SELECT min(due) FROM notice_ways WHERE {_OF_KIND[kind]}{awake}"  # noqa: S608
        (((due,),),) = await run(self._tables, (sql, *resting))
        return None if due is None else int(due)

    async def gone(self, endpoint: str) -> None:
        """Delete a browser that its service no longer knows."""
        await run(
            self._tables,
            ("DELETE FROM notice_ways WHERE way = $1", endpoint),
            ("DELETE FROM pushes WHERE endpoint = $1", endpoint),
        )

    # Browsers

    async def subscribe(self, person: str, service: str, wish: PushSubscription, now: int) -> bool:
        """Keep a browser of a person; return False if the person has too many."""
        values = wish.endpoint, person, service, wish.keys.p256dh, wish.keys.auth, wish.language
        (rows,) = await run(self._tables, (_SUBSCRIBE, *values, now, MOST_BROWSERS))
        return bool(rows)

    async def unsubscribe(self, person: str, endpoint: str) -> None:
        """Delete a browser of a person, if it is there."""
        browser = "FROM pushes WHERE endpoint = $1 AND person = $2"
        ways = f"DELETE FROM notice_ways WHERE way IN (SELECT endpoint {browser})"  # noqa: S608
        await run(self._tables, (ways, endpoint, person), (f"DELETE {browser}", endpoint, person))

    async def share_key(self, pem: str) -> str:
        """Return the key of pushes that all servers use: this one, if there is none yet."""
        _, ((found,),) = await run(
            self._tables,
            ("INSERT INTO push_keys VALUES ('vapid', $1) ON CONFLICT DO NOTHING", pem),
            ("SELECT pem FROM push_keys WHERE name = 'vapid'",),
        )
        return str(found)

    # The rest

    async def void_claims(self) -> None:
        """End all claims: no other server has any."""
        await run(self._tables, ("UPDATE notice_ways SET claimed = 0",))

    async def left(self) -> int:
        """Return how many ways are left to tell."""
        (((number,),),) = await run(self._tables, ("SELECT count(*) FROM notice_ways",))
        return int(number or 0)

    async def sweep(self, now: int) -> int:
        """Delete what is old; return how many ways were given up."""
        old = now - LEFT_KEPT_MS
        dropped, *_ = await run(
            self._tables,
            ("DELETE FROM notice_ways WHERE made < $1 RETURNING way", old),
            ("DELETE FROM notices WHERE told > 0 AND told < $1", now - TOLD_KEPT_MS),
            ("UPDATE notices SET notice = '' WHERE told > 0 AND told < $1 AND notice <> ''", old),
            ("DELETE FROM pushes WHERE failing > 0 AND failing < $1", now - FAILING_KEPT_MS),
        )
        return len(dropped)

    def _batch(self) -> str:
        """Return a name that no other transaction has."""
        return f"{self._name}.{next(self._numbers)}"


def forgetting(person: str) -> tuple[Statement, ...]:
    """Return the statements that delete all notices and browsers of a person."""
    return tuple(
        Statement(sql, (person,))
        for sql in (
            "DELETE FROM notice_ways WHERE notice IN (SELECT id FROM notices WHERE person = $1)",
            "DELETE FROM notices WHERE person = $1",
            "DELETE FROM pushes WHERE person = $1",
        )
    )


_OF_KIND: Final[Mapping[Kind, str]] = {
    "webhook": "service = 'webhook'",
    "push": "service <> 'webhook'",
}

_DUE: Final = """
SELECT notices.id, notices.person, persons.settings
FROM notices LEFT JOIN persons ON persons.id = notices.person
WHERE told = 0 AND due <= $1 ORDER BY due LIMIT $2"""

_MISSED: Final = """
SELECT room FROM games WHERE stage = 0 AND at >= $1 AND at < $2 AND NOT EXISTS (
    SELECT 1 FROM notices WHERE notices.person = games.person
    AND notices.place = 'rooms/' || games.room AND notices.due >= games.at
) ORDER BY at DESC LIMIT $3"""

_NEXT: Final = "SELECT min(due) FROM notices WHERE told = 0"

_WAY: Final = """
INSERT INTO notice_ways (notice, way, service, made, due, tries, claimed, claimer)
SELECT notices.id, {way}, {service}, CAST($1 AS BIGINT), CAST($1 AS BIGINT), 0, 0, ''
FROM notices {join} WHERE notices.teller = $2"""

_WAY_OF_WEBHOOK: Final = _WAY.format(way="'webhook'", service="'webhook'", join="")
_WAYS_OF_BROWSERS: Final = _WAY.format(
    way="pushes.endpoint",
    service="pushes.service",
    join="JOIN pushes ON pushes.person = notices.person",
)

_TOO_MANY: Final = """
DELETE FROM notice_ways WHERE made <
(SELECT made FROM notice_ways ORDER BY made DESC LIMIT 1 OFFSET $1) RETURNING way"""

_TOLD: Final = """
SELECT told, id, notice FROM notices
WHERE person = $1 AND (told > $2 OR (told = $2 AND id > $3)) AND told > 0 AND told <= $4
    AND notice <> ''
ORDER BY told, id LIMIT $5"""

_CLAIMED: Final = """
SELECT notices.id, way, notice_ways.service, notices.notice, notices.person,
    COALESCE(persons.name, ''), COALESCE(pushes.p256dh, ''), COALESCE(pushes.auth, ''),
    COALESCE(pushes.language, ''), tries
FROM notice_ways
JOIN notices ON notices.id = notice_ways.notice
LEFT JOIN persons ON persons.id = notices.person
LEFT JOIN pushes ON pushes.endpoint = notice_ways.way
WHERE notice_ways.claimer = $1 ORDER BY notice_ways.due, made"""

_DONE: Final = "DELETE FROM notice_ways WHERE notice = $1 AND way = $2"

_AGAIN: Final = """
UPDATE notice_ways SET due = $3, tries = tries + $4, claimed = 0 WHERE notice = $1 AND way = $2"""

_WORKS: Final = "UPDATE pushes SET failing = 0 WHERE endpoint = $1 AND failing > 0"
_FAILS: Final = "UPDATE pushes SET failing = $2 WHERE endpoint = $1 AND failing = 0"

_SUBSCRIBE: Final = """
INSERT INTO pushes (endpoint, person, service, p256dh, auth, language, since, failing)
SELECT $1, $2, $3, $4, $5, $6, CAST($7 AS BIGINT), 0
WHERE (SELECT count(*) FROM pushes WHERE person = $2 AND endpoint <> $1) < $8
ON CONFLICT (endpoint) DO UPDATE SET person = $2, service = $3, p256dh = $4, auth = $5,
    language = $6, since = $7, failing = 0
RETURNING endpoint"""


def _add(place: str, waiting: WaitingNotice) -> Statement:
    return Statement(
        "INSERT INTO notices (id, person, place, notice, due, told, teller) "
        "VALUES ($1, $2, $3, $4, $5, 0, '') ON CONFLICT (id) DO UPDATE "
        "SET due = excluded.due WHERE notices.told = 0 AND notices.due < excluded.due",
        (waiting.id, waiting.person, place, waiting.notice, waiting.due),
    )


def _places(values: Collection[object], first: int) -> str:
    """Return the places of parameters, from a number on: `$3, $4`."""
    return ", ".join(f"${number}" for number in range(first, first + len(values)))


@dataclass(slots=True)
class NoticeCounters:
    """What has happened to notices since the start."""

    told: int = 0
    """Notices that this server told."""
    dropped: int = 0
    """Requests that were dropped, as too many were left or none succeeded for a day; and rooms
    whose notices were left out, as too many changed at once."""
    requests: Counter[tuple[Kind, str]] = field(default_factory=Counter)
    """Requests by what came of them: a `posting.Fate`."""
