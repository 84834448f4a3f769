"""Persons over HTTP: keep a name, prove it on another device, settings, lists of games.

The token of the person is in `Authorization: Bearer …`; bodies are JSON.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from time import monotonic
from typing import Any, Final, TypeAlias, TypeVar
from urllib.parse import unquote

from pydantic import ConfigDict, Field, field_validator
from websockets.http11 import Request, Response

from ttt_engine import EngineError
from ttt_protocol.base import FromClient, FromServer
from ttt_protocol.codec import InvalidWire, decode_body, encode_message
from ttt_protocol.commands import Name
from ttt_protocol.notices import QuietTime
from ttt_protocol.state import PersonId, Token
from ttt_server.core.errors import Refused
from ttt_server.endpoints.asking import Ask, Client, Route, find_route, read_fields
from ttt_server.endpoints.identities import PROXY
from ttt_server.endpoints.ladder import ShownRating
from ttt_server.endpoints.studies import read_rules
from ttt_server.limits.rates import Budgets
from ttt_server.people import service
from ttt_server.people.forgetting import Forgetting, export
from ttt_server.people.games import MOST, STATES, Cursor, GamesWish, listed, page
from ttt_server.people.notices.rules import require_zone
from ttt_server.people.ratings import Ratings
from ttt_server.storage.people import PeopleTables
from ttt_server.transport.responses import Document, HttpError, document_response

M = TypeVar("M", bound=FromClient)

LOOKS_PER_MINUTE: Final = 120
"""Persons that an address may look up in a minute."""


class PersonShown(FromServer):
    """A person, as everybody may see them."""

    id: PersonId
    name: str
    since: int
    """Since when the name is kept, in Unix ms."""


class WaysIn(FromServer):
    """How one becomes a person here."""

    guests: bool
    """Whether people may play without it, and keep a name by themselves."""
    sign_in: str | None
    """The path at which one signs in with the provider, if there is one."""


class SignedIn(FromServer):
    """A person, and the token that proves it."""

    person: PersonShown
    token: Token = Field(repr=False)


class New:
    """Marks an answer about something that was made."""


class Made(SignedIn, New):
    """A new person."""


class Myself(FromServer):
    """A person, as they see themselves."""

    person: PersonShown
    settings: dict[str, Any]


class Linked(FromServer):
    """A code for another device, and until when it works, in Unix ms."""

    code: str = Field(repr=False)
    expires: int


class NewToken(FromServer):
    """The token that is good after all others became void."""

    token: Token = Field(repr=False)


class KeptOfPerson(FromServer):
    """All that is kept of a person, as `forgetting.export` tells it."""

    model_config = ConfigDict(extra="allow")


class PersonForgotten(FromServer):
    """Nothing is kept of the person."""


class GivenName(FromClient):
    name: Name


class NewPhrase(FromServer):
    """Six words, which are shown once."""

    phrase: str = Field(repr=False)


class GivenPhrase(FromClient):
    name: Name
    phrase: str = Field(max_length=128, repr=False)


class GivenCode(FromClient):
    code: str = Field(max_length=64, repr=False)


class PersonSettings(FromClient):
    """What a person may set. Null brings back what is for all."""

    hidden: bool | None = None
    """Whether `/people` and `/ladder` leave the person out."""
    quiet: QuietTime | None = None
    """In which notices wait."""

    @field_validator("quiet")
    @classmethod
    def _require_zone(cls, quiet: QuietTime | None) -> QuietTime | None:
        if quiet is not None:
            require_zone(quiet.zone)
        return quiet


class ChangedSettings(FromClient):
    settings: PersonSettings = PersonSettings()


Methods: TypeAlias = dict[str, Callable[..., Awaitable[FromServer]]]
"""What each method of a path does."""


@dataclass(eq=False, slots=True)
class PeopleApi:
    """Answers requests about people. `_ROUTES` has the paths."""

    people: service.People
    forgetting: Forgetting
    catch_up: Callable[[PersonId], Awaitable[None]]
    """Brings the lists of a person up to date."""
    makes: Budgets
    """For the persons that an address makes."""
    has_guests: bool = True
    """Whether people may keep a name by themselves."""
    sign_in: str | None = None
    """The path at which one signs in elsewhere."""
    looks: Budgets = field(default_factory=lambda: Budgets(LOOKS_PER_MINUTE / 60, LOOKS_PER_MINUTE))
    """For the persons that an address looks up."""
    more: tuple[Route[Methods], ...] = ()
    """Paths of other parts, which answer for people."""

    def find(self, path: str) -> tuple[Methods, tuple[str, ...]] | None:
        """Return what a path does, and its parts; `None` if it is not about people."""
        return find_route((*_ROUTES, *self.more), path)

    async def respond(
        self, found: tuple[Methods, tuple[str, ...]], request: Request, ask: Ask
    ) -> Response:
        """Answer a request.

        Raises:
            HttpError: 400 for a body that is not understood, 401 without the token of a person, 404
                for somebody who is not known, 405, 409 for a name that is kept, 429.
            StorageFailed: if the store fails.
        """
        handlers, parts = found
        handler = handlers.get("GET" if request.method == "HEAD" else request.method)
        if handler is None:
            allowed = (*handlers, "HEAD") if "GET" in handlers else tuple(handlers)
            raise HttpError(405, f"only {' and '.join(allowed)}", allowed)
        said = await handler(self, ask, *parts)
        status = HTTPStatus.CREATED if isinstance(said, New) else HTTPStatus.OK
        return document_response(Document.once(encode_message(said)), request, status)

    async def ways_in(self, _: Ask) -> FromServer:
        return WaysIn(guests=self.has_guests, sign_in=self.sign_in)

    async def make(self, ask: Ask) -> FromServer:
        if ask.client.identity is not None:
            return self._signed_in(await self.require(ask))
        if not self.has_guests:
            raise HttpError(403, "this server is for people it knows: sign in first")
        name = read_body(GivenName, ask.body).name
        address = ask.client.address
        if not self.makes.spend(address, monotonic()):
            raise HttpError(429, "too many names were kept from this address; try again tomorrow")
        try:
            person = await self.people.make(name)
        except service.NameTaken as error:
            self.makes.refund(address)
            self.look(ask.client)
            raise HttpError(409, str(error)) from None
        except BaseException:
            self.makes.refund(address)
            raise
        return Made(person=_shown(person), token=self.people.token(person))

    async def me(self, ask: Ask) -> FromServer:
        person = await self.require(ask)
        return Myself(person=_shown(person), settings=await self.people.settings(person))

    async def change(self, ask: Ask) -> FromServer:
        person = await self.require(ask)
        given = read_body(ChangedSettings, ask.body).settings
        changes = given.model_dump(exclude_unset=True)
        settings = await self.people.change_settings(person, changes)
        return Myself(person=_shown(person), settings=settings)

    async def link(self, ask: Ask) -> FromServer:
        code, expires = await self.people.link(await self.require(ask))
        return Linked(code=code, expires=expires)

    async def use_link(self, ask: Ask) -> FromServer:
        code = read_body(GivenCode, ask.body).code
        try:
            person = await self.people.use_link(code)
        except service.BadCode:
            _count_guess(ask.client)
            words = "this link does not work: it works once, within ten minutes"
            raise HttpError(404, words) from None
        return self._signed_in(person)

    async def phrase(self, ask: Ask) -> FromServer:
        person = await self.require(ask)
        return NewPhrase(phrase=await self.people.new_phrase(person, ask.client.address))

    async def use_phrase(self, ask: Ask) -> FromServer:
        given = read_body(GivenPhrase, ask.body)
        _count_guess(ask.client)  # before it is checked, which takes long
        try:
            person = await self.people.recover(given.name, given.phrase, ask.client.address)
        except service.WrongPhrase:
            raise HttpError(401, "this name and these six words do not belong together") from None
        except service.TooManyPhrases:
            words = "too many phrases were tried for this name; wait an hour"
            raise HttpError(429, words) from None
        return self._signed_in(person)

    async def sign_out(self, ask: Ask) -> FromServer:
        person = await self.people.sign_out(await self.require(ask))
        return NewToken(token=self.people.token(person))

    async def games(self, ask: Ask) -> FromServer:
        person = await self.require(ask)
        wish = read_games_wish(ask.url.query)
        await self.catch_up(person.id)
        return await read_games(self.people.tables, person.id, wish)

    async def export(self, ask: Ask) -> FromServer:
        person = await self.require(ask)
        await self.catch_up(person.id)
        found = await export(self.people.tables, person.id)
        return KeptOfPerson.model_validate(found or {})

    async def forget(self, ask: Ask) -> FromServer:
        person = await self.require(ask)
        await self.catch_up(person.id)
        await self.forgetting.forget(person)
        return PersonForgotten()

    async def person(self, ask: Ask, name: str) -> FromServer:
        self.look(ask.client)
        wish = read_games_wish(ask.url.query)
        person = await self.people.named(unquote(name))
        if person is None or (await self.people.settings(person)).get("hidden"):
            raise HttpError(404, "nobody keeps this name, or they do not show it")
        await self.catch_up(person.id)
        tables = self.people.tables
        found = await read_games(tables, person.id, wish, is_for_all=True)
        return PersonPage(
            name=person.name,
            since=person.since,
            games=found.games,
            next=found.next,
            ratings=await read_ratings(tables, person.id),
        )

    async def require(self, ask: Ask) -> service.Person:
        """Return who asks.

        Raises:
            HttpError: 401 without a good token, 429 after too many wrong ones.
            StorageFailed: if it could not be looked up.
        """
        if ask.client.identity is not None:
            return await self.people.of_identity(PROXY, ask.client.identity, ask.client.identity)
        if ask.token is None:
            raise HttpError(401, "show the token of a person")
        try:
            return await self.people.of_token(ask.token)
        except Refused as refused:
            _count_guess(ask.client)
            raise HttpError(401, refused.reason) from None

    async def whose(self, token: str) -> service.Person | None:
        """Return whose token it is; `None` if it is no good token of a person.

        Raises:
            StorageFailed: if it could not be looked up.
        """
        try:
            return await self.people.of_token(token)
        except Refused:
            return None

    def look(self, client: Client) -> None:
        """Count that an address learns something of a person.

        Raises:
            HttpError: 429 after too many.
        """
        if not self.looks.spend(client.address, monotonic()):
            raise HttpError(429, "too many people were looked up from this address, slow down")

    def _signed_in(self, person: service.Person) -> SignedIn:
        return SignedIn(person=_shown(person), token=self.people.token(person))


def _shown(person: service.Person) -> PersonShown:
    return PersonShown(id=person.id, name=person.name, since=person.since)


def _count_guess(client: Client) -> None:
    if not client.may_guess():
        raise HttpError(429, "too many wrong tokens or passwords, slow down")


def read_body(model: type[M], body: bytes) -> M:
    """Return what the body of a request says.

    Raises:
        HttpError: 400 if it is not understood.
    """
    try:
        return decode_body(model, body or b"{}")
    except InvalidWire as error:
        raise HttpError(400, str(error)) from None


class GamesPage(FromServer):
    """Games of a person: those that wait for a move, those that run, those that are over."""

    games: list[dict[str, Any]]
    next: str | None
    """For `after`, to read on; null at the end."""


class RatingOfPerson(FromServer):
    """How strong a person is on a board at a pace."""

    board: str
    pace: str
    rating: float
    deviation: float
    provisional: bool
    games: int


class PersonPage(GamesPage):
    """A person, as everybody may see them, with games of public rooms."""

    name: str
    since: int
    """Since when the name is kept, in Unix ms."""
    ratings: list[RatingOfPerson] = Field(default_factory=list)


def read_games_wish(query: str) -> GamesWish:
    """Return the games of `state=turn&rules=3x3x3&opponent=Ben&after=…`.

    Raises:
        HttpError: 400 for an impossible value.
    """
    given = read_fields(query)
    state, limit = given.get("state"), given.get("limit", str(MOST))
    if state is not None and state not in STATES:
        raise HttpError(400, f"state is one of {', '.join(STATES)}")
    if not (limit.isascii() and limit.isdigit() and 1 <= int(limit[:9]) <= MOST):
        raise HttpError(400, f"limit must be a number from 1 to {MOST}")
    try:
        board = str(read_rules(given)) if "rules" in given else None
    except EngineError as error:
        raise HttpError(400, f"rules: {error}") from None
    try:
        after = Cursor.parse(given["after"]) if "after" in given else None
    except ValueError:
        raise HttpError(400, "after is what a page gave as next") from None
    return GamesWish(state, board, given.get("opponent"), after, int(limit))


async def read_games(
    tables: PeopleTables, person: PersonId, wish: GamesWish, *, is_for_all: bool = False
) -> GamesPage:
    """Return a page of a person's games.

    `is_for_all`: only what everybody may know.

    Raises:
        StorageFailed: if they could not be read.
    """
    statements = page(person, wish, is_for_all=is_for_all)
    found = await tables.transact(statements) if statements else []
    games = listed(row for rows in found for row in rows)
    last = games[wish.limit - 1].cursor if len(games) > wish.limit else None
    shown = [game.fields for game in games[: wish.limit]]
    return GamesPage(
        games=list(map(_for_all, shown)) if is_for_all else shown,
        next=None if last is None else str(last),
    )


async def read_ratings(tables: PeopleTables, person: PersonId) -> list[RatingOfPerson]:
    """Return the ratings of a person, the one of most games first.

    Raises:
        StorageFailed: if they could not be read.
    """
    return [
        RatingOfPerson.model_validate(
            {"board": board, "pace": pace, **ShownRating.fields_of(shown)}
        )
        for (board, pace), shown in (await Ratings(tables).of(person)).items()
    ]


def _for_all(fields: dict[str, Any]) -> dict[str, Any]:
    """Return a game as others see it: whose turn it is, and until when, is for the players."""
    private = {"falls_at", "days", "public", "delayed"}
    if fields.get("delayed"):
        private |= {"ply", "board", "at"}
    shown = {name: value for name, value in fields.items() if name not in private}
    return shown | ({"state": "running"} if shown["state"] == "turn" else {})


_ROUTES: Final[tuple[Route[Methods], ...]] = (
    Route.to("/api/persons", {"GET": PeopleApi.ways_in, "POST": PeopleApi.make}),
    Route.to("/api/persons/link", {"POST": PeopleApi.use_link}),
    Route.to("/api/persons/phrase", {"POST": PeopleApi.use_phrase}),
    Route.to(
        "/api/me", {"GET": PeopleApi.me, "PATCH": PeopleApi.change, "DELETE": PeopleApi.forget}
    ),
    Route.to("/api/me/link", {"POST": PeopleApi.link}),
    Route.to("/api/me/phrase", {"POST": PeopleApi.phrase}),
    Route.to("/api/me/signout", {"POST": PeopleApi.sign_out}),
    Route.to("/api/me/games", {"GET": PeopleApi.games}),
    Route.to("/api/me/export", {"GET": PeopleApi.export}),
    Route.to("/api/people/{name}", {"GET": PeopleApi.person}),
)
"""The paths, and what each method does."""
