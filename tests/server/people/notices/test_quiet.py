from datetime import UTC, datetime

import pytest

from ttt_protocol.notices import QuietTime
from ttt_server.people.notices.rules import UnknownZone, quiet_until, require_zone


def quiet(from_: str, until: str, zone: str = "Europe/Berlin") -> QuietTime:
    return QuietTime(from_=from_, until=until, zone=zone)


def ms(text: str) -> int:
    """Unix ms of a time in UTC."""
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


NIGHT = quiet("22:00", "07:00")


@pytest.mark.parametrize(
    ("quiet_time", "now", "until"),
    [
        (NIGHT, "2026-01-10 20:59:59", None),
        (NIGHT, "2026-01-10 21:00:00", "2026-01-11 06:00:00"),
        (NIGHT, "2026-01-10 23:30:00", "2026-01-11 06:00:00"),
        (NIGHT, "2026-01-11 05:59:59", "2026-01-11 06:00:00"),
        (NIGHT, "2026-01-11 06:00:00", None),
        (NIGHT, "2026-07-10 20:30:00", "2026-07-11 05:00:00"),
        (quiet("08:00", "13:00", "UTC"), "2026-01-10 08:00:00", "2026-01-10 13:00:00"),
        (quiet("08:00", "13:00", "UTC"), "2026-01-10 13:00:00", None),
        (quiet("08:00", "13:00", "UTC"), "2026-01-10 07:59:00", None),
        (quiet("08:00", "08:00", "UTC"), "2026-01-10 08:00:00", None),
    ],
)
def test_notices_wait_until_the_end_of_the_quiet_time(
    quiet_time: QuietTime, now: str, until: str | None
) -> None:
    assert quiet_until(quiet_time, ms(now)) == (None if until is None else ms(until))


def test_a_night_in_which_the_clocks_change_ends_by_the_clock_on_the_wall() -> None:
    assert quiet_until(NIGHT, ms("2026-03-28 23:00:00")) == ms("2026-03-29 05:00:00")


@pytest.mark.parametrize("name", ["Europe/Nowhere", "Europe", "../etc", "/etc/passwd", "x" * 64])
def test_a_zone_that_does_not_exist_is_named(name: str) -> None:
    with pytest.raises(UnknownZone, match="there is no time zone"):
        require_zone(name)
