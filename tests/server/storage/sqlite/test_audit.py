"""The check of logs: each fault is named by its event."""

import pytest

from tests.server.examples import log_of_two_games
from tests.server.storage.appends import DEN, EVERY_KIND
from ttt_protocol.codec import encode_log
from ttt_protocol.state import RoomName
from ttt_server.core.archive.saved_room import save
from ttt_server.core.evolve import evolve_all
from ttt_server.core.room import Room
from ttt_server.storage.sqlite.audit import audit_log

LINES = encode_log(EVERY_KIND[:6])


def numbered(*lines: bytes) -> list[tuple[int, bytes]]:
    return list(enumerate(lines, 1))


def test_a_log_that_is_whole() -> None:
    seen = audit_log(DEN, numbered(*LINES))
    assert (seen.events, seen.games, seen.fault) == (6, 0, None)
    assert audit_log(DEN, []).fault is None


@pytest.mark.parametrize(
    ("log", "fault"),
    [
        ([(1, LINES[0]), (3, LINES[2])], "event 2: the next in the database is 3"),
        ([(1, LINES[0]), (1, LINES[0])], "event 2: the next in the database is 1"),
        (numbered(LINES[0], LINES[2]), "event 2: it says that it is 3"),
        (numbered(LINES[0], b"a diary"), "event 2: "),
        (numbered(LINES[0], b"\xa5\xa5"), "event 2: "),
        (numbered(*LINES[:5], LINES[4].replace(b'"seq":5', b'"seq":6')), "event 6 "),
        (numbered(*LINES[:1], LINES[4].replace(b'"seq":5', b'"seq":2')), "event 2 "),
    ],
)
def test_a_fault(log: list[tuple[int, bytes]], fault: str) -> None:
    said = audit_log(DEN, log).fault
    assert said is not None
    assert said.startswith(fault)


GAME = encode_log(log_of_two_games())
"""Of two games: events 5 to 8 are moves, 12 ends the first, and 13 asks for a rematch."""
PLAYED = GAME[5]
"""The answer of O: event 6."""


def ending(number: int, event: str) -> list[tuple[int, bytes]]:
    """The events before this number, and then this one."""
    return numbered(*GAME[: number - 1], f'{{"seq":{number},"at":1,{event}}}'.encode())


@pytest.mark.parametrize(
    ("log", "fault"),
    [
        (
            numbered(*GAME[:5], PLAYED.replace(b'"seat":"O"', b'"seat":"X"')),
            "event 6 is a move out of turn",
        ),
        (
            numbered(*GAME[:5], PLAYED.replace(b'"ply":1', b'"ply":77')),
            "event 6 is a move out of turn",
        ),
        (
            numbered(*GAME[:5], PLAYED.replace(b'"game":1', b'"game":9')),
            "event 6 is of game 9 in game 1",
        ),
        (
            ending(
                7,
                '"type":"ended","game":1,"outcome":{"winner":"O","reason":"line","line":[0,1,2]}',
            ),
            "event 7 is another outcome than that of the board",
        ),
        (
            ending(
                7,
                '"type":"ended","game":7,'
                '"outcome":{"winner":"O","reason":"resignation","line":null}',
            ),
            "event 7 is of game 7 in game 1",
        ),
        (
            ending(7, '"type":"started","game":99'),
            "event 7 starts game 99 in the middle of game 1",
        ),
        (
            ending(7, '"type":"played","game":1,"ply":2,"seat":"X","cell":3'),
            "event 7: a2 is taken",
        ),
        (numbered(*GAME[:12]), "event 12 ends the game, and no end follows"),
    ],
)
def test_events_that_contradict_the_room_before_them(
    log: list[tuple[int, bytes]], fault: str
) -> None:
    assert audit_log(DEN, numbered(*GAME)).fault is None
    seen = audit_log(DEN, log)
    assert seen.fault == fault


def test_a_snapshot_that_differs() -> None:
    rooms = [evolve_all(Room(DEN), EVERY_KIND[:count]) for count in (2, 4)]
    right = [(room.seq, save(room)) for room in rooms]
    for snapshots in ([], right[:1], right[1:], right):  # missing ones are no fault
        assert audit_log(DEN, numbered(*LINES), snapshots=snapshots).fault is None
    wrong = [right[0], (4, right[0][1])]
    said = audit_log(DEN, numbered(*LINES), snapshots=wrong).fault
    assert said == "event 4: the snapshot after it differs"
    late = [*right, (7, right[0][1])]
    said = audit_log(DEN, numbered(*LINES), snapshots=late).fault
    assert said == "event 7: a snapshot, and no such event"


def test_a_name_that_is_none() -> None:
    said = audit_log(RoomName("../den"), numbered(*LINES)).fault
    assert said is not None
    assert said.startswith("the name: ")
