"""Friendly names."""

from random import Random

from ttt_server.tournaments.rules.names import friendly_name


def test_a_name_has_two_words_and_fits() -> None:
    random = Random(1)
    names = {friendly_name(random) for _ in range(200)}
    assert len(names) > 100
    assert all(len(name.split()) == 2 and len(name) <= 24 for name in names)
