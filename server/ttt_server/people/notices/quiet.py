"""The quiet time of a person: hours of the day in which notices wait. Pure."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ttt_protocol.notices import QuietTime


class UnknownZone(ValueError):
    """There is no time zone with this name."""


def require_zone(name: str) -> ZoneInfo:
    """Return a time zone by its name.

    Raises:
        UnknownZone: if this machine knows none.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # of a folder: `Europe`
        words = f"there is no time zone {name!r} here: give one like Europe/Berlin"
        raise UnknownZone(words) from None


def quiet_until(quiet: QuietTime, now: int) -> int | None:
    """Return when the quiet time ends in which `now` falls; `None` if it falls in none.

    Both are Unix ms. Times of day are by the clock on the person's wall, in summer and winter.

    Raises:
        UnknownZone: if this machine does not know the person's.
    """
    zone = require_zone(quiet.zone)
    local = datetime.fromtimestamp(now / 1000, UTC).astimezone(zone)
    begins, ends = time.fromisoformat(quiet.from_), time.fromisoformat(quiet.until)
    at = local.time().replace(second=0, microsecond=0)
    is_quiet = begins <= at < ends if begins <= ends else at >= begins or at < ends
    if not is_quiet:
        return None
    day = local.date() if at < ends else local.date() + timedelta(days=1)
    return round(datetime.combine(day, ends, zone).timestamp() * 1000)
