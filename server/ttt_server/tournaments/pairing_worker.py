"""The program of the worker process behind `Pairer`."""

from typing import Any

from ttt_server.ai.worker import give_way, serve
from ttt_server.tournaments.rules.forms import Candidate, Field, Over
from ttt_server.tournaments.rules.matching import find_round

_NICE = 5


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """Return a round, or why there is none."""
    found = find_round(Field(tuple(Candidate(*each) for each in question["candidates"])))
    if isinstance(found, Over):
        return {"over": found.early}
    return {"over": None, **found._asdict()}


if __name__ == "__main__":
    give_way(_NICE)
    serve(answer)
