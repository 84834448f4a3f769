import math

import pytest

from tests.bench.figures import percentile, spread


@pytest.mark.parametrize(
    ("part", "expected"), [(0.01, 1), (0.5, 50), (0.505, 51), (0.99, 99), (0.999, 100), (1, 100)]
)
def test_so_many_do_not_exceed_a_percentile(part: float, expected: int) -> None:
    assert percentile([*range(100, 0, -1)], part) == expected


def test_one_value_is_every_percentile() -> None:
    assert percentile([7], 0.01) == percentile([7], 0.99) == 7


def test_of_nothing_there_is_none() -> None:
    assert math.isnan(percentile([], 0.5))


def test_a_spread_has_the_median_and_both_ends() -> None:
    assert spread([3, 1, 2, 9]) == (2.5, 1, 9)
