"""A game as a line of JSON, or as text: both are written here, and the text read again. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Any, TypeVar, assert_never

from ttt_protocol import notation, state
from ttt_protocol.codec import encode_message
from ttt_protocol.codes import Choice, Reason
from ttt_protocol.events import Chosen, Declined, Ended, Offered, Played, Started, TakenBack
from ttt_protocol.faults import words_of
from ttt_protocol.notation import clean_json
from ttt_protocol.records import ExportedGame, GameEvent

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NUMBER = r"-?[0-9]{1,15}\.[0-9]{3}"
_EVENT = re.compile(
    rf"(?P<what>[^\"@\[]+?) @(?P<at>{_NUMBER})"
    rf"(?: \[(?P<X>{_NUMBER}) (?P<O>{_NUMBER})\])?(?: (?P<words>{notation.QUOTED}))?"
    r"(?: log (?P<log>\{.*\}))?"
)
_HEADER = re.compile(r"(Room|Game|Board|Settings|Locked|X|O|Began): (.+)")
_HUMAN = re.compile(rf"(human|bot) ({notation.QUOTED}) id ({notation.QUOTED})")
_AI = re.compile(rf"AI ({notation.QUOTED}) plays ({notation.QUOTED})(?: level ([0-9]))?")
_NEEDED = "Room", "Game", "Board", "X", "O", "Began"


T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)


class InvalidText(ValueError):
    """The lines are not a game; the message names the line."""


def as_json(game: ExportedGame) -> str:
    """Return the game as one line of JSON, without a line break."""
    return encode_message(game).decode()


def as_text(game: ExportedGame) -> str:
    """Return the game as lines of text; the last is empty."""
    return "\n".join([*_head(game), "", *_lines(game), "", ""])


def _head(game: ExportedGame) -> Iterator[str]:
    yield f"Room: {game.room}"
    yield f"Game: {game.game}"
    yield f"Board: {notation.board_name(game.rules)}"
    settings = game.settings.model_dump(mode="json", exclude_defaults=True, exclude={"rules"})
    if settings:
        yield f"Settings: {clean_json(settings)}"
    if game.locked:
        yield "Locked: yes"
    for mark in state.Mark:
        yield f"{mark}: {_player(game.seats[mark])}"
    began = _EPOCH + timedelta(milliseconds=game.began_at)
    yield f"Began: {began.isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"


def _player(player: state.Player | None) -> str:
    match player:
        case None:
            return "nobody"
        case state.Human():
            kind = "bot" if player.bot else "human"
            return f"{kind} {clean_json(player.name)} id {clean_json(player.id)}"
        case _:
            level = "" if player.level is None else f" level {player.level}"
            return f"AI {clean_json(player.name)} plays {clean_json(player.strategy)}{level}"


def _lines(game: ExportedGame) -> Iterator[str]:
    for event in game.events[1:]:
        what, *more = _parts(event, game.rules)
        yield " ".join([what, f"@{_seconds(event.at - game.began_at)}", *filter(None, more)])


def _parts(event: GameEvent, rules: state.Rules) -> tuple[str, ...]:
    """Return what happened, and what stands after its time; a part may be empty."""
    match event:
        case Played():
            what = f"{event.ply + 1}. {event.seat} {notation.name_of(event.cell, rules)}"
            return what, _clock(event.clock), _words(event.reason), _log(event.log)
        case Chosen():
            return f"{event.seat} chooses {event.choice} after {event.ply}", _clock(event.clock)
        case Offered():
            return (f"{event.seat} offers {event.kind}",)
        case Declined():
            return (f"{event.seat} declines {event.kind}",)
        case TakenBack():
            return f"back to {event.ply}", _clock(event.clock)
        case Ended():
            cells = (notation.name_of(cell, rules) for cell in event.outcome.line or ())
            what = " ".join([_outcome(event.outcome), *cells])
            return what, _clock(event.clock), _words(event.detail)
        case Started():  # pragma: no cover - the first event, and no other
            raise AssertionError(event)
        case _:  # pragma: no cover - the union is closed
            assert_never(event)


def _outcome(outcome: state.Outcome) -> str:
    if outcome.winner is not None:
        return f"{outcome.winner} won: {outcome.reason}"
    is_draw = outcome.reason not in (Reason.ABANDONMENT, Reason.VOID)
    return f"{'draw' if is_draw else 'nobody won'}: {outcome.reason}"


def _clock(clock: state.TimeLeft | None) -> str:
    return "" if clock is None else f"[{_seconds(clock.X)} {_seconds(clock.O)}]"


def _words(words: str | None) -> str:
    return "" if words is None else clean_json(words)


def _log(log: state.MoveLog | None) -> str:
    return "" if log is None else f"log {clean_json(log.model_dump(exclude_none=True))}"


def _seconds(ms: int) -> str:
    """Return `1.234`, exact."""
    whole, rest = divmod(abs(ms), 1000)
    return f"{'-' if ms < 0 else ''}{whole}.{rest:03}"


def read_text(lines: Sequence[tuple[int, str]]) -> ExportedGame:
    """Return the game in these lines, each with its number in the file; none is empty.

    Raises:
        InvalidText: naming the line.
        ValidationError: if each line is valid, but the game is not.
    """
    first, _ = lines[0]
    heads: dict[str, tuple[int, str]] = {}
    for at, line in lines:
        if not (found := _HEADER.fullmatch(line)):
            break
        if found[1] in heads:
            raise InvalidText(f"line {at}: {found[1]} stands twice")
        heads[found[1]] = at, found[2]
    if missing := [name for name in _NEEDED if name not in heads]:
        raise InvalidText(f"line {first}: a game without {missing[0]}:")

    def head(name: str, read: Callable[[str], T], default: str = "") -> T:
        return _read(read, *heads.get(name, (first, default)))

    rules, number = head("Board", notation.board_of), head("Game", _whole)
    began = head("Began", _milliseconds)
    seats = state.BySeat[state.Player | None](X=head("X", _player_of), O=head("O", _player_of))
    settings = head("Settings", _settings, "{}").model_copy(update={"rules": rules})
    events: list[GameEvent] = [Started(seq=1, at=began, game=number)]
    for at, line in lines[len(heads) :]:
        event = partial(_event, seq=len(events) + 1, game=number, began=began, rules=rules)
        events.append(_read(event, at, line))
    return ExportedGame(
        room=state.RoomName(heads["Room"][1]),
        game=number,
        rules=rules,
        start=settings.start,
        seats=seats,
        events=tuple(events),
        settings=settings,
        locked=head("Locked", _is_yes, "no"),
    )


def _read(read: Callable[[str], T], at: int, text: str) -> T:
    """Read a part of line `at`.

    Raises:
        InvalidText: naming the line.
    """
    try:
        return read(text)
    except ValueError as error:
        raise InvalidText(f"line {at}: {words_of(error)}") from None


def _whole(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,15}", text):
        raise ValueError("this is no whole number")
    return int(text)


def _named(kind: type[E], text: str) -> E:
    """Return the member of the enumeration with this value.

    Raises:
        ValueError: naming the words that there are.
    """
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"{text!r} is none of {', '.join(kind)}") from None


def _is_yes(text: str) -> bool:
    if text not in {"yes", "no"}:
        raise ValueError("this is yes or no")
    return text == "yes"


def _milliseconds(text: str) -> int:
    """Return the Unix time in ms of `2026-01-31T12:30:00.123Z`."""
    if not text.endswith("Z"):
        raise ValueError("a time ends with Z")
    return (datetime.fromisoformat(text) - _EPOCH) // timedelta(milliseconds=1)


def _settings(text: str) -> state.Settings:
    return state.Settings.model_validate_json(notation.single_keys(text))


def _move_log(text: str) -> state.MoveLog:
    return state.MoveLog.model_validate_json(notation.single_keys(text))


def _player_of(text: str) -> state.Player | None:
    if text == "nobody":
        return None
    if found := _HUMAN.fullmatch(text):
        id_, name = state.SessionId(notation.unquote(found[3])), notation.unquote(found[2])
        return state.Human(id=id_, name=name, bot=found[1] == "bot")
    if found := _AI.fullmatch(text):
        level = None if found[3] is None else int(found[3])
        name, strategy = notation.unquote(found[1]), notation.unquote(found[2])
        return state.Ai(name=name, strategy=strategy, level=level)
    raise ValueError("this is no player")


def _event(line: str, *, seq: int, game: int, began: int, rules: state.Rules) -> GameEvent:
    if not (found := _EVENT.fullmatch(line)):
        raise ValueError("this is no event of a game")
    what, words = found["what"], found["words"]
    at = began + _ms(found["at"])
    said = None if words is None else notation.unquote(words)
    log = None if found["log"] is None else _move_log(found["log"])
    clock = None if found["X"] is None else state.TimeLeft(X=_ms(found["X"]), O=_ms(found["O"]))
    told: dict[str, Any] = {"seq": seq, "at": at, "game": game, "clock": clock}
    match what.split(" "):
        case [ply, "X" | "O" as seat, name] if re.fullmatch(r"[1-9][0-9]{0,8}\.", ply):
            cell, before = notation.cell_of(name, rules), int(ply[:-1]) - 1
            return Played(
                **told, ply=before, seat=state.Mark(seat), cell=cell, reason=said, log=log
            )
        case ["X" | "O" as seat, "chooses", word, "after", ply]:
            before, choice = _whole(ply), _named(Choice, word)
            return Chosen(**told, ply=before, seat=state.Mark(seat), choice=choice)
        case ["X" | "O" as seat, "offers" | "declines" as verb, word]:
            kind = _named(state.OfferKind, word)
            event = Offered if verb == "offers" else Declined
            return event(seq=seq, at=at, kind=kind, seat=state.Mark(seat))
        case ["back", "to", ply]:
            return TakenBack(**told, ply=_whole(ply))
        case ["X" | "O" as winner, "won:", reason, *cells]:
            outcome = _outcome_of(state.Mark(winner), reason, cells, rules)
        case ["draw:", reason] | ["nobody", "won:", reason]:
            outcome = _outcome_of(None, reason, [], rules)
        case _:
            raise ValueError("this is no event of a game")
    return Ended(**told, outcome=outcome, detail=said)


def _outcome_of(
    winner: state.Mark | None, reason: str, names: list[str], rules: state.Rules
) -> state.Outcome:
    line = tuple(notation.cell_of(name, rules) for name in names)
    return state.Outcome(winner=winner, reason=_named(Reason, reason), line=line or None)


def _ms(seconds: str) -> int:
    """Return the milliseconds of `-1.234`, exact."""
    return int(seconds.replace(".", ""))
