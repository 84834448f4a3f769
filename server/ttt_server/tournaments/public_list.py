"""The public events that are open or under way, newest first."""

import json
from collections.abc import Iterable
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

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


PublicEvents: TypeAlias = dict[TournamentName, PublicEvent]
"""The events whose organisers want them listed, in memory or not."""


def update(listed: PublicEvents, it: Tournament) -> None:
    """Take over a tournament as it is now: add it, change it or leave it out."""
    summary = _summary(it)
    if summary is None:
        listed.pop(it.name, None)
        return
    listed[it.name] = PublicEvent(it.opened_at, summary)
    if len(listed) > _MOST_KEPT:
        del listed[newest(listed.values())[-1].event]


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
