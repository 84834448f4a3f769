"""Challenges in lines of text. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ttt_client.text.render import game_words
from ttt_protocol.state import Settings
from ttt_protocol.text import clean, counted

_HOUR_MS: Final = 3_600_000


def challenge_lines(
    challenges: Sequence[Mapping[str, Any]], own: str, web_url: str, now: int
) -> Iterator[str]:
    """Yield a line for each challenge as `GET /api/me/challenges` has them.

    Args:
        challenges: the newest first.
        own: the name of the reader.
        web_url: of the server.
        now: Unix ms.

    Raises:
        KeyError, TypeError, ValueError: if they are not understood.
    """
    if not challenges:
        yield "no challenges within a day"
    for each in challenges:
        is_mine = each["from"] == own
        other = clean(str(each["to"] if is_mine else each["from"]))
        who = f"you challenge {other}" if is_mine else f"{other} challenges you"
        terms = _terms(Settings.model_validate(each["settings"]))
        yield f"{who}: {terms}; {_state(each, web_url, now)}"


def _terms(settings: Settings) -> str:
    """Return `3x3, 3 in a row, 5+3, rated`."""
    words = [game_words(settings.rules, settings.opening)]
    if settings.clock is not None:
        minutes = settings.clock.initial_s / 60
        words.append(f"{minutes:g}+{settings.clock.increment_s:g}")
    if settings.days is not None:
        words.append(f"{counted(settings.days, 'day')} a move")
    return ", ".join([*words, *(["rated"] if settings.rated else [])])


def _state(challenge: Mapping[str, Any], web_url: str, now: int) -> str:
    match challenge["state"]:
        case "open":
            hours = max(0, int(challenge["expires"]) - now) // _HOUR_MS
            return f"{counted(hours, 'hour')} left"
        case "accepted":
            return f"accepted: {web_url}/rooms/{clean(str(challenge['room']))}"
        case state:
            return clean(str(state))
