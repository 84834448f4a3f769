"""The boards that a player of an event has at once, and which of them is shown. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from ttt_protocol.state import RoomName

REST_S = 0.8
"""Seconds that a board stays in sight after the player's move, before the next one that waits."""

OVER_REST_S = 2.5
"""The same after the end of its game, for a look at how it ended."""

Waits = Mapping[RoomName, float | None]
"""The boards in the order of their games, with the time since which each waits for the player."""


@dataclass(frozen=True, slots=True)
class OwnBoards:
    """The boards, and the one that is shown. Times are seconds of one running clock.

    A board that waits for the player is shown until the player has moved there, or turns away from
    it by hand; then the one that has waited longest follows.
    """

    waits: Waits = field(default_factory=lambda: MappingProxyType({}))
    over: frozenset[RoomName] = frozenset()
    """The rooms whose game is over."""
    shown: RoomName | None = None
    """None for the event itself."""
    shown_since: float | None = None
    """The time since which the shown board waits, as it was when it came into sight."""
    left: Waits = field(default_factory=lambda: MappingProxyType({}))
    """The boards that waited as the player turned away from them, and since when."""
    changes_at: float | None = None
    """When the next board follows; None while nothing else is to be shown."""

    @property
    def waiting(self) -> int:
        """The number of boards that wait for the player."""
        return sum(since is not None for since in self.waits.values())

    def now(self, waits: Waits, over: Collection[RoomName], now: float) -> "OwnBoards":
        """Return the boards as they are now. A new one is shown at once, where none is.

        Args:
            waits: all boards.
            over: those whose game is over.
            now: the time.
        """
        new = [room for room in waits if room not in self.waits]
        boards = replace(self, waits=MappingProxyType(dict(waits)), over=frozenset(over))
        if boards.shown is not None and boards.shown not in waits:
            return _show(boards, _longest(boards) or next(iter(waits), None))
        if boards.shown is None and new:
            return _show(boards, _longest(boards) or new[0])
        if boards.shown is not None and boards.shown_since is None:
            boards = replace(boards, shown_since=waits[boards.shown])
        return _planned(boards, now)

    def followed(self, now: float) -> "OwnBoards":
        """Return the boards with the next one in sight, if its time has come."""
        if self.changes_at is None or now < self.changes_at:
            return self
        return _show(self, _longest(self))

    def step(self, by: int) -> "OwnBoards":
        """Return the boards with another one in sight: the next for 1, the one before for -1."""
        rooms = list(self.waits)
        if self.shown is None or len(rooms) < 2:
            return self
        return self._turn_to(rooms[(rooms.index(self.shown) + by) % len(rooms)])

    def look_at_event(self) -> "OwnBoards":
        """Return the boards with the event in sight until a board begins to wait."""
        return self._turn_to(None)

    def look_at_boards(self) -> "OwnBoards":
        """Return the boards with one of them in sight: that which has waited longest."""
        boards = replace(self, left=MappingProxyType({}))
        return _show(boards, _longest(boards) or next(iter(self.waits), None))

    def _turn_to(self, room: RoomName | None) -> "OwnBoards":
        """Return the boards with another in sight: where nothing waits it stays in sight, too."""
        waiting = {each: since for each, since in self.waits.items() if since is not None}
        left = {} if room in waiting else waiting
        return replace(_show(self, room), left=MappingProxyType(left))


def _planned(boards: OwnBoards, now: float) -> OwnBoards:
    """Return the boards with the time when the next one follows."""
    since = None if boards.shown is None else boards.waits[boards.shown]
    keeps = since is not None and since == boards.shown_since
    if keeps or _longest(boards) in (None, boards.shown):
        return replace(boards, changes_at=None)
    if boards.changes_at is not None:
        return boards
    rest_s = OVER_REST_S if boards.shown in boards.over else REST_S
    return replace(boards, changes_at=now + rest_s)


def _show(boards: OwnBoards, room: RoomName | None) -> OwnBoards:
    since = None if room is None else boards.waits[room]
    return replace(boards, shown=room, shown_since=since, changes_at=None)


def _longest(boards: OwnBoards) -> RoomName | None:
    """Return the board that has waited longest, but for those the player turned away from."""
    fresh = [
        (since, room)
        for room, since in boards.waits.items()
        if since is not None and boards.left.get(room) != since
    ]
    return min(fresh)[1] if fresh else None
