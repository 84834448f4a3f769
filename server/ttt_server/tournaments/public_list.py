"""The public events that are open or under way, newest first."""

from operator import attrgetter
from typing import Final, NamedTuple

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

    def newest(self) -> list[EventSummary]:
        """Return all of them, newest first."""
        events = sorted(self._events.values(), key=attrgetter("opened_at"), reverse=True)
        return [it.summary for it in events]


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
