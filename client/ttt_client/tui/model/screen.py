"""The state of a full screen besides its room, folded from messages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from ttt_client.model import variants, words
from ttt_client.model.view import View, fold
from ttt_client.text.narrate import ai_words, earlier_talk, hint_words, news, past, refusal
from ttt_client.tui.model.connection import Connecting, Connection, Live, Lost, lost_again
from ttt_protocol.commands import Command, Play
from ttt_protocol.events import Event, Played, Started
from ttt_protocol.messages import AiOffered, Cleared, Hint, Message, Refused, Said, Update, Welcome
from ttt_protocol.state import HumanSeat, Mark, PersonId, RoomState, Status
from ttt_protocol.text import clean


@dataclass(frozen=True, slots=True)
class Occasion:
    """An event, and the board's place among the player's boards. Times are the screen's."""

    title: str
    words: str = ""
    """News of the event; empty if its clock says it."""
    ends_at: float | None = None
    """The time when an arena ends; None for other forms."""
    paused_at: float | None = None
    """Since when a pause has stopped all clocks; None without a pause."""
    number: int | None = None
    """The number of this board, from 1; None when its game is over."""
    boards: int = 1
    """The number of the player's boards whose games are under way."""
    waiting: int = 0
    """The number of the player's boards that wait for a move."""

    def left_s(self, now: float) -> float | None:
        """Return the seconds that the event has left; None in a pause and for other forms."""
        if self.ends_at is None or self.paused_at is not None:
            return None
        return self.ends_at - now


_KEPT_LINES = 200
"""The most lines of the feed; older ones are dropped."""

PENDING_S = 0.05
"""Seconds before a move is drawn as pending: a quick answer comes as soon, and then draws once."""

SLOW_S = 3.0
"""Seconds after which the screen says that a command waits for its answer."""

Kind = Literal["said", "news"]


class Pending(NamedTuple):
    """Commands that wait for their answer."""

    since: float
    """The time when the oldest was sent."""
    cell: int | None = None
    """The cell of a move among them."""
    mark: Mark = Mark.X


@dataclass(frozen=True, slots=True)
class OpponentSearch:
    """A search for an opponent."""

    board: str
    """The wanted board, in words."""
    since: float
    offered: str = ""
    """The AI that would play, in words; empty before it offers itself."""


