"""Settings: those of a new room, and the conflicts of a `join` with those of a room. Pure."""

from typing import Any

from ttt_protocol.state import (
    DEFAULT_SETTINGS,
    GivenSettings,
    Mark,
    SeatSetting,
    Settings,
)

PACE_OF_AIS_S = 1
"""The default between two AIs: slow enough to watch."""


def settle(given: GivenSettings) -> Settings:
    """Return the settings of a new room: what was given, and defaults for the rest.

    The AIs are settled: they can play on the board, and have their levels.
    """
    if not given.model_fields_set:
        return DEFAULT_SETTINGS
    fixed: dict[str, Any] = {name: getattr(given, name) for name in Settings.model_fields}
    if given.pace_s is None:
        fixed["pace_s"] = PACE_OF_AIS_S if given.seats.all_ai else 0
    return Settings(**fixed)


def conflicts(given: GivenSettings, settings: Settings, *, locked: bool) -> tuple[str, ...]:
    """Return the names of the given fields that are others in a room with `settings`.

    `locked`: the room has a password, which was checked before.
    """
    if not (named := given.model_fields_set):
        return ()  # nearly always
    return tuple(
        name
        for name in GivenSettings.model_fields
        if name in named and not _agrees(name, given, settings, locked=locked)
    )


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
