import pytest

from ttt_server.limits.durations import parse_age


@pytest.mark.parametrize(
    ("given", "seconds"), [("90d", 7_776_000), ("12h", 43_200), ("30m", 1800), ("45s", 45), (2, 2)]
)
def test_a_time_in_words(given: object, seconds: int) -> None:
    assert parse_age(given) == seconds


@pytest.mark.parametrize("given", ["", "90", "d", "1 d", "1w", "-1d", "1.5h", "1234567s"])
def test_no_time_in_words(given: str) -> None:
    with pytest.raises(ValueError, match="90d, 12h"):
        parse_age(given)
