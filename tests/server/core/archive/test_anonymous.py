from ttt_protocol.state import PersonId
from ttt_server.core.archive.anonymous import without

FORGET = without(PersonId("p1"), "Ada", "somebody")


def test_a_person_becomes_somebody() -> None:
    seated = b'{"type":"seated","players":[{"id":"s1","name":"Ada","person":"p1"},7]}'
    assert FORGET(seated) == b'{"type":"seated","players":[{"id":"s1","name":"somebody"},7]}'
    assert FORGET(b'{"type":"renamed","name":"Ada"}') == b'{"type":"renamed","name":"somebody"}'


def test_a_guest_of_the_same_name_stays() -> None:
    for text in (b'{"player": {"name": "Ada"}}', b'{"cell": 4}'):
        assert FORGET(text) is text
