"""From what a `join` wishes to what a room is fixed to, and whether a room has what one wishes."""

from typing import Any

from ttt_engine import BrokenStrategy, Rules, UnknownStrategy
from ttt_engine.strategies import Strategy, make
from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import (
    AiSetting,
    GivenSettings,
    Mark,
    SeatSetting,
    SeatSettings,
    Settings,
)
from ttt_server.room import Refused

PACE_OF_AIS_S = 1
"""Between two AIs, slow enough to watch."""


def settle(given: GivenSettings) -> Settings:
    """The settings of a new room: what was given, and defaults for the rest.

    Raises:
        Refused: `unknown_strategy`, `strategy_cannot_play`, or `not_allowed` for what this server
            does not offer.
    """
    if given.password is not None:
        raise Refused(RefusalCode.NOT_ALLOWED, "rooms with a password are not offered yet")
    if given.clock is not None:
        raise Refused(RefusalCode.NOT_ALLOWED, "games with a clock are not offered yet")
    rules = given.rules
    board = Rules(rules.columns, rules.rows, rules.in_a_row, rules.gravity)
    fixed: dict[str, Any] = {name: getattr(given, name) for name in Settings.model_fields}
    fixed["seats"] = SeatSettings(
        X=_settled_seat(given.seats.X, board), O=_settled_seat(given.seats.O, board)
    )
    if given.pace_s is None:
        fixed["pace_s"] = PACE_OF_AIS_S if given.seats.all_ai else 0
    return Settings(**fixed)


def conflicts(given: GivenSettings, settings: Settings) -> tuple[str, ...]:
    """The names of the fields that `given` gives and that a room with `settings` has otherwise."""
    return tuple(
        name
        for name in Settings.model_fields
        if name in given.model_fields_set and not _agrees(name, given, settings)
    )


def _settled_seat(seat: SeatSetting, board: Rules) -> SeatSetting:
    if seat == "human":
        return seat
    try:
        strategy = make(seat.strategy, seat.level)
    except UnknownStrategy as error:
        names = ", ".join(error.names)
        reason = f"there is no such strategy; there are: {names}"
        raise Refused(RefusalCode.UNKNOWN_STRATEGY, reason) from None
    except BrokenStrategy:
        reason = "this strategy does not work on this server"
        raise Refused(RefusalCode.UNKNOWN_STRATEGY, reason) from None
    if not strategy.plays(board):
        raise Refused(RefusalCode.STRATEGY_CANNOT_PLAY)
    return AiSetting(strategy=seat.strategy, level=_level(seat, strategy))


def _level(seat: AiSetting, strategy: Strategy) -> int | None:
    # A strategy that has levels tells which it took by itself.
    return seat.level if seat.level is not None else getattr(strategy, "level", None)


def _agrees(name: str, given: GivenSettings, settings: Settings) -> bool:
    if name != "seats":
        return bool(getattr(given, name) == getattr(settings, name))
    return all(_is_seat(given.seats[mark], settings.seats[mark]) for mark in Mark)


def _is_seat(wanted: SeatSetting, had: SeatSetting) -> bool:
    if wanted == "human" or had == "human":
        return wanted == had
    return wanted.strategy == had.strategy and wanted.level in (None, had.level)
