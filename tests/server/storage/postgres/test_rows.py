"""Rows and the lines of a log, without a database."""

from typing import Any

import pytest

from ttt_server.storage.postgres.rows import (
    EventRow,
    Gap,
    Read,
    Tail,
    lines_of,
    read_rows,
    rows_of,
    tail_of,
    text_of,
)

NO_EVENTS = {"seq": 0, "event": "", "life": 2, "last": 0, "saved": None}


def row(first: int, last: int) -> dict[str, Any]:
    event = text_of(lines(first, last))
    return {"seq": first, "event": event, "life": 1, "last": None, "saved": None}


def start(last: int) -> dict[str, Any]:
    return {"seq": last - 3, "event": "", "life": 1, "last": last, "saved": b"saved"}


def lines(first: int, last: int) -> tuple[bytes, ...]:
    return tuple(b"event %d" % seq for seq in range(first, last + 1))


def test_a_text_is_lines_and_back() -> None:
    assert lines_of(text_of(lines(1, 3))) == lines(1, 3)
    assert lines_of("") == ()


def test_the_end_of_a_log() -> None:
    assert tail_of(row(5, 9)) == Tail(10, 1)
    assert tail_of(start(7)) == Tail(8, 1)


def test_rows_are_put_together() -> None:
    assert read_rows([NO_EVENTS], 0) == Read(None, (), Tail(1, 2))
    assert read_rows([NO_EVENTS, row(1, 3), row(4, 4)], 0) == Read(None, lines(1, 4), Tail(5, 1))
    assert read_rows([NO_EVENTS, row(1, 5), row(6, 7)], 3) == Read(None, lines(4, 7), Tail(8, 1))
    assert read_rows([NO_EVENTS, start(7)], 0) == Read(b"saved", (), Tail(8, 1))
    assert read_rows([NO_EVENTS, start(7), row(8, 9)], 0) == Read(
        b"saved", lines(8, 9), Tail(10, 1)
    )


@pytest.mark.parametrize(
    "rows", [[row(2, 3)], [row(1, 3), row(5, 6)], [row(1, 3), row(3, 4)], [start(7), row(9, 9)]]
)
def test_a_gap_is_seen(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(Gap):
        read_rows([NO_EVENTS, *rows], 0)


def test_a_log_becomes_rows() -> None:
    assert list(rows_of(5, lines(5, 9), [(4, 1, b"start"), (7, 2, b"later")])) == [
        EventRow(4, "", 4, 1, b"start"),
        EventRow(5, text_of(lines(5, 7)), 7, 2, b"later"),
        EventRow(8, text_of(lines(8, 9))),
    ]
    long = list(rows_of(1, lines(1, 100), []))
    assert [(each.seq, each.event.count("\n")) for each in long] == [(1, 63), (65, 35)]
    assert list(rows_of(5, (), [(4, 1, b"start")])) == [EventRow(4, "", 4, 1, b"start")]
