"""What proves who this user is, on this machine: tokens of seats, and of persons who keep a name.

The token of a seat has a file of its own, so parallel clients overwrite nothing. A client locks the
file of its seat while it runs. After a crash the same command takes the same seat back; a second
client beside the first takes another seat.

The tokens of persons, one for each server, are in `client.toml`. That file is the user's own, too.
So only the lines of its table `[persons]` are changed, and once it holds a token it is for its
owner alone.
"""

import hashlib
import json
import os
import re
import tempfile
import time
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Self

import platformdirs
from pydantic import BaseModel, ConfigDict, ValidationError

from ttt_client.net.address import ServerAddress
from ttt_protocol.state import RoomName, Token

try:
    import fcntl
except ImportError:  # Windows: two clients of one seat take it from each other there
    fcntl = None  # type: ignore[assignment]

UNUSED_S = 30 * 86_400
"""Seconds after which the token of a seat that was not taken back is removed."""

TABLE = "persons"

_HEAD = re.compile(rf"^\s*\[\s*{TABLE}\s*\]\s*(#.*)?$")

_ANY_HEAD = re.compile(r"^\s*\[")


class Remembered(BaseModel):
    """The contents of a file. Server, room and name are for people who read it."""

    model_config = ConfigDict(frozen=True, strict=True)

    server: str
    room: str
    name: str
    token: str


def default_folder() -> Path:
    """Return the client's state folder on this platform."""
    return platformdirs.user_state_path("ttt-client")


class SeatTokenFile:
    """The stored token of one seat: of this player, in this room, on this server.

    If the folder cannot be read or written, nothing is remembered and `trouble` says why.
    """

    def __init__(self, folder: Path, server: str, room: RoomName, name: str) -> None:
        self._folder = folder
        self._server = one_spelling(server)
        self._room = room
        self._name = name
        self._file: Path | None = None
        self._descriptor: int | None = None
        self.trouble: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._let_go()

    @property
    def is_kept(self) -> bool:
        """Whether the token in use is in a file."""
        return self._file is not None

    @property
    def has_seat(self) -> bool:
        """Whether a seat is remembered, even if another client of this machine uses it."""
        return any(self._folder.glob(f"{self._key()}-*.json"))

    def recall(self) -> Token | None:
        """Return a token that no other client of this machine uses, and lock its file."""
        try:
            files = sorted(self._folder.glob(f"{self._key()}-*.json"))
            return next(filter(None, map(self._take, files)), None)
        except OSError as error:
            self.trouble = f"remembered seats cannot be read: {error.strerror}"
            return None

    def peek(self) -> Token | None:
        """Return a token of this player, even if another client uses it, and lock nothing."""
        try:
            for file in sorted(self._folder.glob(f"{self._key()}-*.json")):
                with suppress(ValidationError, FileNotFoundError):
                    return Token(Remembered.model_validate_json(file.read_bytes()).token)
        except OSError as error:
            self.trouble = f"remembered seats cannot be read: {error.strerror}"
        return None

    def remember(self, token: Token) -> None:
        """Store `token` in place of the one stored before."""
        file = self._folder / f"{self._key()}-{_digest(token)}.json"
        if file == self._file:
            return
        self.forget()
        _remove_unused(self._folder)
        entry = Remembered(server=self._server, room=self._room, name=self._name, token=token)
        try:
            self._descriptor = _write(file, entry.model_dump_json().encode())
            self._file = file
        except OSError as error:
            self.trouble = f"the seat cannot be remembered: {error.strerror}"

    def forget(self) -> None:
        """Delete the token that `recall` returned or `remember` stored."""
        if self._file is not None:
            with suppress(OSError):
                self._file.unlink()
        self._let_go()

    def _take(self, file: Path) -> Token | None:
        try:
            descriptor = os.open(file, os.O_RDONLY)
        except FileNotFoundError:
            return None  # another client has just deleted it
        try:
            _lock(descriptor)
            os.utime(file)
            token = Remembered.model_validate_json(os.read(descriptor, 4096)).token
        except BlockingIOError:
            os.close(descriptor)
            return None  # another client uses it
        except ValidationError:
            os.close(descriptor)
            with suppress(OSError):
                file.unlink()
            self.trouble = "a remembered seat was damaged and is forgotten"
            return None
        self._file, self._descriptor = file, descriptor
        return Token(token)

    def _key(self) -> str:
        return _digest(f"{self._server} {self._room} {self._name}")

    def _let_go(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._file = self._descriptor = None


def kept_names(folder: Path, server: str, room: RoomName) -> list[str]:
    """Return the names of this user's players with a remembered seat in the room."""
    names = []
    for file in sorted(folder.glob("*.json")):
        with suppress(ValidationError, OSError):
            seat = Remembered.model_validate_json(file.read_bytes())
            if (one_spelling(seat.server), seat.room) == (one_spelling(server), room):
                names.append(seat.name)
    return names


def one_spelling(server: str) -> str:
    """Return the address with this machine by one of its names."""
    return re.sub(r"(?<=://)(localhost|\[::1\])(?=[:/]|$)", "127.0.0.1", server)


def _lock(descriptor: int) -> None:
    """Lock an open file; raise `BlockingIOError` if another client has it."""
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove_unused(folder: Path) -> None:
    """Remove the files that no client has used for long; one in use is locked, and stays."""
    for file in folder.glob("*.json"):
        with suppress(OSError):
            if time.time() - file.stat().st_mtime < UNUSED_S:
                continue
            descriptor = os.open(file, os.O_RDONLY)
            try:
                _lock(descriptor)
                file.unlink()
            finally:
                os.close(descriptor)


def _write(file: Path, data: bytes) -> int:
    """Write and lock a file that only its owner can read; return the descriptor with the lock.

    Raises:
        OSError: if it was not written; then no file is left behind.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.parent.chmod(0o700)
    descriptor, draft = tempfile.mkstemp(dir=file.parent, prefix=".draft-")  # mode 0600
    try:
        _lock(descriptor)
        os.write(descriptor, data)
        os.fsync(descriptor)
        Path(draft).replace(file)
    except OSError:
        os.close(descriptor)
        Path(draft).unlink(missing_ok=True)
        raise
    return descriptor


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


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
