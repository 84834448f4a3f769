from ttt_protocol.codes import REASONS, RefusalCode
from ttt_server.core.errors import Refused


def test_a_refusal_has_words_of_its_own_or_the_usual_ones() -> None:
    assert Refused(RefusalCode.ROOM_FULL).reason == REASONS[RefusalCode.ROOM_FULL]
    assert Refused(RefusalCode.ROOM_FULL, "go away").reason == "go away"
