from tests.client.conftest import build_summary
from ttt_client.model.lobby import in_order, liveliest, with_changes
from ttt_protocol.messages import RoomsChanged
from ttt_protocol.state import RoomName, Status

WAITING, FINISHED = Status.WAITING, Status.FINISHED


def test_the_liveliest_room_is_the_one_where_something_happened_last() -> None:
    rooms = [
        build_summary("waiting", status=WAITING, changed_at=9),
        build_summary("finished", status=FINISHED, changed_at=9),
        build_summary("locked", changed_at=9, locked=True),
        build_summary("deserted", changed_at=9, deserted=True),
        build_summary("crowded", changed_at=1, spectators=99),
        build_summary("lively", changed_at=2),
    ]
    assert liveliest(rooms, []) == "lively"
    assert liveliest(rooms, [RoomName("lively")]) == "crowded"
    assert liveliest(rooms[:4], []) is None


def test_without_times_spectators_and_moves_count() -> None:
    rooms = [
        build_summary("quiet", spectators=1, ply=8),
        build_summary("lively", spectators=2, ply=1),
        build_summary("later", spectators=2, ply=3),
    ]
    assert liveliest(rooms, []) == "later"


def test_rooms_where_a_player_waits_come_first_and_deserted_ones_last() -> None:
    rooms = [
        build_summary("a-deserted", deserted=True, spectators=9),
        build_summary("b-empty", status=WAITING, x=None),
        build_summary("c-over", status=FINISHED),
        build_summary("d-locked", status=WAITING, locked=True),
        build_summary("e-running"),
        build_summary("f-watched", spectators=1),
        build_summary("g-waiting", status=WAITING),
    ]
    names = [room.name for room in in_order(rooms)]
    assert names == [
        *("g-waiting", "e-running", "f-watched", "c-over", "d-locked"),
        *("a-deserted", "b-empty"),
    ]


def test_changes_are_taken_into_the_list() -> None:
    a, b, c = (build_summary(name) for name in "abc")
    news = RoomsChanged(rooms=(c, build_summary("a", ply=3)), gone=(RoomName("b"),))
    after = with_changes((a, b), news)
    assert [(room.name, room.ply) for room in after] == [("a", 3), ("c", c.ply)]
    unknown = RoomsChanged(rooms=(), gone=(RoomName("z"),))
    assert with_changes(after, unknown) == after
