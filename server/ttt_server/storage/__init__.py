"""Stores of logs, chosen by URL."""

from pathlib import Path
from typing import TYPE_CHECKING

from ttt_server.storage.base import CannotOpen, EventStore
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.sqlite.opening import forget_since, has_events
from ttt_server.storage.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from ttt_server.storage.postgres.store import PostgresStore

MEMORY, SQLITE = "memory:", "sqlite:"
DATABASE = "ttt.sqlite3"
NO_ASYNCPG = "PostgreSQL needs one more package: pip install 'ttt-rooms[postgres]'"


def is_postgres(url: str) -> bool:
    """Return whether this is the URL of a PostgreSQL database."""
    return url.startswith(("postgresql://", "postgres://"))


async def open_store(
    url: str, folder: Path, *, relearn: bool = False, erase: bool = False, accept_loss: bool = False
) -> EventStore:
    """Open the store of this URL; make it, and the folder that holds it, if it does not exist.

    Args:
        url: `sqlite:` for a file in the folder, `memory:` for a store that ends with the process,
            `postgresql://…` for a database.
        folder: the data folder.
        relearn: clear the learner's memory and learn again from the games of the rooms.
        erase: overwrite deleted events on the disk.
        accept_loss: keep what is intact of a damaged write-ahead log.

    Raises:
        CannotOpen: with one line for the operator.
    """
    if url == MEMORY:
        return MemoryStore()
    if is_postgres(url):
        return await open_postgres(url, relearn=relearn)
    path = _made(folder) / DATABASE
    return SqliteStore(path, relearn=relearn, erase=erase, accept_loss=accept_loss)


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise CannotOpen(f"{error.filename}: {error.strerror}") from None
    return folder


async def open_postgres(
    url: str,
    *,
    relearn: bool = False,
    patience_s: float | None = None,
    promotion_file: Path | None = None,
) -> "PostgresStore":
    """Open the store in this database.

    Args:
        url: of the database.
        relearn: as that of `open_store`.
        patience_s: the timeout of a statement.
        promotion_file: keeps which promotion of the database was seen last.

    Raises:
        CannotOpen: with one line for the operator.
    """
    require_asyncpg()
    from ttt_server.storage.postgres import store

    return await store.PostgresStore.open(
        url,
        relearn_all=relearn,
        patience_s=patience_s or store.PATIENCE_S,
        promotion_file=promotion_file,
    )


def require_asyncpg() -> None:
    try:
        import asyncpg  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "asyncpg":
            raise
        raise CannotOpen(NO_ASYNCPG) from None


async def forget_lessons(url: str, folder: Path, hour: int, *, dry: bool) -> int:
    """Forget what the learner has learned since an hour of Unix time; return how many games.

    `dry`: only count them.

    Raises:
        CannotOpen: with one line for the operator, also where a server runs.
    """
    if is_postgres(url):
        require_asyncpg()
        from ttt_server.storage.postgres import store

        return await store.forget_lessons(url, hour, dry=dry)
    return forget_since(folder / DATABASE, hour, dry=dry)


def has_rooms(url: str, folder: Path, *, accept_loss: bool = False) -> bool:
    """Return whether the store of this URL is in the folder, and has any log. Change nothing.

    `accept_loss`: as that of `open_store`.

    Raises:
        CannotOpen: with one line for the operator.
    """
    return url == SQLITE and has_events(folder / DATABASE, accept_loss=accept_loss)
