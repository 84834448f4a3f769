import pytest

from ttt_server.people.notices.posting import (
    LONGEST_PAUSE_S,
    Fate,
    pause_s,
    verdict,
)


@pytest.mark.parametrize(
    ("status", "meant"),
    [
        (200, Fate.TOLD),
        (201, Fate.TOLD),
        (204, Fate.TOLD),
        (301, Fate.REFUSED),
        (302, Fate.REFUSED),
        (307, Fate.REFUSED),
        (308, Fate.REFUSED),
        (400, Fate.REFUSED),
        (401, Fate.REFUSED),
        (403, Fate.REFUSED),
        (404, Fate.GONE),
        (408, Fate.AGAIN),
        (410, Fate.GONE),
        (413, Fate.REFUSED),
        (425, Fate.AGAIN),
        (429, Fate.AGAIN),
        (500, Fate.AGAIN),
        (503, Fate.AGAIN),
        (100, Fate.REFUSED),
    ],
)
def test_a_status_says_what_becomes_of_a_notice(status: int, meant: Fate) -> None:
    assert verdict(status) is meant


def test_pauses_grow_up_to_an_hour() -> None:
    assert [pause_s(failures, 0.5) for failures in (1, 2, 3, 4)] == [1, 2, 4, 8]
    assert pause_s(13, 0.5) == pause_s(10**9, 0.5) == LONGEST_PAUSE_S


def test_pauses_vary_by_a_quarter() -> None:
    assert (pause_s(1, 0), pause_s(1, 1)) == (0.75, 1.25)