class FeedLine(NamedTuple):
    """A line of the feed: talk or news."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class ScreenState:
    """All that the messages said so far. Times are seconds of one running clock."""

    place: str
    """The place in the header: the room's name, or what is looked for."""
    server: str
    view: View = field(default_factory=View)
    connection: Connection = field(default_factory=Connecting)
    heard_at: float = 0.0
    """The time of the last state of the room: its clocks run from there."""
    away: dict[Mark, float] = field(default_factory=dict)
    """Since when players are away, if known."""
    thoughts: dict[Mark, str] = field(default_factory=dict)
    """The reasons that AIs gave for their last moves."""
    ratings: dict[PersonId, str] = field(default_factory=dict)
    """How strong the persons are: `1582?`."""
    hint: Hint | None = None
    feed: tuple[FeedLine, ...] = ()
    notice: str = ""
    """Why the last act was not done; empty after the next event."""
    pending: Pending | None = None
    hides_chat: bool = False
    """Whether the reader wants to see no talk."""
    epoch: float | None = None
    """The server's time 0, in Unix time, on this clock; None if the server does not tell."""
    search: OpponentSearch | None = None
    """The search that leads to a room."""
    television: bool = False
    """Whether another room follows after this one."""
    occasion: Occasion | None = None
    """The event that the room's game belongs to."""

    @property
    def heading(self) -> str:
        """The name of the place for the reader: of an event, and not of the room of its game."""
        return self.place if self.occasion is None else self.occasion.title

    @property
    def paused_at(self) -> float | None:
        """Since when a pause of the event has stopped the clocks."""
        return None if self.occasion is None else self.occasion.paused_at

    def hear(self, message: Message, now: float) -> "ScreenState":
        """Return the screen after `message`."""
        before, after = self.view, fold(self.view, message)
        screen = replace(self, view=after)
        if isinstance(message, Welcome) and message.at is not None:
            screen = replace(screen, epoch=now - message.at / 1000)
        if isinstance(self.connection, Live) and self.connection.heard_at is not None:
            screen = replace(screen, connection=replace(self.connection, heard_at=now))
        if after.room is not None and after.room is not before.room:
            away = _away(after.room, self.away, now, screen.epoch)
            screen = replace(screen, away=away, hint=_kept_hint(self.hint, before, after))
        match message:
            case Welcome(room=room):
                live = Live(heard_at=now)
                screen = replace(screen, heard_at=now, connection=live, place=room.name)
                if screen.notice.startswith("not connected"):
                    screen = replace(screen, notice="")
                if before.room is not None and before.room.name != room.name:
                    screen = replace(screen, thoughts={}, ratings={}, hint=None)
                screen = screen.add("said", earlier_talk(before, message))
            case Update(events=events):
                thoughts = _thoughts(self.thoughts, events)
                screen = replace(screen, heard_at=now, thoughts=thoughts, notice="")
            case Refused(command=command, room=room) if command != "join":
                heard_at = self.heard_at if room is None else now
                notice = clean(refusal(message, after))
                screen = replace(screen, heard_at=heard_at, notice=notice)
            case Hint():
                screen = replace(screen, hint=message, notice="")
            case AiOffered() if self.search is not None:
                return replace(screen, search=replace(self.search, offered=ai_words(message)))
            case Cleared():
                kept = tuple(line for line in self.feed if line.kind != "said")
                screen = replace(screen, feed=kept)
            case _:
                pass
        kind: Kind = "said" if isinstance(message, Said) else "news"
        return screen.add(kind, news(before, message, after))

    @property
    def shown_feed(self) -> tuple[FeedLine, ...]:
        """The lines of the feed that the reader wants to see."""
        return tuple(line for line in self.feed if line.kind == "news" or not self.hides_chat)

    def add(self, kind: Kind, lines: Iterable[str]) -> "ScreenState":
        """Return the screen with more lines in its feed."""
        new = tuple(FeedLine(kind, clean(line)) for line in lines)
        return replace(self, feed=(*self.feed, *new)[-_KEPT_LINES:])

    def recall(self, events: Sequence[Event], message: Welcome) -> "ScreenState":
        """Return the screen with what came before a welcome at the start of its feed.

        Args:
            events: those of the game, from its record.
            message: the welcome. Its talk is in the feed already, and takes its place in time.
        """
        told = past(events, message, self.view)
        lines = [FeedLine("said" if is_said else "news", clean(line)) for is_said, line in told]
        later = list(self.feed)
        for line in lines:
            if line.kind == "said" and line in later:
                later.remove(line)
        return replace(self, feed=(*lines, *later)[-_KEPT_LINES:])

    def send(self, commands: Sequence[Command], now: float) -> "ScreenState":
        """Return the screen while these commands are unanswered."""
        if not commands:
            return replace(self, pending=None)
        since = now if self.pending is None else self.pending.since
        move = next((one for one in commands if isinstance(one, Play)), None)
        if move is None or self.view.game is None:
            return replace(self, pending=Pending(since))
        rules = self.view.rules
        # In an opening a player places both marks.
        mark = variants.mark_of(rules, variants.turn_at(rules, self.view.game.ply))
        return replace(self, pending=Pending(since, move.cell, mark))

    def waiting_s(self, now: float) -> float | None:
        """Return how long a command has waited for its answer, once that is long."""
        if self.pending is None or now < self.pending.since + SLOW_S:
            return None
        return now - self.pending.since

    def pending_move(self, now: float) -> tuple[int, Mark] | None:
        """Return the cell and mark of a move that is drawn as pending."""
        pending = self.pending
        if pending is None or pending.cell is None or now < pending.since + PENDING_S:
            return None
        return pending.cell, pending.mark

    @property
    def hint_words(self) -> str:
        """The hint in one line; empty without one."""
        return "" if self.hint is None else f"hint: {clean(hint_words(self.hint, self.view))}"

    def lose(self, words: str, until: float, now: float) -> "ScreenState":
        """Return the screen without a connection; the next try is at `until`."""
        lost = lost_again(self.connection, words, until, now)
        notice = self.notice if isinstance(self.connection, Lost) else ""
        return replace(self, connection=lost, notice=notice)

    def measure(self, round_trip_s: float, now: float) -> "ScreenState":
        """Return the screen with a measured round trip."""
        is_searching = self.search is not None and self.view.room is None
        # Nothing else shows that a search is connected.
        live = is_searching or isinstance(self.connection, Live)
        return replace(self, connection=Live(round_trip_s, now)) if live else self

    def left_ms(self, mark: Mark, now: float) -> int | None:
        """Return the time left of a seat in ms; None in a game without clocks."""
        clock = self.view.game.clock if self.view.game is not None else None
        if clock is None:
            return None
        left = clock.X if mark is Mark.X else clock.O
        if clock.running is mark:
            until = self.connection.since if isinstance(self.connection, Lost) else now
            until = until if self.paused_at is None else min(until, self.paused_at)
            left -= max(0, round((until - self.heard_at) * 1000))
        return max(0, left)

    def away_s(self, mark: Mark, now: float) -> float | None:
        """Return how long the player has been away, in seconds; None if present."""
        since = self.away.get(mark)
        return None if since is None else max(0.0, now - since)

    def claimable(self, now: float) -> bool:
        """Return whether the other player has been away for longer than the room's grace."""
        room, seat = self.view.room, self.view.seat
        away_s = None if seat is None else self.away_s(seat.other, now)
        return room is not None and away_s is not None and away_s >= room.settings.grace_s

    @property
    def can_fill(self) -> bool:
        """Whether the seat opposite is empty."""
        room, seat = self.view.room, self.view.seat
        if room is None or seat is None:
            return False
        return room.status is Status.WAITING and room.seats[seat.other] is None


def _away(
    room: RoomState, away: dict[Mark, float], now: float, epoch: float | None
) -> dict[Mark, float]:
    """Return since when players are away, by the server's account or else as first seen."""
    found = {}
    for mark in Mark:
        seat = room.seats[mark]
        if isinstance(seat, HumanSeat) and not seat.connected:
            told = None if seat.away_since is None or epoch is None else seat.away_since / 1000
            found[mark] = away.get(mark, now) if told is None else min(now, (epoch or 0) + told)
    return found


def _kept_hint(hint: Hint | None, before: View, after: View) -> Hint | None:
    """Return the hint while the position is the one that it is for."""
    old, new = before.game, after.game
    if old is None or new is None:
        return None
    return hint if (old.number, old.moves) == (new.number, new.moves) else None


def _thoughts(thoughts: dict[Mark, str], events: Iterable[object]) -> dict[Mark, str]:
    for event in events:
        if isinstance(event, Started):
            thoughts = {}
        elif isinstance(event, Played):
            rest = {mark: said for mark, said in thoughts.items() if mark is not event.seat}
            thoughts = rest | ({event.seat: words.thought(event.reason)} if event.reason else {})
    return thoughts
