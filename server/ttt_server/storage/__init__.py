"""The store that the options name."""

from ttt_server.config import Config
from ttt_server.storage.base import CannotOpen, EventStore
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.sqlite.store import SqliteStore


def open_store(config: Config, *, relearn: bool = False) -> EventStore:
    """The store of these options, and the folder that it is in, made if they are not there.

    With `relearn` the learner's memory forgets all, and learns it again from the games.

    Raises:
        CannotOpen: with one line of words.
    """
    if config.store == "memory:":
        return MemoryStore()
    try:
        config.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise CannotOpen(f"{error.filename}: {error.strerror}") from None
    return SqliteStore(config.data / "ttt.sqlite3", relearn=relearn)
