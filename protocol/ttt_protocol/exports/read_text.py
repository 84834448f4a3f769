"""Read a game from lines of text. Pure."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import TypeVar

from pydantic import ValidationError

from ttt_protocol import state
from ttt_protocol.codes import Choice, Reason
from ttt_protocol.events import Chosen, Declined, Ended, Offered, Played, Started, TakenBack
from ttt_protocol.exports.notation import QUOTED, board_of, cell_of, single_keys, unquote
from ttt_protocol.exports.write_game import EPOCH
from ttt_protocol.faults import first_fault
from ttt_protocol.move_log import MoveLog
from ttt_protocol.records import ExportedGame, GameEvent

_NUMBER = r"-?[0-9]{1,15}\.[0-9]{3}"
_EVENT = re.compile(
    rf"(?P<what>[^\"@\[]+?) @(?P<at>{_NUMBER})"
    rf"(?: \[(?P<X>{_NUMBER}) (?P<O>{_NUMBER})\])?(?: (?P<words>{QUOTED}))?"
    r"(?: log (?P<log>\{.*\}))?"
)
_HEADER = re.compile(r"(Room|Game|Board|Settings|Locked|X|O|Began): (.+)")
_HUMAN = re.compile(rf"(human|bot) ({QUOTED}) id ({QUOTED})")
_AI = re.compile(rf"AI ({QUOTED}) plays ({QUOTED})(?: level ([0-9]))?")
_NEEDED = "Room", "Game", "Board", "X", "O", "Began"


T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)


class InvalidText(ValueError):
    """The lines are not a game; the message names the line."""


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

    rules, number = head("Board", board_of), head("Game", _whole)
    began = head("Began", _milliseconds)
    seats = state.BySeat[state.Player | None](X=head("X", _player), O=head("O", _player))
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
    except ValidationError as error:
        raise InvalidText(f"line {at}: {first_fault(error)}") from None
    except ValueError as error:
        raise InvalidText(f"line {at}: {error}") from None


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
    return (datetime.fromisoformat(text) - EPOCH) // timedelta(milliseconds=1)


def _settings(text: str) -> state.Settings:
    return state.Settings.model_validate_json(single_keys(text))


def _player(text: str) -> state.Player | None:
    if text == "nobody":
        return None
    if found := _HUMAN.fullmatch(text):
        id_, name = state.SessionId(unquote(found[3])), unquote(found[2])
        return state.Human(id=id_, name=name, bot=found[1] == "bot")
    if found := _AI.fullmatch(text):
        level = None if found[3] is None else int(found[3])
        return state.Ai(name=unquote(found[1]), strategy=unquote(found[2]), level=level)
    raise ValueError("this is no player")


def _event(line: str, *, seq: int, game: int, began: int, rules: state.Rules) -> GameEvent:
    if not (found := _EVENT.fullmatch(line)):
        raise ValueError("this is no event of a game")
    what, words = found["what"], found["words"]
    at = began + _ms(found["at"])
    said = None if words is None else unquote(words)
    log = None if found["log"] is None else MoveLog.model_validate_json(single_keys(found["log"]))
    clock = None if found["X"] is None else state.TimeLeft(X=_ms(found["X"]), O=_ms(found["O"]))
    match what.split(" "):
        case [ply, "X" | "O" as seat, cell] if re.fullmatch(r"[1-9][0-9]{0,8}\.", ply):
            place = cell_of(cell, rules)
            before = int(ply[:-1]) - 1
            return Played(
                seq=seq,
                at=at,
                game=game,
                ply=before,
                seat=state.Mark(seat),
                cell=place,
                reason=said,
                clock=clock,
                log=log,
            )
        case ["X" | "O" as seat, "chooses", choice, "after", ply]:
            return Chosen(
                seq=seq,
                at=at,
                game=game,
                ply=_whole(ply),
                seat=state.Mark(seat),
                choice=_named(Choice, choice),
                clock=clock,
            )
        case ["X" | "O" as seat, "offers", kind]:
            return Offered(
                seq=seq, at=at, kind=_named(state.OfferKind, kind), seat=state.Mark(seat)
            )
        case ["X" | "O" as seat, "declines", kind]:
            return Declined(
                seq=seq, at=at, kind=_named(state.OfferKind, kind), seat=state.Mark(seat)
            )
        case ["back", "to", ply]:
            return TakenBack(seq=seq, at=at, game=game, ply=_whole(ply), clock=clock)
        case ["X" | "O" as winner, "won:", reason, *cells]:
            outcome = _outcome(state.Mark(winner), reason, cells, rules)
        case ["draw:", reason] | ["nobody", "won:", reason]:
            outcome = _outcome(None, reason, [], rules)
        case _:
            raise ValueError("this is no event of a game")
    return Ended(seq=seq, at=at, game=game, outcome=outcome, detail=said, clock=clock)


def _outcome(
    winner: state.Mark | None, reason: str, names: list[str], rules: state.Rules
) -> state.Outcome:
    line = tuple(cell_of(name, rules) for name in names)
    return state.Outcome(winner=winner, reason=_named(Reason, reason), line=line or None)


def _ms(seconds: str) -> int:
    """Return the milliseconds of `-1.234`, exact."""
    return int(seconds.replace(".", ""))
