from tests.bench.event import ROUNDS, pairing


def test_every_round_is_timed() -> None:
    assert len(pairing(20)) == ROUNDS
