"""A process that thinks for an AI seat: a question a line on standard input, an answer a line back.

It is killed when it thinks for too long, so nothing here watches the time. See `ai.Worker`.
"""

import json
import os
import sys
import time
from typing import Any

from ttt_engine import Position, Rules
from ttt_engine.strategies import Strategy, make
from ttt_server.judge import judge


def main() -> None:
    # What a strategy prints must not look like an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        try:
            answer = _answer(json.loads(line))
        except Exception as error:  # noqa: BLE001 - a strategy may be anybody's, and fail in any way
            answer = {"error": type(error).__name__}
        print(json.dumps(answer), file=answers, flush=True)


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    position = Position.parse(question["board"], Rules.parse(question["rules"]))
    if question["strategy"] is None:
        judgement = judge(position, question["seconds"], time.monotonic)
        return {
            "cells": list(judgement.best),
            "values": list(judgement.values.items()),
            "value": judgement.value,
            "reason": judgement.reason,
        }
    strategy = _strategy(question["strategy"], question["level"], question["seconds"])
    thought = strategy.think(position)
    return {"cells": list(thought.cells), "reason": str(thought.reason)}


def _strategy(name: str, level: int | None, most_seconds: float | None) -> Strategy:
    """The strategy, with its own time for a move, or the game's clock's if that is less."""
    strategy = make(name, level, clock=time.monotonic)
    own_seconds = getattr(strategy, "seconds", None)
    if most_seconds is None or own_seconds is None or own_seconds <= most_seconds:
        return strategy
    return make(name, level, clock=time.monotonic, seconds=most_seconds)


if __name__ == "__main__":
    main()
