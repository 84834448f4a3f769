"""The types of option values. Errors are one line for the operator. Pure."""

import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from ttt_engine.strategies import OWN_NAMES
from ttt_server.ai.program_setting import ProgramSetting
from ttt_server.limits.client_address import Proxies


def _like(form: str, *examples: str) -> AfterValidator:
    """Require text that matches this regular expression."""

    def require(text: str) -> str:
        if not re.fullmatch(form, text):
            raise ValueError(f"must be like {' or '.join(examples)}")
        return text

    return AfterValidator(require)


def _split(words: Any) -> Any:
    """Split text at commas. Leave anything else, such as a list from a file, to validation."""
    if not isinstance(words, str):
        return words
    return [word for part in words.split(",") if (word := part.strip())]


MOST = 1_000_000_000
"""The most that a number of an option may be: far more than any server needs, and few enough for
the databases and for the clock. As seconds it is 31 years."""

_MOST_OF_A_UNIT = 999_999

_MOST_PROCESSES = 256

_SECONDS = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
"""In each unit of a time in words."""


def parse_age(text: Any) -> Any:
    """Return the seconds of a time in words: `90d`. Anything else is left to be checked.

    Raises:
        ValueError: if it is text, and no such time.
    """
    if not isinstance(text, str):
        return text
    found = re.fullmatch(r"([0-9]+)([dhms])", text)
    if found is None:
        raise ValueError("must be like 90d, 12h, 30m or 45s")
    number, unit = found[1].lstrip("0") or "0", found[2]
    if len(number) > len(str(_MOST_OF_A_UNIT)):
        raise ValueError(f"must be at most {_MOST_OF_A_UNIT}{unit}")
    return int(number) * _SECONDS[unit]


def _require_no_empty_path(path: Any) -> Any:
    if path == "":
        raise ValueError("must not be empty")  # it would be the current folder
    return path


def _require_known_store(url: str) -> str:
    if url in {"sqlite:", "memory:"} or url.startswith(("postgresql://", "postgres://")):
        return url
    raise ValueError("must be sqlite:, memory: or postgresql://USER@HOST/DATABASE")


def _require_proxies(texts: tuple[str, ...]) -> tuple[str, ...]:
    Proxies.parse(texts)
    return texts


def _read_json(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ValueError(f"is no JSON from {place} on") from None


def _require_free_names(programs: dict[str, ProgramSetting]) -> dict[str, ProgramSetting]:
    for name in programs:
        if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,31}", name):
            raise ValueError(f"{name!r} is no name of a strategy: a-z, 0-9, - and _")
        if name in OWN_NAMES:
            raise ValueError(f"{name!r} is a strategy of the server itself")
    return programs


def _read_processes(given: Any) -> Any:
    is_number = re.fullmatch(r"[0-9]{1,9}", str(given), re.ASCII)
    if given == "auto" or (is_number and 1 <= int(given) <= _MOST_PROCESSES):
        return given
    raise ValueError(f"must be auto, or how many: 1 to {_MOST_PROCESSES}")


Processes = Annotated[Literal["auto"] | int, BeforeValidator(_read_processes)]

Limit = Annotated[int, Field(ge=1, le=MOST)]

Duration = Annotated[float, Field(gt=0, le=MOST, allow_inf_nan=False)]
"""Seconds."""

Age = Annotated[float, Field(gt=0, allow_inf_nan=False), BeforeValidator(parse_age)]
"""Seconds, or a time in words."""

GivenPath = Annotated[Path, BeforeValidator(_require_no_empty_path)]

StoreUrl = Annotated[str, AfterValidator(_require_known_store)]

ServerAddress = Annotated[
    str, _like(r"wss?://([A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}", "ws://10.0.0.2:8765")
]

PageUrl = Annotated[
    str,
    _like(r"https?://[A-Za-z0-9.\[\]:-]+(/[A-Za-z0-9._~/-]*)?", "https://play.example.org/ttt/"),
]

IssuerUrl = Annotated[
    str,
    _like(
        r"https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?"
        r"|http://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?",
        "https://id.example.org/realms/school",
    ),
]
"""Only this machine may be asked without TLS."""

HeaderName = Annotated[str, _like(r"[A-Za-z][A-Za-z0-9-]{0,63}", "Remote-User")]

Origin = Annotated[
    str, _like(r"https?://[a-z0-9.\[\]:-]+", "https://example.org", "http://example.org:8080")
]
"""As a browser sends it: origins are compared letter by letter."""

Origins = Annotated[tuple[Origin, ...], BeforeValidator(_split)]

WebhookUrl = Annotated[
    str, _like(r"https?://[A-Za-z0-9.\[\]:-]+([/?][!-\"$-~]*)?", "https://hooks.example.org/ttt")
]

Hosts = Annotated[
    tuple[Annotated[str, _like(r"[a-z0-9._-]+", "rooms.example.org, without a port")], ...],
    BeforeValidator(_split),
]

ProxyAddresses = Annotated[
    tuple[str, ...], BeforeValidator(_split), AfterValidator(_require_proxies)
]
"""Addresses and networks of proxies."""

Programs = Annotated[
    dict[str, ProgramSetting], BeforeValidator(_read_json), AfterValidator(_require_free_names)
]
"""Programs by the names of their strategies: a table of the file, or JSON."""
