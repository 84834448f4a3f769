"""A game as a line of JSON, or as text. Pure."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import assert_never

from ttt_protocol.codec import encode_message
from ttt_protocol.codes import Reason
from ttt_protocol.events import Chosen, Declined, Ended, Offered, Played, Started, TakenBack
from ttt_protocol.exports.notation import board_name, clean_json, name_of
from ttt_protocol.move_log import MoveLog
from ttt_protocol.records import ExportedGame, GameEvent
from ttt_protocol.state import Human, Mark, Outcome, Player, Rules, TimeLeft

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def as_json(game: ExportedGame) -> str:
    """Return the game as one line of JSON, without a line break."""
    return encode_message(game).decode()


def as_text(game: ExportedGame) -> str:
    """Return the game as lines of text; the last is empty."""
    return "\n".join([*_head(game), "", *_lines(game), "", ""])


def _head(game: ExportedGame) -> Iterator[str]:
    yield f"Room: {game.room}"
    yield f"Game: {game.game}"
    yield f"Board: {board_name(game.rules)}"
    settings = game.settings.model_dump(mode="json", exclude_defaults=True, exclude={"rules"})
    if settings:
        yield f"Settings: {clean_json(settings)}"
    if game.locked:
        yield "Locked: yes"
    for mark in Mark:
        yield f"{mark}: {_player(game.seats[mark])}"
    began = EPOCH + timedelta(milliseconds=game.began_at)
    yield f"Began: {began.isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"


def _player(player: Player | None) -> str:
    match player:
        case None:
            return "nobody"
        case Human():
            kind = "bot" if player.bot else "human"
            return f"{kind} {clean_json(player.name)} id {clean_json(player.id)}"
        case _:
            level = "" if player.level is None else f" level {player.level}"
            return f"AI {clean_json(player.name)} plays {clean_json(player.strategy)}{level}"


def _lines(game: ExportedGame) -> Iterator[str]:
    for event in game.events[1:]:
        parts = [_happened(event, game.rules), f"@{_seconds(event.at - game.began_at)}"]
        match event:
            case Played():
                parts += _clock(event.clock), _words(event.reason), _log(event.log)
            case Ended():
                parts += _clock(event.clock), _words(event.detail)
            case TakenBack() | Chosen():
                parts.append(_clock(event.clock))
            case _:
                pass
        yield " ".join(filter(None, parts))


def _happened(event: GameEvent, rules: Rules) -> str:
    match event:
        case Played():
            return f"{event.ply + 1}. {event.seat} {name_of(event.cell, rules)}"
        case Chosen():
            return f"{event.seat} chooses {event.choice} after {event.ply}"
        case Offered():
            return f"{event.seat} offers {event.kind}"
        case Declined():
            return f"{event.seat} declines {event.kind}"
        case TakenBack():
            return f"back to {event.ply}"
        case Ended():
            return " ".join([_outcome(event.outcome), *_line(event.outcome, rules)])
        case Started():  # pragma: no cover - the first event, and no other
            raise AssertionError(event)
        case _:  # pragma: no cover - the union is closed
            assert_never(event)


def _outcome(outcome: Outcome) -> str:
    if outcome.winner is not None:
        return f"{outcome.winner} won: {outcome.reason}"
    is_draw = outcome.reason not in (Reason.ABANDONMENT, Reason.VOID)
    return f"{'draw' if is_draw else 'nobody won'}: {outcome.reason}"


def _line(outcome: Outcome, rules: Rules) -> list[str]:
    return [name_of(cell, rules) for cell in outcome.line or ()]


def _clock(clock: TimeLeft | None) -> str:
    return "" if clock is None else f"[{_seconds(clock.X)} {_seconds(clock.O)}]"


def _words(words: str | None) -> str:
    return "" if words is None else clean_json(words)


def _log(log: MoveLog | None) -> str:
    return "" if log is None else f"log {clean_json(log.model_dump(exclude_none=True))}"


def _seconds(ms: int) -> str:
    """Return `1.234`, exact."""
    whole, rest = divmod(abs(ms), 1000)
    return f"{'-' if ms < 0 else ''}{whole}.{rest:03}"
