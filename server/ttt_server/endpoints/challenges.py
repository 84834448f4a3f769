"""Challenges over HTTP: "play NAME" sends a room with its settings; accept, decline, block."""

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Annotated, Any, Final, Self

from pydantic import Field

from ttt_protocol.base import FromClient, FromServer, absent
from ttt_protocol.codec import encode_message
from ttt_protocol.commands import Name
from ttt_protocol.state import GivenSettings, RoomName, Settings
from ttt_server.core.errors import Refused
from ttt_server.core.join import playable
from ttt_server.core.room import whole_rules
from ttt_server.core.seating import KeptName
from ttt_server.endpoints.asking import Ask, Route
from ttt_server.endpoints.people import GivenName, Methods, New, PeopleApi, read_body
from ttt_server.limits.rates import Budgets
from ttt_server.people import challenges
from ttt_server.people.service import Person
from ttt_server.storage.base import StorageFailed
from ttt_server.transport.responses import HttpError

CHALLENGES_PER_HOUR: Final = 60
"""From one address."""


class GivenChallenge(FromClient):
    to: Name
    """Whom to challenge."""
    settings: GivenSettings = GivenSettings()
    """Of the room; off the public list if they do not say."""


class GivenAnswer(FromClient):
    accept: bool


class ShownChallenge(FromServer):
    """A challenge, as its two persons see it. Times are Unix ms."""

    id: str
    from_: str = Field(alias="from")
    to: str
    settings: dict[str, Any]
    sent: int
    expires: int
    state: challenges.ChallengeState
    room: Annotated[RoomName | None, Field(exclude_if=absent)] = None
    """Where to play. Absent until the challenge is accepted."""

    @classmethod
    def of(cls, challenge: challenges.Challenge) -> Self:
        is_accepted = challenge.state is challenges.ChallengeState.ACCEPTED
        fields = {
            "id": challenge.id,
            "from": challenge.challenger_name,
            "to": challenge.challenged_name,
            "settings": json.loads(challenge.settings),
            "sent": challenge.sent,
            "expires": challenge.expires,
            "state": challenge.state,
            "room": challenge.room if is_accepted else None,
        }
        return cls.model_validate(fields)


class SentChallenge(ShownChallenge, New):
    """A challenge that was sent just now."""


class OwnChallenges(FromServer):
    """The challenges to and from a person within a day, and whose the person takes no more."""

    challenges: tuple[ShownChallenge, ...]
    blocked: tuple[str, ...]


class OwnBlocks(FromServer):
    """The names of those from whom a person takes no challenges."""

    blocked: tuple[str, ...]


@dataclass(eq=False, slots=True)
class ChallengeApi:
    """Answers requests about challenges, beside `PeopleApi`."""

    kept: challenges.Challenges
    make_room: Callable[[RoomName, Settings, KeptName], Awaitable[None]]
    """Makes a room in which a person has the seat O, unless it is there.

    It raises `Refused` or `StorageFailed` if it cannot be made.
    """
    notify: Callable[[challenges.Challenge], Awaitable[None]]
    """Tells the challenged person, or raises `StorageFailed`. The challenge is at `/me` anyway."""
    sends: Budgets = field(
        default_factory=lambda: Budgets(CHALLENGES_PER_HOUR / 3600, CHALLENGES_PER_HOUR)
    )
    """For the challenges that an address sends."""

    @property
    def routes(self) -> tuple[Route[Methods], ...]:
        return (
            Route.to("/api/challenges", {"POST": self.send}),
            Route.to("/api/challenges/{id}", {"POST": self.answer}),
            Route.to("/api/me/challenges", {"GET": self.own}),
            Route.to("/api/me/blocks", {"POST": self.block, "DELETE": self.unblock}),
        )

    async def send(self, api: PeopleApi, ask: Ask) -> FromServer:
        person = await api.require(ask)
        given = read_body(GivenChallenge, ask.body)
        settings = _settings(given.settings)
        if not self.sends.spend(ask.client.address, monotonic()):
            raise HttpError(429, "too many challenges from this address, slow down")
        challenged = await _named(api, ask, given.to)
        try:
            challenge = await self.kept.send(
                person.id, challenged.id, encode_message(settings).decode()
            )
        except challenges.NotSent as error:
            raise HttpError(_STATUSES[type(error)], str(error)) from None
        with suppress(StorageFailed):
            await self.notify(challenge)
        return SentChallenge.of(challenge)

    async def answer(self, api: PeopleApi, ask: Ask, id_: str) -> FromServer:
        person = await api.require(ask)
        given = read_body(GivenAnswer, ask.body)
        try:
            challenge = await self.kept.answer(person.id, id_, accept=given.accept)
            if given.accept:
                settings = Settings.model_validate_json(challenge.settings)
                await self.make_room(challenge.room, settings, person.kept_name)
        except challenges.NoSuchChallenge:
            raise HttpError(404, "there is no such challenge to you") from None
        except challenges.ChallengeOver as error:
            raise HttpError(409, str(error)) from None
        except Refused as refused:
            raise HttpError(503, refused.reason) from None
        return ShownChallenge.of(challenge)

    async def own(self, api: PeopleApi, ask: Ask) -> FromServer:
        person = await api.require(ask)
        found = await self.kept.of(person.id)
        return OwnChallenges(
            challenges=tuple(map(ShownChallenge.of, found)),
            blocked=tuple(await self.kept.blocked(person.id)),
        )

    async def block(self, api: PeopleApi, ask: Ask) -> FromServer:
        person = await api.require(ask)
        other = await _named(api, ask, read_body(GivenName, ask.body).name)
        if other.id == person.id:
            raise HttpError(400, "you cannot block yourself")
        await self.kept.block(person.id, other.id)
        return OwnBlocks(blocked=tuple(await self.kept.blocked(person.id)))

    async def unblock(self, api: PeopleApi, ask: Ask) -> FromServer:
        person = await api.require(ask)
        other = await _named(api, ask, read_body(GivenName, ask.body).name)
        await self.kept.unblock(person.id, other.id)
        return OwnBlocks(blocked=tuple(await self.kept.blocked(person.id)))


_STATUSES: Final = {challenges.NotSent: 409, challenges.Blocked: 403, challenges.TooMany: 429}


async def _named(api: PeopleApi, ask: Ask, name: str) -> Person:
    """Return who keeps a name.

    Raises:
        HttpError: 404 if nobody does, 429 after too many questions.
        StorageFailed: if it could not be looked up.
    """
    api.look(ask.client)
    person = await api.people.named(name)
    if person is None:
        raise HttpError(404, "nobody keeps this name here")
    return person


def _settings(given: GivenSettings) -> Settings:
    """Return the settings of the room of a challenge.

    Raises:
        HttpError: 400 if no two people can play so.
    """
    if given.password is not None:
        words = "settings.password: a challenge needs none, as nobody else knows its room"
        raise HttpError(400, words)
    if not given.seats.all_human:
        raise HttpError(400, "settings.seats: a challenge is between two people")
    changes: dict[str, Any] = {} if "public" in given.model_fields_set else {"public": False}
    try:
        changes["rules"] = whole_rules(given.rules, "settings.rules")
        return playable(given.model_copy(update=changes))
    except Refused as refused:
        raise HttpError(400, refused.reason) from None
