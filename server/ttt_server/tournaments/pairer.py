"""Find the rounds of Swiss tournaments in a worker process: they may take seconds."""

import sys

from ttt_protocol.tournament.settings import EarlyEnd
from ttt_server.ai.process_pool import ProcessPool
from ttt_server.tournaments.rules.forms import Field, Over, Pair, Pairing

LIMIT_S = 300.0
"""The time limit of a round; 500 players take about two seconds."""

_LONGEST_ANSWER = 1 << 20
"""In bytes; a thousand players take 60 kB."""


class Pairer:
    """Finds rounds one at a time, in a process that is started for the first."""

    def __init__(self) -> None:
        command = sys.executable, "-m", "ttt_server.tournaments.pairing_worker"
        self._pool = ProcessPool(1, command, retries=1, longest_answer=_LONGEST_ANSWER)

    async def find_round(self, field: Field) -> Pairing | Over:
        """Return the round that `matching.find_round` finds.

        Raises:
            NoAnswer: the process failed.
        """
        answer = await self._pool.ask({"candidates": field.candidates}, LIMIT_S)
        if answer["over"] is not None:
            return Over(EarlyEnd(answer["over"]))
        pairs = tuple(Pair(*pair) for pair in answer["pairs"])
        return Pairing(pairs, tuple(answer["byes"]), answer["bye_points"])

    async def close(self) -> None:
        """End the process. Cancel the calls of `find_round` before."""
        await self._pool.close()
