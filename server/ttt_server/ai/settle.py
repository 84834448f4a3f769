"""Settle an AI seat: check the strategy, and fix its level.

A plug-in is returned as it is, as its code does not run here; `plugins` probes it.
"""

from ttt_engine import Rules, UnknownStrategy
from ttt_engine.strategies import Strategy, can_play, is_ours, make, names
from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import AiSetting, GivenSettings, SeatSetting, SeatSettings
from ttt_server.core.errors import Refused
from ttt_server.core.room import engine_rules


def settle(given: GivenSettings) -> GivenSettings:
    """Return the settings with each AI seat settled.

    Raises:
        Refused: `unknown_strategy`, `strategy_cannot_play`.
    """
    seats, board = given.seats, engine_rules(given)
    settled = SeatSettings(X=_settle_seat(seats.X, board), O=_settle_seat(seats.O, board))
    return given if settled == seats else given.model_copy(update={"seats": settled})


def settle_ai(wish: AiSetting, board: Rules) -> AiSetting:
    """Return an AI that plays on this board, at the strategy's default level if none is given.

    Raises:
        Refused: `unknown_strategy`, `strategy_cannot_play`.
    """
    try:
        if not is_ours(wish.strategy):
            return wish
    except UnknownStrategy as error:
        reason = f"there is no such strategy; there are: {', '.join(error.names)}"
        raise Refused(RefusalCode.UNKNOWN_STRATEGY, reason) from None
    strategy = make(wish.strategy, wish.level)
    if not can_play(strategy, board):
        lacks = getattr(strategy, "lacks", None)
        if lacks is not None:
            raise Refused(RefusalCode.STRATEGY_CANNOT_PLAY, lacks)
        raise cannot_play(board)
    return AiSetting(strategy=wish.strategy, level=_level(wish, strategy))


def cannot_play(board: Rules) -> Refused:
    """Return the refusal of a strategy on this board, naming ours that play there."""
    able = ", ".join(name for name in names() if is_ours(name) and can_play(make(name), board))
    reason = f"this strategy does not play on such a board; there are: {able}"
    return Refused(RefusalCode.STRATEGY_CANNOT_PLAY, reason)


def _settle_seat(seat: SeatSetting, board: Rules) -> SeatSetting:
    return seat if seat == "human" else settle_ai(seat, board)


def _level(wish: AiSetting, strategy: Strategy) -> int | None:
    # A strategy with levels has an attribute for its level.
    return wish.level if wish.level is not None else getattr(strategy, "level", None)
