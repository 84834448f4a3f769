"""One's own games and challenges in lines of text. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, Final

from ttt_client.text.render import DAY_MS, HOUR_MS, game_words, table
from ttt_protocol.notation import board_name
from ttt_protocol.state import Rules, Settings
from ttt_protocol.text import clean, counted

_HEADS: Final = {"turn": "your turn", "running": "under way", "finished": "finished"}


def game_address(game: Mapping[str, Any], web_url: str) -> str:
    """Return the address of a game's room; that of its replay once it is over."""
    room = f"{web_url}/rooms/{game['room']}"
    return f"{room}/games/{game['game']}" if game["state"] == "finished" else room


def own_games(games: Sequence[Mapping[str, Any]], web_url: str, now: int) -> Iterator[str]:
    """Yield a list of games as `GET /api/me/games` has them; `now`: Unix ms.

    Raises:
        KeyError, TypeError, ValueError: if they are not understood.
    """
    if not games:
        yield "no games yet"
    lines = table([(*_facts(game, now), game_address(game, web_url)) for game in games])
    for state, group in groupby(zip(games, lines, strict=True), lambda told: told[0]["state"]):
        yield f"{_HEADS[state]}:"
        yield from (f"  {line}" for _, line in group)


def _facts(game: Mapping[str, Any], now: int) -> tuple[str, str, str]:
    """Return the opponent, the board, and how it stands."""
    name = clean(str(game["opponent"]["name"]))
    rules = board_name(Rules.model_validate(game["rules"]))
    at = datetime.fromtimestamp(int(game["at"]) / 1000, UTC).strftime("%Y-%m-%d")
    if game["state"] == "finished":
        return name, rules, f"{game['result']} {at}"
    if "falls_at" in game:
        return name, rules, f"{_span(int(game['falls_at']) - now)} left"
    return name, rules, f"move {int(game['ply']) + 1}"


def _span(ms: int) -> str:
    """Return a time in whole days, or in whole hours."""
    if ms >= DAY_MS:
        return counted(ms // DAY_MS, "day")
    return counted(max(0, ms // HOUR_MS), "hour")


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
        words.append(f"{settings.clock.initial_s / 60:g}+{settings.clock.increment_s:g}")
    if settings.days is not None:
        words.append(f"{counted(settings.days, 'day')} a move")
    return ", ".join([*words, *(["rated"] if settings.rated else [])])


def _state(challenge: Mapping[str, Any], web_url: str, now: int) -> str:
    match challenge["state"]:
        case "open":
            hours = max(0, int(challenge["expires"]) - now) // HOUR_MS
            return f"{counted(hours, 'hour')} left"
        case "accepted":
            return f"accepted: {web_url}/rooms/{clean(str(challenge['room']))}"
        case state:
            return clean(str(state))
