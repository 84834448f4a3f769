"""The tokens of this user's persons: one for each server, in `client.toml`.

The file is the user's own, too. So only the lines of its table `[persons]` are changed, and once it
holds a token it is for its owner alone.
"""

import json
import os
import re
import tempfile
import tomllib
from contextlib import suppress
from pathlib import Path

import platformdirs

from ttt_client.net.address import ServerAddress
from ttt_client.net.seat_tokens import one_spelling
from ttt_protocol.state import Token

TABLE = "persons"

_HEAD = re.compile(rf"^\s*\[\s*{TABLE}\s*\]\s*(#.*)?$")
_ANY_HEAD = re.compile(r"^\s*\[")


def default_file() -> Path:
    """Return the place of the user's settings on this platform."""
    return platformdirs.user_config_path("ttt-rooms") / "client.toml"


def recall_person(server: ServerAddress, file: Path | None = None) -> Token | None:
    """Return the token of this user's person on a server; `None` without one.

    A file that cannot be read or understood has none: reading the settings tells of it.
    """
    token: object = None
    with suppress(OSError, ValueError, AttributeError):
        content = tomllib.loads((file or default_file()).read_bytes().decode())
        token = content.get(TABLE, {}).get(one_spelling(server.url))
    return Token(token) if isinstance(token, str) and 0 < len(token) <= 256 else None


def remember_person(server: ServerAddress, token: Token | None, file: Path | None = None) -> None:
    """Keep the token of this user's person on a server, in place of an earlier one.

    `None` forgets it.

    Raises:
        OSError: if the file cannot be read or written; it is as it was.
    """
    file = file or default_file()
    try:
        before = file.read_text()
    except FileNotFoundError:
        before = ""
    _replace(file, with_token(before, one_spelling(server.url), token))


def with_token(content: str, server: str, token: str | None) -> str:
    """Return the content of a file with the token of a server, or without it. Pure."""
    key = json.dumps(server)
    kept, is_inside, place = [], False, None
    for line in content.splitlines():
        if _ANY_HEAD.match(line):
            is_inside = _HEAD.match(line) is not None
        if is_inside and line.strip().startswith(key):
            continue
        kept.append(line)
        if is_inside and line.strip():
            place = len(kept)
    if token is not None:
        if place is None:
            kept += [*([""] if kept else []), f"[{TABLE}]"]
            place = len(kept)
        kept.insert(place, f"{key} = {json.dumps(token)}")
    return "".join(f"{line}\n" for line in kept)


def _replace(file: Path, content: str) -> None:
    """Write a file that only its owner can read, all of it or nothing."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=file.parent, prefix=".draft-")  # mode 0600
    try:
        with os.fdopen(descriptor, "w") as writing:
            writing.write(content)
            writing.flush()
            os.fsync(writing.fileno())
        Path(draft).replace(file.resolve())
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
