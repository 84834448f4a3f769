"""The ladder that the page shows: a file that `ttt-server ladder --standings` writes."""

import asyncio
import logging
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, ValidationError

from ttt_protocol.base import FromServer
from ttt_server.transport.responses import HttpError

MOST_BYTES: Final = 1 << 20
"""The most bytes to read of the file."""

_log = logging.getLogger(__name__)

_Count = Annotated[int, Field(ge=0)]


class LadderStanding(FromServer):
    """A contestant in the ladder."""

    name: Annotated[str, Field(max_length=1000)]
    elo: float
    error: Annotated[float, Field(ge=0)]
    """Half of the 95 % confidence interval, in Elo."""
    wins: _Count
    draws: _Count
    losses: _Count
    forfeits: _Count


class Ladder(FromServer):
    """The standings, the strongest contestant first."""

    rules: Annotated[str, Field(max_length=40)]
    standings: tuple[LadderStanding, ...]


class LadderFile:
    """The file of a ladder, read for each request, as it changes while the server runs."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def read(self) -> Ladder:
        """Return the ladder.

        Raises:
            HttpError: 503, it cannot be read, which the log explains.
        """
        try:
            return Ladder.model_validate_json(await asyncio.to_thread(self._bytes))
        except (OSError, ValidationError) as error:
            reason = str(error).partition("\n")[0]
            _log.warning("the ladder %s cannot be read: %s", self._path, reason)
            words = "the ladder cannot be read"
            raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, words) from None

    def _bytes(self) -> bytes:
        with self._path.open("rb") as file:
            return file.read(MOST_BYTES)
