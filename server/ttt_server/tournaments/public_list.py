"""The public events that are open or under way, newest first."""

import json
from collections.abc import Iterable
from operator import attrgetter
from typing import Final, NamedTuple

from ttt_protocol.codec import encode_message
from ttt_protocol.tournament.messages import EventSummary
from ttt_protocol.tournament.settings import TournamentName
from ttt_server.tournaments.rules.values import Tournament

_MOST_KEPT: Final = 1000


class PublicEvent(NamedTuple):
    """An event in the list."""

    opened_at: int
    """Unix ms."""
    summary: EventSummary


class PublicEvents:
    """The events whose organisers want them listed, in memory or not."""

    def __init__(self) -> None:
        self._events: dict[TournamentName, PublicEvent] = {}

    def update(self, it: Tournament) -> None:
        """Take over a tournament as it is now: add it, change it or leave it out."""
        summary = _summary(it)
        if summary is None:
            self.discard(it.name)
            return
        self._events[it.name] = PublicEvent(it.opened_at, summary)
        if len(self._events) > _MOST_KEPT:
            self.discard(self.newest()[-1].event)

    def discard(self, name: TournamentName) -> None:
        """Leave a tournament out."""
        self._events.pop(name, None)

    def clear(self) -> None:
        """Leave all out."""
        self._events.clear()

    @property
    def all(self) -> list[PublicEvent]:
        """All of them, in no order."""
        return list(self._events.values())

    def newest(self) -> list[EventSummary]:
        """Return all of them, newest first."""
        return newest(self._events.values())


def newest(events: Iterable[PublicEvent]) -> list[EventSummary]:
    """Return the entries of events, newest first."""
    events = sorted(events, key=attrgetter("opened_at"), reverse=True)
    return [it.summary for it in events]


def encode_events(events: Iterable[PublicEvent]) -> bytes:
    """Return events as JSON, for another process of this server."""
    told = [(it.opened_at, encode_message(it.summary).decode()) for it in events]
    return json.dumps(told).encode()


def decode_events(data: bytes) -> list[PublicEvent]:
    """Return what `encode_events` made: both processes are of one build."""
    return [PublicEvent(at, EventSummary.model_validate_json(it)) for at, it in json.loads(data)]


def _summary(it: Tournament) -> EventSummary | None:
    """Return a tournament's entry; `None` if it is not for all, or nobody can enter or watch."""
    if not (it.seq and it.settings.public) or it.status == "finished":
        return None
    if it.status == "created" and not it.doors_open:
        return None
    return EventSummary(
        event=it.name,
        title=it.title,
        form=it.settings.form,
        rules=it.settings.rules,
        status=it.status,
        players=len(it.listed),
        round=it.round,
    )
