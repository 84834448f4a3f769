"""The metrics in the format of Prometheus. `docs/metrics.md` is the catalogue.

This module is not on the path of a move: each part keeps its own counts, which are read at a
scrape. No label holds user input: no room, player's name or address.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, get_args

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import Status
from ttt_server.ai.runner import StrategyRunner
from ttt_server.limits.connections import ConnectionTable
from ttt_server.people.notices.ledger import Kind, NoticeCounters
from ttt_server.people.notices.posting import Fate
from ttt_server.rooms.hub import Hub
from ttt_server.telemetry.build import SERVER
from ttt_server.telemetry.counters import Counters, LoopLag
from ttt_server.telemetry.histogram import Histogram


@dataclass(eq=False)
class Metrics(Collector):
    """The metrics of one server: they measure its parts."""

    hub: Hub
    connections: ConnectionTable[Any]
    counters: Counters
    runner: StrategyRunner
    lag: LoopLag
    kept: Mapping[str, float | None]
    """For how many seconds each kind of thing is kept, or how many games of a room; `None` for
    ever."""
    notices: NoticeCounters | None = None
    """`None` if the server keeps no persons."""

    def __post_init__(self) -> None:
        self._registry = CollectorRegistry(auto_describe=True)
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def text(self) -> bytes:
        """Return the current metrics in text format 0.0.4."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        yield InfoMetricFamily("ttt_build", "The server.", {"version": SERVER.partition("/")[2]})
        yield GaugeMetricFamily("ttt_processes", "Processes of this server that answer.", 1)
        yield from self._of_connections()
        yield from self._of_rooms()
        kept = GaugeMetricFamily("ttt_retention", "How long things are kept.", labels=("what",))
        bounds = {what: math.inf if bound is None else bound for what, bound in self.kept.items()}
        yield _filled(kept, bounds)
        yield from self._of_moves()
        yield from self._of_notices()
        yield _times("ttt_event_loop_lag", "How late the event loop is.", self.lag.observed)

    def _of_connections(self) -> Iterator[Metric]:
        table = self.connections
        yield GaugeMetricFamily("ttt_connections", "Open connections.", table.count)
        yield CounterMetricFamily("ttt_connections_opened", "Connections so far.", table.opened)
        yield CounterMetricFamily("ttt_outbox_cuts", "Connections that were reset.", table.cuts)
        yield CounterMetricFamily(
            "ttt_false_relays",
            "Requests with the headers of a relay that no relay sent.",
            self.counters.false_relays,
        )
        yield CounterMetricFamily(
            "ttt_false_identities",
            "Requests with the header of an identity that no trusted proxy sent.",
            self.counters.false_identities,
        )
        refusals = CounterMetricFamily("ttt_refusals", "Commands refused.", labels=("code",))
        yield _filled(refusals, {code.value: self.counters.refusals[code] for code in RefusalCode})

    def _of_rooms(self) -> Iterator[Metric]:
        rooms = GaugeMetricFamily("ttt_rooms", "Rooms in memory.", labels=("status",))
        counted = Counter(live.room.status for live in self.hub.registry.all)
        yield _filled(rooms, {status.value: counted[status] for status in Status})
        spectators = sum(live.members.spectators for live in self.hub.registry.all)
        yield GaugeMetricFamily("ttt_spectators", "Spectators in rooms.", spectators)
        yield GaugeMetricFamily(
            "ttt_store_healthy", "Whether the store works: 1 or 0.", self.hub.log.is_healthy
        )

    def _of_moves(self) -> Iterator[Metric]:
        log = self.hub.log
        yield CounterMetricFamily("ttt_moves", "Moves on disk.", log.moves)
        yield _times("ttt_commit", "Time to have events on disk.", log.store.commits)
        direct, relayed = self.counters.moves, self.counters.of_relayed.moves
        yield _times("ttt_move", "Time from a player's move to its update.", direct + relayed)
        yield CounterMetricFamily(
            "ttt_relayed_moves",
            "Moves of players that another server or process passed on.",
            relayed.count,
        )
        yield _times("ttt_ai_think", "Time to have an AI's move.", self.runner.thoughts)
        failures = CounterMetricFamily(
            "ttt_ai_failures", "Moves that an AI failed to make.", labels=("strategy",)
        )
        yield _filled(failures, self.runner.failures)

    def _of_notices(self) -> Iterator[Metric]:
        notices = self.notices or NoticeCounters()
        yield CounterMetricFamily("ttt_notices", "Notices told.", notices.told)
        requests = CounterMetricFamily(
            "ttt_notice_requests", "Requests with a notice.", labels=("way", "result")
        )
        for way, fate in product(get_args(Kind), Fate):
            requests.add_metric((way, fate.value), notices.requests[way, fate.value])
        yield requests
        yield CounterMetricFamily("ttt_notices_dropped", "Notices dropped.", notices.dropped)


def _filled(family: CounterMetricFamily | GaugeMetricFamily, of: Mapping[str, float]) -> Metric:
    """Return a family with a value for each value of its only label."""
    for label, value in of.items():
        family.add_metric((label,), value)
    return family


def _times(name: str, about: str, observed: Histogram) -> Metric:
    return HistogramMetricFamily(
        f"{name}_seconds", about, buckets=observed.buckets, sum_value=observed.sum
    )
