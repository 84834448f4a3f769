"""Which process gets a connection."""

import pytest

from ttt_server.processes.routing import Routes, log_of

ALL = {0, 1, 2}


@pytest.mark.parametrize(
    ("line", "log"),
    [
        (b"GET /ws/rooms/den HTTP/1.1\r\nHost: x", "den"),
        (b"GET /ws/rooms/DEN?embed=1 HTTP/1.1", "den"),
        (b"GET http://play.example.org/ws/rooms/den HTTP/1.1", "den"),
        (b"GET /api/rooms/den/games/1 HTTP/1.1", "den"),
        (b"GET /ws/events/friday HTTP/1.1", "event/friday"),
        (b"GET /api/events/friday HTTP/1.1", "event/friday"),
        (b"GET /cluster/rooms/event/friday HTTP/1.1", "event/friday"),
        (b"GET /cluster/rooms/quick%20match HTTP/1.1", "quick match"),
        (b"GET /ws/play HTTP/1.1", "quick match"),
        (b"GET /ws/rooms/-bad- HTTP/1.1", None),
        (b"GET /ws/rooms/ HTTP/1.1", None),
        (b"GET /rooms/den HTTP/1.1", None),
        (b"GET / HTTP/1.1", None),
        (b"\x16\x03\x01", None),
        (b"", None),
        (b"GET /ws/rooms/d\xc3\xa9n HTTP/1.1", None),
    ],
)
def test_the_log_that_a_request_is_about(line: bytes, log: str | None) -> None:
    assert log_of(line) == log


def test_without_a_room_all_have_their_turn() -> None:
    routes = Routes(3)
    assert [routes.order(None, ALL)[0] for _ in range(4)] == [0, 1, 2, 0]
    assert routes.order(None, ALL - {1}) == [2, 0]


def test_rooms_spread_by_their_names() -> None:
    routes = Routes(3)
    first = [routes.order(f"room{number}", ALL)[0] for number in range(99)]
    assert first == [routes.order(f"room{number}", ALL)[0] for number in range(99)]
    assert {first.count(process) > 20 for process in ALL} == {True}


def test_who_has_a_room_gets_its_connections() -> None:
    routes = Routes(3)
    for owner in ALL:
        routes.gain(owner, ["den"])
        assert routes.order("den", ALL)[0] == owner
    routes.lose(1, ["den"])
    assert routes.order("den", ALL)[0] == 2, "it was another's by then"
    assert routes.order("den", {0, 1}) == [0, 1]
    routes.gain(2, ["hut"])
    routes.lose(2)
    before = Routes(3)
    assert routes.order("den", ALL) == before.order("den", ALL)
    assert routes.order("hut", ALL) == before.order("hut", ALL)
    assert routes.order("den", ()) == []
