"""An installation: a store, and the secret that signs the tokens of the seats in its rooms."""

import logging
from pathlib import Path
from typing import NamedTuple

from ttt_server.config.options import Config
from ttt_server.rooms.tokens import make_secret, new_secret, read_secret
from ttt_server.storage import MEMORY, has_rooms, is_postgres, open_postgres, open_store
from ttt_server.storage.base import CannotOpen, EventStore

logger = logging.getLogger(__name__)


class Installation(NamedTuple):
    """A store, and the secret of the installation that it belongs to."""

    store: EventStore
    secret: bytes
    is_in_folder: bool = False
    """Whether it lives in the data folder, which this server has to itself."""


async def open_installation(config: Config, store: EventStore | None = None) -> Installation:
    """Open the store that the options name, and find or make the secret.

    Args:
        config: the options.
        store: in place of the store that the options name.

    Raises:
        CannotOpen: with one line for the operator.
        OSError: if the file of the secret cannot be used.
    """
    secret = None if config.secret is None else config.secret.encode()
    if store is not None:
        return Installation(store, secret or new_secret())
    if config.store == MEMORY:
        return Installation(await open_store(config.store, config.data), secret or new_secret())
    if is_postgres(config.store):
        shared = await open_postgres(
            config.store, patience_s=config.lease_s / 2, promotion_file=config.data / "promotion"
        )
        try:
            secret = await shared.keep_secret(secret, new_secret, accept_loss=config.accept_loss)
        except BaseException:
            await shared.close()
            raise
        return Installation(shared, secret)
    # The secret comes first, because opening a database writes to it.
    path = config.data / "secret"
    secret = secret or _read_secret(config, path)
    erase = not config.retention.keeps_played
    opened = await open_store(
        config.store, config.data, erase=erase, accept_loss=config.accept_loss
    )
    try:
        secret = secret or make_secret(path)
    except BaseException:
        await opened.close()
        raise
    return Installation(opened, secret, is_in_folder=True)


def _read_secret(config: Config, path: Path) -> bytes | None:
    """Return the installation's secret, or `None` if there is none yet.

    Raises:
        CannotOpen: if it is missing, and there are rooms whose seats only it proves.
        OSError: if it cannot be read.
    """
    secret = read_secret(path)
    if secret is None and has_rooms(config.store, config.data, accept_loss=config.accept_loss):
        if not config.accept_loss:
            raise CannotOpen(
                f"{path} is missing, and without it no seat of the rooms in the database can be "
                "taken again: restore it, or set TTT_SECRET, or give up the seats: --accept-loss"
            )
        logger.warning(
            "%s was missing; a new one was created, so all seat tokens are invalid", path
        )
    return secret
