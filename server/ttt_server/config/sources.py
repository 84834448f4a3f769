"""Read the options: flags override the environment, which overrides the file."""

import os
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ttt_protocol.faults import first_fault
from ttt_server.config.options import Config

ENV_PREFIX = "TTT_"


class InvalidConfig(Exception):
    """An option has an invalid value; the message is one line for the operator."""


def load(flags: dict[str, Any], file: str | Path | None) -> Config:
    """Return the options from `flags`, the environment and the TOML `file`, in this order.

    Args:
        flags: values by field.
        file: the file's path; `None` for the file that `TTT_CONFIG` names, if it names one.

    Raises:
        InvalidConfig: naming the option and its fault.
    """
    if file is None:
        file = os.environ.get(f"{ENV_PREFIX}CONFIG") or None
    given = _in_file(file) | _in_environment() | flags
    try:
        return Config(**given)
    except ValidationError as error:
        where, what = first_fault(error)
        field, _, part = where.partition(".")
        if field and field not in Config.model_fields:  # only a file can
            raise InvalidConfig(f"--config: {file}: {_unknown_option(field)}") from None
        places = [flag(field)] if field else []
        if part and not part.isdecimal():  # a key of a table; items of a list have no name
            places.append(part)
        raise InvalidConfig(": ".join([*places, what])) from None


def flag(field: str) -> str:
    """Return the flag of a field: `--max-rooms` for `max_rooms`."""
    return "--" + field.replace("_", "-")


def _unknown_option(key: str) -> str:
    """Describe an unknown key of a file, and suggest the option that it probably means."""
    meant = key.removeprefix("--").replace("-", "_")
    hint = f"; write {meant}" if meant in Config.model_fields else ""
    return f"there is no option {key!r}{hint}"


def _in_environment() -> dict[str, str]:
    variables = {field: ENV_PREFIX + field.upper() for field in Config.model_fields}
    return {field: os.environ[name] for field, name in variables.items() if name in os.environ}


def _in_file(file: str | Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    if not str(file):
        raise InvalidConfig("--config: must not be empty")
    try:
        content = Path(file).read_bytes()
        return tomllib.loads(content.decode())
    except OSError as error:
        raise InvalidConfig(f"--config: {file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidConfig(f"--config: {file}: line {line} is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidConfig(f"--config: {file}: is no TOML: {error}") from None
