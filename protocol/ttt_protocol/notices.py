"""Notices: what a person is told while away, over HTTP, by a webhook and by a browser's push."""

from typing import Annotated, Literal

from pydantic import Field

from ttt_protocol.base import FromClient, FromServer, Omissible, absent
from ttt_protocol.codes import Reason
from ttt_protocol.state import RoomName
from ttt_protocol.tournament.settings import TournamentName

NoticeKind = Literal["turn", "challenge", "round", "end"]
"""
    turn       it is the person's turn in a game
    challenge  someone would like to play with the person
    round      a round of an event has begun, and the person has a game in it
    end        a game of the person has ended
"""

Result = Literal["won", "lost", "drawn"]

ClockTime = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
"""A time of day, like `07:00`."""


class QuietTime(FromClient):
    """Hours of each day in which notices wait."""

    from_: ClockTime = Field(alias="from")
    until: ClockTime
    """At the earliest the next time after `from`: it may be past midnight."""
    zone: str = Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9+_-]+(/[A-Za-z0-9+_-]+)*$")
    """The person's time zone, by its name in the IANA database: `Europe/Berlin`."""


class PushKeys(FromClient):
    """The keys of a subscription, as a browser makes them: base64url."""

    p256dh: str = Field(min_length=1, max_length=200)
    auth: str = Field(min_length=1, max_length=64)


class PushSubscription(FromClient):
    """A browser that is told by a push: `PushSubscription.toJSON()`, and the page's language."""

    endpoint: str = Field(min_length=1, max_length=1024)
    keys: PushKeys
    expirationTime: Omissible[float] | None = None  # noqa: N815 - its name in browsers
    language: Literal["en", "de", "fr", "es"] = "en"


class PushEnd(FromClient):
    """A browser that is no longer told."""

    endpoint: str = Field(min_length=1, max_length=1024)


class PushKey(FromServer):
    """The server's public key for `PushManager.subscribe`: base64url."""

    key: str


class NoticePerson(FromServer):
    """Whom a notice is for."""

    id: str
    name: str


class Notice(FromServer):
    """A notice. What does not belong to its kind is left out."""

    id: str
    """The same each time that the notice is sent."""
    kind: NoticeKind
    at: int
    """When it came about, in Unix ms."""
    text: str
    """The notice for people, in one line."""
    path: str
    """Where to go, relative to the server's page: `rooms/den`."""
    url: Annotated[str | None, Field(exclude_if=absent)] = None
    """The same as a whole address; absent if the server does not know its own."""
    person: Annotated[NoticePerson | None, Field(exclude_if=absent)] = None
    """For whom: only in the webhook's."""
    room: Annotated[RoomName | None, Field(exclude_if=absent)] = None
    game: Annotated[int | None, Field(exclude_if=absent)] = None
    ply: Annotated[int | None, Field(exclude_if=absent)] = None
    """The moves made so far."""
    opponent: Annotated[str | None, Field(exclude_if=absent)] = None
    """A name; for a challenge, that of the challenger."""
    result: Annotated[Result | None, Field(exclude_if=absent)] = None
    reason: Annotated[Reason | None, Field(exclude_if=absent)] = None
    """Why the game ended."""
    event: Annotated[TournamentName | None, Field(exclude_if=absent)] = None
    title: Annotated[str | None, Field(exclude_if=absent)] = None
    """The event's."""
    round: Annotated[int | None, Field(exclude_if=absent)] = None
    challenge: Annotated[str | None, Field(exclude_if=absent)] = None
    """The challenge's id."""


class NoticeList(FromServer):
    """The notices after a place, in the order in which they were told."""

    notices: tuple[Notice, ...]
    next: str
    """The place after them, for `after`."""
