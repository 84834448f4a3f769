"""Where the logs of rooms are kept: the store of a URL."""

from pathlib import Path

from ttt_server.storage.base import CannotOpen, EventStore
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.sqlite.schema import has_events
from ttt_server.storage.sqlite.store import SqliteStore

MEMORY = "memory:"
DATABASE = "ttt.sqlite3"


def open_store(url: str, folder: Path, *, relearn: bool = False, erase: bool = False) -> EventStore:
    """Open the store of this URL; make it, and the folder that holds it, if it does not exist.

    Args:
        url: `sqlite:` for a file in the folder, `memory:` for a store that ends with the process.
        folder: the data folder.
        relearn: clear the learner's memory and learn again from the games of the rooms.
        erase: leave nothing on the disk of events that are deleted.

    Raises:
        CannotOpen: with one line for the operator.
    """
    if url == MEMORY:
        return MemoryStore()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise CannotOpen(f"{error.filename}: {error.strerror}") from None
    return SqliteStore(folder / DATABASE, relearn=relearn, erase=erase)


def has_rooms(url: str, folder: Path) -> bool:
    """Tell whether the store of this URL has the log of any room; change nothing.

    Raises:
        CannotOpen: with one line for the operator.
    """
    return url != MEMORY and has_events(folder / DATABASE)
