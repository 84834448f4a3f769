from tests.client.conftest import build_room
from tests.client.tui.pictures import screen_of
from ttt_client.tui.draw.frame import keys_of
from ttt_protocol.state import RoomState


def keys(room: RoomState) -> set[str]:
    return {key.does for key in keys_of(screen_of(room))}


def settings(*, rated: bool) -> dict[str, object]:
    return {"rules": {}, "clock": {"initial_s": 60, "increment_s": 0}, "rated": rated}


def test_a_rated_room_offers_no_ai_and_no_takeback() -> None:
    plain, rated = (
        [build_room(o=o, settings=settings(rated=rated)) for o in (None, "bob")]
        for rated in (False, True)
    )
    assert keys(plain[0]) - keys(rated[0]) == {"seat an AI"}
    assert keys(plain[1]) - keys(rated[1]) == {"takeback"}
    assert {"resign", "draw"} <= keys(rated[1])
