"""An event on the full screen, between games and on several boards: values. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from ttt_client.text.event import final_words, row_of
from ttt_client.tui.model.connection import Connecting, Connection, Live, Lost, lost_again
from ttt_client.tui.model.input import LIST_STEPS, stepped
from ttt_protocol.messages import Goodbye, Refused
from ttt_protocol.state import RoomName
from ttt_protocol.text import clean
from ttt_protocol.tournament import messages

EventAct = Literal["play", "withdraw", "return", "retry", "quit"]
"""An act for the owner of the scene."""


@dataclass(frozen=True, slots=True)
class EventScreen:
    """All that the messages of an event said so far. Times are seconds of one running clock."""

    place: str
    """The name of the event, as it was typed."""
    server: str
    page: str
    """The web address of the event's page, to be passed on to players."""
    connection: Connection = field(default_factory=Connecting)
    event: messages.TournamentState | None = None
    """None before the first message."""
    you: messages.TournamentYou | None = None
    wall: tuple[messages.WallBoard, ...] = ()
    """The liveliest boards, for a watcher."""
    boards: int = 0
    """The number of the player's boards that are open."""
    epoch: float = 0.0
    """The server's time 0, in Unix time, on this clock."""
    paused_at: float | None = None
    """Since when the event is paused, if known."""
    notice: str = ""
    """Why the last act was not done; empty after the next key."""
    first: int | None = None
    """The first row of the standings that is shown; None to show the player's own row."""
    seen: int = 0
    """The number of rows of the standings that the window shows."""
    asking: Literal["withdraw", "quit"] | None = None
    """The question that waits for an answer."""
    help: bool = False

    @property
    def own_row(self) -> messages.Standing | None:
        """The player's row; None for a watcher, and outside of the rows that the server tells."""
        if self.event is None or self.you is None:
            return None
        return row_of(self.event, self.you.id)

    @property
    def is_player(self) -> bool:
        return self.you is not None and self.you.role == "player"

    @property
    def is_finished(self) -> bool:
        return self.event is not None and self.event.status == "finished"

    @property
    def parting(self) -> str | None:
        """The last words of a program that is stopped now."""
        if self.event is not None and self.event.status == "finished":
            return final_words(self.event, self.own_row)
        if not self.is_player:
            return None
        return f"your place is kept: ttt-client event join {self.place} takes part again"

    def hear(self, message: messages.TournamentMessage, now: float) -> "EventScreen":
        """Return the screen after `message`."""
        match message:
            case messages.TournamentWelcome(you=you, event=event):
                return replace(self._told(event, now), you=you, connection=Live(heard_at=now))
            case messages.TournamentUpdate(event=event):
                return self._told(event, now)
            case messages.Boards(boards=boards):
                return replace(self, wall=boards)
            case Refused(reason=reason) | Goodbye(reason=reason):
                return replace(self, notice=clean(reason))
            case _:
                return self

    def _told(self, event: messages.TournamentState, now: float) -> "EventScreen":
        since = now if self.paused_at is None else self.paused_at
        paused_at = since if event.status == "paused" else None
        return replace(self, event=event, epoch=now - event.now / 1000, paused_at=paused_at)

    def lose(self, words: str, until: float, now: float) -> "EventScreen":
        """Return the screen without a connection; the next try is at `until`."""
        return replace(self, connection=lost_again(self.connection, words, until, now))

    def measure(self, round_trip_s: float, now: float) -> "EventScreen":
        """Return the screen with a measured round trip."""
        live = isinstance(self.connection, Live)
        return replace(self, connection=Live(round_trip_s, now)) if live else self

    def left_s(self, now: float) -> float | None:
        """Return the seconds that an arena has left; None in a pause and for other forms."""
        event = self.event
        if event is None or event.ends_at is None or event.status != "running":
            return None
        return event.ends_at / 1000 - (now - self.epoch)

    def press(self, key: str) -> tuple["EventScreen", EventAct | None]:
        """Return the screen after a key, and what to carry out."""
        screen = replace(self, notice="")
        if key == "c-r":
            return self, "retry" if isinstance(self.connection, Lost) else None
        if screen.help or key == "?":
            return replace(screen, help=not screen.help), None
        if screen.asking is not None:
            return replace(screen, asking=None), screen.asking if key in {"y", "Y"} else None
        match key:
            case "q" if self.boards:
                return replace(screen, asking="quit"), None
            case "q" | "c-d":
                return screen, "quit"
            case "enter" | "E" if self.boards:
                return screen, "play"
            case "w" if self.own_row is not None and not self.is_finished:
                if self.own_row.status == "withdrawn":
                    return screen, "return"
                return replace(screen, asking="withdraw"), None
            case "escape":
                return replace(screen, first=None), None
            case _:
                return screen.scrolled(key), None

    @property
    def first_shown(self) -> int:
        """The index of the first row of the standings that is shown."""
        if self.event is None:
            return 0
        rows, own = self.event.standings, self.own_row
        first = self.first
        if first is None:
            first = 0 if own is None else rows.index(own) - self.seen // 2
        return max(0, min(first, len(rows) - self.seen))

    def scrolled(self, key: str) -> "EventScreen":
        """Return the screen after a key that moves the standings."""
        rows = 0 if self.event is None else len(self.event.standings)
        if key not in {"home", "end", *LIST_STEPS}:
            return self
        return replace(self, first=stepped(self.first_shown, key, max(0, rows - self.seen)))


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

    waits: Waits = field(default_factory=dict)
    over: frozenset[RoomName] = frozenset()
    """The rooms whose game is over."""
    shown: RoomName | None = None
    """None for the event itself."""
    shown_since: float | None = None
    """The time since which the shown board waits, as it was when it came into sight."""
    left: Waits = field(default_factory=dict)
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
        boards = replace(self, waits=dict(waits), over=frozenset(over))
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
        boards = replace(self, left={})
        return _show(boards, _longest(boards) or next(iter(self.waits), None))

    def _turn_to(self, room: RoomName | None) -> "OwnBoards":
        """Return the boards with another in sight: where nothing waits it stays in sight, too."""
        waiting = {each: since for each, since in self.waits.items() if since is not None}
        left = {} if room in waiting else waiting
        return replace(_show(self, room), left=left)


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
