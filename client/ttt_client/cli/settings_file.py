"""The user's settings: name, server and theme, for what neither options nor variables give."""

import tomllib
from pathlib import Path

import platformdirs

THEMES = ("auto", "dark", "light")
_KEYS = {"name", "server", "theme"}


class InvalidSettings(ValueError):
    """A file that cannot be used; the message is for people."""


def default_file() -> Path:
    """Return the place of the file on this platform."""
    return platformdirs.user_config_path("ttt-rooms") / "client.toml"


def read_settings(file: Path) -> dict[str, str]:
    """Return the settings in `file`; none if there is no such file.

    Raises:
        InvalidSettings: if the file is not understood.
    """
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise InvalidSettings(f"{file}: {why}") from None
    for key, value in found.items():
        if key not in _KEYS:
            raise InvalidSettings(f"{file}: {key} is none of {', '.join(sorted(_KEYS))}")
        if not isinstance(value, str):
            raise InvalidSettings(f"{file}: {key} is a string")
    if found.get("theme", "auto") not in THEMES:
        raise InvalidSettings(f"{file}: a theme is one of {', '.join(THEMES)}")
    return found
