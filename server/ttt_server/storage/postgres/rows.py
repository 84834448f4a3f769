"""Rows of `events` as the lines of a log, and back. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from ttt_protocol.codec import EncodedEvents

_ROW = 64
"""The most events in a row that is copied, so that few are read beside those that are wanted."""


class Columns(Protocol):
    """A row as it is read: columns by their names."""

    def __getitem__(self, column: str, /) -> Any:
        """Return the value in a column."""


class EventRow(NamedTuple):
    """A row to be written: an append, or a part of a log that is copied."""

    seq: int
    """The number of the first event."""
    event: str
    """The events, one a line."""
    last: int | None = None
    """The number of the last event, if a snapshot follows on it."""
    game: int | None = None
    saved: bytes | None = None


class Tail(NamedTuple):
    """The end of a log."""

    next: int
    """The number that the next event has."""
    life: int
    """How many logs of this name were deleted before it, as far as that matters."""


class Gap(Exception):
    """The rows of a log do not follow on each other."""


class Read(NamedTuple):
    """What rows say of a log."""

    start: bytes | None
    """The saved room before the first line."""
    lines: EncodedEvents
    tail: Tail
    """After the last row."""


def text_of(lines: Iterable[bytes]) -> str:
    """Return events as the text of a row."""
    return b"\n".join(lines).decode()


def lines_of(event: str) -> EncodedEvents:
    """Return the events in the text of a row."""
    return tuple(event.encode().split(b"\n")) if event else ()


def tail_of(row: Columns) -> Tail:
    """Return the end of a log whose last row this is."""
    event = row["event"]
    last = row["seq"] + event.count("\n") if event else row["last"]
    return Tail(last + 1, row["life"])


def read_rows(rows: Sequence[Columns], after: int) -> Read:
    """Put rows together.

    Args:
        rows: in order. The first, without events, stands for a log that has none yet; the second
            may have a snapshot and no events.
        after: the number of the event before the first line, if there is no snapshot.

    Raises:
        Gap: if they do not follow on each other.
    """
    start, lines, tail = None, list[bytes](), Tail(1, rows[0]["life"])
    for row in rows[1:]:
        event, seq = row["event"], row["seq"]
        if not event:
            start, after = row["saved"], row["last"]
        else:
            found = event.encode().split(b"\n")
            if seq <= after and not lines:  # a page begins within the row
                lines += found[after + 1 - seq :]
            elif seq == after + len(lines) + 1:
                lines += found
            else:
                raise Gap
        tail = Tail(after + len(lines) + 1, row["life"])
    return Read(start, tuple(lines), tail)


def rows_of(
    first: int, lines: Sequence[bytes], snapshots: Iterable[tuple[int, int, bytes]]
) -> Iterator[EventRow]:
    """Yield rows that hold a log.

    Args:
        first: the number of the first line.
        lines: the events.
        snapshots: the number of the last event before each, that of its game, and the room. One
            before the first line becomes the start of the log.
    """
    ends = {last: (game, saved) for last, game, saved in snapshots}
    if first - 1 in ends:
        yield EventRow(first - 1, "", first - 1, *ends[first - 1])
    begun = 0
    for at in range(1, len(lines) + 1):
        last = first + at - 1
        if last in ends or at - begun == _ROW or at == len(lines):
            game, saved = ends.get(last, (None, None))
            text = text_of(lines[begun:at])
            yield EventRow(first + begun, text, None if saved is None else last, game, saved)
            begun = at
