"""The HTTP API: rooms, games and more as JSON, the page's files, /healthz and /metrics."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Final

from websockets.http11 import Request, Response

from ttt_engine.strategies import Description
from ttt_protocol.base import FromServer, Plain
from ttt_protocol.codec import encode_document, encode_message
from ttt_protocol.records import GameRecord
from ttt_protocol.schema import protocol_schema
from ttt_protocol.state import Human, RoomState
from ttt_server.ai.evaluations import Evaluations, GameAnalyser, NotOver
from ttt_server.ai.laboratory import Laboratory
from ttt_server.concurrency.fair_semaphore import BoundedLock, FairSemaphore, KeyTooBusy, TooBusy
from ttt_server.core.errors import Refused
from ttt_server.endpoints import asking, studies
from ttt_server.endpoints.asking import Ask, Client, HttpUrl, Route, bearer
from ttt_server.endpoints.ladder import read_ladder, read_room_ratings
from ttt_server.endpoints.openid import OpenIdApi
from ttt_server.endpoints.people import PeopleApi
from ttt_server.endpoints.static import Previews, StaticFiles
from ttt_server.lobby.room_list import PageWish, RoomPages, page_document
from ttt_server.people.ratings import Ratings
from ttt_server.rooms.admission import Rights
from ttt_server.rooms.event_log import GameNotKept
from ttt_server.rooms.reader import RoomReader
from ttt_server.tournaments.registry import TournamentRegistry
from ttt_server.transport.responses import METHODS, PRIVATE, Document, HttpError, document_response
from ttt_server.transport.websocket import body_of

MOST_READERS = 32
"""Games read from logs, or waiting for that, at once."""

_METRICS: Final = "text/plain; version=0.0.4; charset=utf-8"
"""The `Content-Type` for Prometheus."""


class Health(FromServer):
    status: str


class StrategyList(FromServer):
    strategies: tuple[dict[str, str | bool], ...]


@dataclass(eq=False, slots=True)
class HttpApi:
    """Answers plain requests. `_ROUTES` has the paths of the API, and `files` those of the page."""

    reader: RoomReader
    listed: RoomPages
    tournaments: TournamentRegistry
    files: StaticFiles
    analyser: GameAnalyser
    laboratory: Laboratory
    explorer: Evaluations
    catalogue: Callable[[], Awaitable[tuple[Description, ...]]]
    """Returns the strategies that can have an AI seat."""
    is_healthy: Callable[[], Awaitable[bool]]
    """Returns whether the store works."""
    metrics: Callable[[], Awaitable[bytes]]
    """Returns the metrics for Prometheus."""
    readers: BoundedLock = field(default_factory=lambda: BoundedLock(MOST_READERS))
    """Lets one log be read at a time: it may be long."""
    list_turns: FairSemaphore = field(default_factory=lambda: FairSemaphore(1))
    """Turns of those who read the list of rooms or of events."""
    ladder: Path | None = None
    """Its file, read for each request; `None` if the server has no ladder of programs."""
    ratings: Ratings | None = None
    """`None` if the server keeps no persons."""
    previews: Previews = field(default_factory=Previews)
    openid: OpenIdApi | None = None
    """`None` if no OpenID provider is set."""
    people: PeopleApi | None = None
    """`None` if the server keeps no persons."""

    async def respond(self, request: Request, url: HttpUrl, client: Client) -> Response:
        """Answer a request.

        Raises:
            HttpError: 404 for an unknown path, except to a browser, which gets a page that says so;
                405 for a method that the path does not have; 400 for a wrong value in the query or
                the body; 401, 403, 404, 409, 429 and 503 for a room, a game, its analysis or a
                person.
            StorageFailed: if the store could not be read.
        """
        ask = Ask(url, bearer(request), client, body_of(request))
        if self.openid is not None and (answer := await self.openid.respond(request, ask)):
            return answer
        if self.people is not None and (found := self.people.find(url.path)):
            return await self.people.respond(found, request, ask)
        if request.method not in METHODS:
            if asking.find_route(_ROUTES, url.path) is None and self.files.find(url) is None:
                raise _nothing_here()
            raise HttpError(405, "only GET and HEAD")
        try:
            document = self.files.find(url) or await self._read(ask)
        except HttpError as error:
            page = self.files.lost(url) if _is_lost(request, error) else None
            if page is None:
                raise
            return document_response(page, request, error.status)
        return document_response(self.previews.complete(document, request), request)

    async def _read(self, ask: Ask) -> Document:
        found = asking.find_route(_ROUTES, ask.url.path)
        if found is None:
            raise _nothing_here()
        handler, parts = found
        try:
            return await handler(self, ask, *parts)
        except KeyTooBusy:
            raise HttpError(429, "too many requests from your address are in progress") from None
        except TooBusy:
            raise HttpError(503, "too busy; try again") from None

    async def health(self, _: Ask) -> Document:
        if not await self.is_healthy():
            raise HttpError(503, "the store fails")
        return _json(Health(status="ok"))

    async def rooms(self, ask: Ask) -> Document:
        wish = PageWish.parse(ask.url.query)
        async with self.list_turns.take():
            await asyncio.sleep(0)  # one answer, of up to 200 kB, in each round of the loop
            return page_document(await self.listed.page(wish))

    async def room(self, ask: Ask, room: str) -> Document:
        state = await self._open_room(ask, room)
        return _json(state, is_private=not _is_open(state))

    async def game(self, ask: Ask, room: str, number: str) -> Document:
        is_analysed = asking.read_flag(ask.url.query, "analysis")
        state = await self._find_room(room)
        rights = None if _is_open(state) else await self._rights(ask, state)
        if rights is None and not _is_open(state):
            raise _not_for_everyone()
        async with self.readers.take():
            record = await self._read_game(state, number, rights)
        if not is_analysed:
            return _json(record, is_private=not _is_open(state))
        try:
            body = await self.analyser.analyse(record, key=ask.client.address)
        except NotOver:
            # Before the end, an analysis would help one of the players.
            raise HttpError(409, "the game is not over") from None
        return _document(body, is_private=not _is_open(state))

    async def events(self, _: Ask) -> Document:
        async with self.list_turns.take():
            await asyncio.sleep(0)  # as for the rooms
            return _json(await self.tournaments.listed())

    async def tournament(self, _: Ask, event: str) -> Document:
        name = asking.tournament_name(event)
        state = await self.tournaments.ask(name)
        if state is None:
            async with self.readers.take():
                state = await self.tournaments.read(name)
        if state is None:
            raise HttpError(404, "there is no such event")
        return _json(state)

    async def position(self, ask: Ask) -> Document:
        return _json(await studies.explore(ask.url.query, self.explorer, key=ask.client.address))

    async def strategies(self, _: Ask) -> Document:
        kinds = await self.catalogue()
        return _json(StrategyList(strategies=tuple(map(asdict, kinds))))

    async def trace(self, ask: Ask) -> Document:
        query = ask.url.query
        with studies.study_failures():
            study, wish = studies.read_study(query), studies.read_wish(query)
            limit, counts = studies.read_limit(query), asking.read_flag(query, "counts")
            lines = await self.laboratory.trace(
                study, wish, limit, counts=counts, key=ask.client.address
            )
        return Document.once(lines, studies.JSON_LINES)

    async def compare(self, ask: Ask) -> Document:
        with studies.study_failures():
            study = studies.read_study(ask.url.query)
            return Document.once(await self.laboratory.compare(study, key=ask.client.address))

    async def daily_puzzle(self, ask: Ask) -> Document:
        wish = studies.read_day(ask.url.query, datetime.now(UTC).date())
        with studies.study_failures():
            (made,) = await self.laboratory.puzzles(wish, key=ask.client.address)
        return _json(studies.DailyPuzzle(date=str(wish.day), puzzle=studies.posed(made)))

    async def puzzle_set(self, ask: Ask) -> Document:
        wish = studies.read_set(ask.url.query)
        with studies.study_failures():
            made = await self.laboratory.puzzles(wish, key=ask.client.address)
        return _json(studies.PuzzleSet(set=wish.name, puzzles=tuple(map(studies.posed, made))))

    async def standing_ladder(self, ask: Ask) -> Document:
        async with self.readers.take():
            return _json(await read_ladder(ask.url.query, self.ladder, self.ratings))

    async def room_ratings(self, ask: Ask, room: str) -> Document:
        if self.ratings is None:
            raise HttpError(404, "this server keeps no names, and no ratings")
        state = await self._open_room(ask, room)
        async with self.readers.take():
            ratings = await read_room_ratings(state, self.ratings)
        return _json(ratings, is_private=not _is_open(state))

    async def protocol(self, _: Ask) -> Document:
        return _protocol_document()

    async def prometheus(self, _: Ask) -> Document:
        return Document.of(await self.metrics(), _METRICS)

    async def _open_room(self, ask: Ask, text: str) -> RoomState:
        """Return a room that everyone may read, or whoever asks."""
        state = await self._find_room(text)
        if not _is_open(state):
            rights = await self._rights(ask, state)
            if rights is None or not rights.sees_room:
                raise _not_for_everyone()
        return state

    async def _find_room(self, text: str) -> RoomState:
        state = await self.reader.read(asking.room_name(text))
        if state is None:
            raise HttpError(404, "there is no such room")
        return state

    async def _rights(self, ask: Ask, state: RoomState) -> Rights | None:
        """Return what the token lets its owner see in a private room; `None` without a token."""
        if ask.token is None:
            return None
        if self.people is not None and (person := await self.people.whose(ask.token)):
            seats = state.seats.X, state.seats.O
            return Rights(None, any(map(person.plays_as, seats)), person.id)
        try:
            return await self.reader.rights(state.name, ask.token)
        except Refused as refused:
            if not ask.client.may_guess():
                raise HttpError(429, "too many wrong tokens or passwords, slow down") from None
            raise HttpError(401, refused.reason) from None

    async def _read_game(self, room: RoomState, text: str, rights: Rights | None) -> GameRecord:
        """Read a game. `rights` are those of the token, in a private room."""
        # No room reaches a million games.
        is_number = text.isascii() and text.isdigit() and len(text) <= 6
        number = int(text) if is_number else 0
        if number and not _is_shown(room, number):
            raise HttpError(404, "this game is not shown yet: spectators see it late")
        try:
            record = await self.reader.read_game(room.name, number) if number else None
        except GameNotKept:
            raise HttpError(404, "this game is no longer kept") from None
        if rights is not None and not rights.sees_room and not _is_player(record, rights):
            raise _not_for_everyone()
        if record is None:
            raise HttpError(404, "there is no such game in this room")
        return record


def _is_lost(request: Request, error: HttpError) -> bool:
    """Return whether a browser asked for a page that does not exist."""
    accepted = ",".join(request.headers.get_all("Accept"))
    return error.status is HTTPStatus.NOT_FOUND and "text/html" in accepted


_ROUTES: Final[tuple[Route[Callable[..., Awaitable[Document]]], ...]] = (
    Route.to("/healthz", HttpApi.health),
    Route.to("/metrics", HttpApi.prometheus),
    Route.to("/api/rooms", HttpApi.rooms),
    Route.to("/api/rooms/{room}", HttpApi.room),
    Route.to("/api/rooms/{room}/ratings", HttpApi.room_ratings),
    Route.to("/api/rooms/{room}/games/{number}", HttpApi.game),
    Route.to("/api/events", HttpApi.events),
    Route.to("/api/events/{event}", HttpApi.tournament),
    Route.to("/api/explore", HttpApi.position),
    Route.to("/api/strategies", HttpApi.strategies),
    Route.to("/api/trace", HttpApi.trace),
    Route.to("/api/compare", HttpApi.compare),
    Route.to("/api/puzzles", HttpApi.puzzle_set),
    Route.to("/api/puzzles/daily", HttpApi.daily_puzzle),
    Route.to("/api/ladder", HttpApi.standing_ladder),
    Route.to("/api/protocol.json", HttpApi.protocol),
)
"""All are for GET and HEAD."""


def _nothing_here() -> HttpError:
    return HttpError(404, "there is nothing here")


def _json(message: FromServer | Plain, *, is_private: bool = False) -> Document:
    return _document(encode_message(message), is_private=is_private)


def _document(body: bytes, *, is_private: bool) -> Document:
    document = Document.of(body)
    return document._replace(caching=PRIVATE) if is_private else document


def _is_open(room: RoomState) -> bool:
    """Return whether everyone may read a room."""
    return not room.locked and room.settings.spectators


def _is_shown(room: RoomState, number: int) -> bool:
    """Return whether a game may be read: if spectators have a delay, only after its end."""
    game = room.game
    if not room.settings.delay_s:
        return True
    if game is None or number > game.number:
        return False
    return number < game.number or game.outcome is not None


def _is_player(record: GameRecord | None, rights: Rights) -> bool:
    """Return whether the session, or the person, played a game."""
    if record is None:
        return False
    players = [each for each in (record.seats.X, record.seats.O) if isinstance(each, Human)]
    is_session = rights.session in {each.id for each in players}
    return is_session or rights.person in {each.person for each in players if each.person}


def _not_for_everyone() -> HttpError:
    return HttpError(403, "this room is not for everyone")


@cache
def _protocol_document() -> Document:
    return Document.of(encode_document(protocol_schema()))._replace(is_packed=True)
