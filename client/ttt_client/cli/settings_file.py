"""The user's settings file: name, server and theme, below options and variables."""

import re
import tomllib
from pathlib import Path

from ttt_client.cli.parser import THEMES
from ttt_client.net.person_tokens import TABLE

_EXAMPLE = 'this is not TOML; a setting is like name = "ada"'
_KEYS = {"name", "server", "theme"}


class InvalidSettings(ValueError):
    """An unusable file; the message is for people."""


def read_settings(file: Path) -> dict[str, str]:
    """Return the settings in `file`; none if there is no such file.

    Raises:
        InvalidSettings: if the file is not understood.
    """
    try:
        content = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise InvalidSettings(f"{file}: {error.strerror}") from None
    try:
        found = tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidSettings(f"{file}, line {line}: this is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        line = _line_of(error) or max(1, len(content.splitlines()))
        raise InvalidSettings(f"{file}, line {line}: {_EXAMPLE}") from None
    persons = found.pop(TABLE, {})
    if not isinstance(persons, dict):
        raise InvalidSettings(f"{file}: {TABLE} is a table, which ttt-client me writes")
    for key, value in found.items():
        if key not in _KEYS:
            raise InvalidSettings(
                f"{file}: {key} is not a setting; there are {', '.join(sorted(_KEYS))}"
            )
        if not isinstance(value, str):
            raise InvalidSettings(f"{file}: {key} is a string")
    if found.get("theme", "auto") not in THEMES:
        raise InvalidSettings(f"{file}: a theme is one of {', '.join(THEMES)}")
    return found


def _line_of(error: tomllib.TOMLDecodeError) -> int | None:
    """Return the line of the fault; None at the end of the document."""
    found = re.search(r"\(at line ([0-9]+)", str(error))
    return int(found[1]) if found else None
