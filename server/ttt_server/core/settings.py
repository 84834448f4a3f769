"""From what a `join` wishes to what a room is fixed to, and whether a room has what one wishes."""

from typing import Any

from ttt_engine import Rules, UnknownStrategy
from ttt_engine.strategies import Strategy, is_ours, make, names
from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import (
    DEFAULT_SETTINGS,
    AiSetting,
    GivenSettings,
    Mark,
    SeatSetting,
    SeatSettings,
    Settings,
)
from ttt_server.core.errors import Refused

PACE_OF_AIS_S = 1
"""Between two AIs, slow enough to watch."""


def settle(given: GivenSettings) -> Settings:
    """The settings of a new room: what was given, and defaults for the rest.

    Raises:
        Refused: `unknown_strategy`, `strategy_cannot_play`.
    """
    if not given.model_fields_set:
        return DEFAULT_SETTINGS
    rules = given.rules
    board = Rules(rules.columns, rules.rows, rules.in_a_row, rules.gravity)
    fixed: dict[str, Any] = {name: getattr(given, name) for name in Settings.model_fields}
    fixed["seats"] = SeatSettings(
        X=_settled_seat(given.seats.X, board), O=_settled_seat(given.seats.O, board)
    )
    if given.pace_s is None:
        fixed["pace_s"] = PACE_OF_AIS_S if given.seats.all_ai else 0
    return Settings(**fixed)


def conflicts(given: GivenSettings, settings: Settings, *, locked: bool) -> tuple[str, ...]:
    """The names of the fields that `given` gives and that a room with `settings` has otherwise.

    `locked`: the room has a password, which was checked before.
    """
    if not (named := given.model_fields_set):
        return ()  # as nearly always
    return tuple(
        name
        for name in GivenSettings.model_fields
        if name in named and not _agrees(name, given, settings, locked=locked)
    )


def settle_ai(seat: AiSetting, board: Rules) -> AiSetting:
    """An AI that can play on this board, with the level that it takes by itself if none is given.

    One that is not ours is taken at its word: its code does not run in this process, and it was
    asked before (`PluginStrategies.audition`).

    Raises:
        Refused: `unknown_strategy`, `strategy_cannot_play`.
    """
    try:
        if not is_ours(seat.strategy):
            return seat
    except UnknownStrategy as error:
        there = ", ".join(error.names)
        reason = f"there is no such strategy; there are: {there}"
        raise Refused(RefusalCode.UNKNOWN_STRATEGY, reason) from None
    strategy = make(seat.strategy, seat.level)
    if not strategy.plays(board):
        raise cannot_play(board)
    return AiSetting(strategy=seat.strategy, level=_level(seat, strategy))


def cannot_play(board: Rules) -> Refused:
    """That a strategy does not play on this board; it names those of ours that do."""
    able = ", ".join(name for name in names() if is_ours(name) and make(name).plays(board))
    reason = f"this strategy does not play on such a board; there are: {able}"
    return Refused(RefusalCode.STRATEGY_CANNOT_PLAY, reason)


def _settled_seat(seat: SeatSetting, board: Rules) -> SeatSetting:
    return seat if seat == "human" else settle_ai(seat, board)


def _level(seat: AiSetting, strategy: Strategy) -> int | None:
    # A strategy that has levels tells which it took by itself.
    return seat.level if seat.level is not None else getattr(strategy, "level", None)


def _agrees(name: str, given: GivenSettings, settings: Settings, *, locked: bool) -> bool:
    match name:
        case "password":
            return given.password is None or locked
        case "pace_s":
            return given.pace_s in (None, settings.pace_s)
        case "seats":
            named = [mark for mark in Mark if mark in given.seats.model_fields_set]
            return all(_is_seat(given.seats[mark], settings.seats[mark]) for mark in named)
        case "rules":
            fields = given.rules.model_fields_set
            return all(getattr(given.rules, f) == getattr(settings.rules, f) for f in fields)
        case _:
            return bool(getattr(given, name) == getattr(settings, name))


def _is_seat(wanted: SeatSetting, had: SeatSetting) -> bool:
    if wanted == "human" or had == "human":
        return wanted == had
    return wanted.strategy == had.strategy and wanted.level in (None, had.level)
