"""Counts of notices, for the metrics."""

from collections import Counter
from dataclasses import dataclass, field

from ttt_server.people.notices.ledger import Kind


@dataclass(slots=True)
class NoticeCounters:
    """What has happened to notices since the start."""

    told: int = 0
    """Notices that this server told."""
    dropped: int = 0
    """Requests that were dropped, as too many were left or none succeeded for a day; and rooms
    whose notices were left out, as too many changed at once."""
    requests: Counter[tuple[Kind, str]] = field(default_factory=Counter)
    """Requests by what came of them: a `retries.Fate`."""
