"""Counters of commands."""

from collections import Counter
from functools import cached_property

from ttt_protocol.codes import RefusalCode
from ttt_server.telemetry.histogram import Histogram

MOVE_BOUNDS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


class Counters:
    """Counts the commands of all connections since the start."""

    def __init__(self) -> None:
        self.refusals: Counter[RefusalCode] = Counter()
        self.moves = Histogram(MOVE_BOUNDS_S)
        """From a player's `play` until the `update` was handed to all connections."""
        self.false_relays = 0
        """Requests with relay headers that no server of this installation sent."""
        self.false_identities = 0
        """Requests with the header of an identity that no trusted proxy sent."""

    @cached_property
    def of_relayed(self) -> "Counters":
        """Count the moves of connections that another server passes on, apart from the others."""
        apart = Counters()
        apart.refusals = self.refusals
        return apart

    def note_false_identity(self) -> None:
        self.false_identities += 1

    def note_false_relay(self) -> None:
        self.false_relays += 1
